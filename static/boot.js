// Starts the app. A failure is said in the page, which keeps the text that it came with.

// A page that comes back out of the browser's own cache is older than what was kept since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

const here = (name) => new URL(name, import.meta.url);
// A lesson with real systems says so in its page: they would make the others slow to start.
const app = document.documentElement.dataset.app ?? "app";

try {
  const { default: init } = await import(here(`${app}.js`));
  await init({ module_or_path: here(`${app}_bg.wasm`) });
} catch (error) {
  console.error(error);
  const note = document.createElement("p");
  note.className = "failed";
  note.setAttribute("role", "alert");
  note.textContent = `The stage could not start: ${error.message ?? error}. The text of this page still stands. Reload to try again.`;
  document.getElementById("app").prepend(note);
}
