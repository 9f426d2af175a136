// Sets the theme before the first paint: what was chosen here, or what the address asks for.
(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const known = { theme: ["light", "dark"], contrast: ["more"], motion: ["reduce"] };
  for (const name of Object.keys(known)) {
    let value = query.get(name);
    try {
      value ??= localStorage.getItem(`racescope.${name}`);
    } catch {
      // A forbidden storage keeps nothing, and nothing is missing.
    }
    if (known[name].includes(value)) root.dataset[name] = value;
  }
})();
