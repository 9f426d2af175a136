// The choice of theme on a page without the app, kept in the form in which the app keeps it.
const NAME = "racescope.settings";
const root = document.documentElement;
const list = document.querySelector("#theme");

list.value = root.dataset.theme ?? "system";
list.parentElement.hidden = false;
list.addEventListener("change", () => {
  const theme = list.value;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    const [form, ...pairs] = (localStorage.getItem(NAME) ?? "").split(";");
    const kept = form === "1" ? pairs.filter((pair) => !pair.startsWith("theme=")) : [];
    if (theme !== "system") kept.push(`theme=${theme}`);
    if (kept.length) localStorage.setItem(NAME, ["1", ...kept].join(";"));
    else localStorage.removeItem(NAME);
  } catch {
    // A full or forbidden storage loses what would have been kept, and no more.
  }
});
