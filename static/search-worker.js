// Runs one search after the other, apart from the page. Replies are bytes; null says
// that a search has failed, and { done: true } that the next one can come.
import init, { Slices } from "./search.js";

const started = init({ module_or_path: new URL("search_bg.wasm", import.meta.url) });

addEventListener("message", async ({ data }) => {
  try {
    await started;
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
