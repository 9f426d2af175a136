// Starts the app. A failure is said in the page, which keeps the text that it came with.

// A page that comes back out of the browser's own cache is older than what was kept since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

const say = (text, place) => {
  const note = document.createElement("p");
  note.className = "failed";
  note.setAttribute("role", "alert");
  note.textContent = text;
  place.prepend(note);
};

// A trap ends wasm for good, be it by a panic or by a fault of the browser's own.
let hasStopped = false;
const hear = ({ error, reason }) => {
  if (hasStopped || !((error ?? reason) instanceof WebAssembly.RuntimeError)) return;
  hasStopped = true;
  say("The stage has stopped by an error. Reload the page to go on.", document.body);
};

addEventListener("error", hear);
addEventListener("unhandledrejection", hear);

const here = (name) => new URL(name, import.meta.url);
// A lesson with real systems says so in its page: they would make the others slow to start.
const app = document.documentElement.dataset.app ?? "app";

try {
  const { default: init } = await import(here(`${app}.js`));
  await init({ module_or_path: here(`${app}_bg.wasm`) });
} catch (error) {
  console.error(error);
  hasStopped = true;
  say(
    `The stage could not start: ${error.message ?? error}. The text of this page still stands. Reload to try again.`,
    document.getElementById("app"),
  );
}
