// Sets the theme before the first paint: what was chosen here, or what the address asks for.
(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  for (const name of ["theme", "contrast", "motion"]) {
    let value = query.get(name);
    try {
      value ??= localStorage.getItem(`racescope.${name}`);
    } catch {
      // A forbidden storage keeps nothing, and nothing is missing.
    }
    if (value && value !== "system") root.dataset[name] = value;
  }
})();
