// Sets theme and motion before the first paint: what was chosen here, or what the address asks for.
(() => {
  const root = document.documentElement;
  const known = { theme: ["light", "dark", "contrast"], motion: ["reduced", "full"] };
  const query = new URLSearchParams(location.search);
  let kept = "";
  try {
    kept = localStorage.getItem("racescope.settings") ?? "";
  } catch {
    // A forbidden storage keeps nothing, and nothing is missing.
  }
  const [form, ...pairs] = kept.length > 200 ? [] : kept.split(";");
  const chosen = new Map(form === "1" ? pairs.map((pair) => pair.split("=")) : []);
  for (const name of Object.keys(known)) {
    const value = query.get(name) ?? chosen.get(name);
    if (known[name].includes(value)) root.dataset[name] = value;
  }
})();
