// Runs one search after the other, apart from the page. Replies are bytes; null says
// that a search has failed, and { done: true } that the next one can come.

// The wasm is asked for at once, and not only when its JavaScript is here.
const wasm = fetch(new URL("search_bg.wasm", import.meta.url));
const started = import("./search.js").then(async ({ default: init, Slices }) => {
  await init({ module_or_path: wasm });
  return Slices;
});
// Whoever asks hears of a failure.
started.catch(() => {});

addEventListener("message", async ({ data }) => {
  try {
    const Slices = await started;
    const slices = new Slices(data);
    let told = performance.now();
    while (!slices.isDone()) {
      const reply = slices.goOn();
      if (slices.isDone() || performance.now() - told > 100) {
        told = performance.now();
        postMessage(reply);
      }
    }
    slices.free();
  } catch (error) {
    console.error(error);
    postMessage(null);
  }
  postMessage({ done: true });
});
