// Starts searches of all schedules: in a worker or, where workers are refused, in
// slices between the frames of the page.
const here = (name) => new URL(name, import.meta.url);

// A worker that has nothing to do; starting one takes longer than many searches.
let idle = null;

// Asks in bytes. `heard` is called with replies in bytes, and with null if the search
// fails. Returns what stops it.
export function seek(view, heard) {
  // What comes from wasm is a view of its memory.
  const ask = view.slice();
  let stop = () => {};
  const slices = () => { stop = inSlices(ask, heard); };
  try {
    stop = inWorker(ask, heard, slices);
  } catch {
    slices();
  }
  return () => stop();
}

function inWorker(ask, heard, refused) {
  const worker = idle ?? new Worker(here("search-worker.js"), { type: "module" });
  idle = null;
  let answered = false;
  worker.onmessage = ({ data }) => {
    answered = true;
    if (data?.done !== true) {
      heard(data);
      return;
    }
    worker.onmessage = null;
    idle = worker;
  };
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    if (answered) heard(null); else refused();
  };
  worker.postMessage(ask);
  return () => {
    if (idle !== worker) worker.terminate();
  };
}

function inSlices(ask, heard) {
  let stopped = false;
  const start = async () => {
    const { default: init, Slices } = await import("./search.js");
    await init({ module_or_path: here("search_bg.wasm") });
    const slices = new Slices(ask);
    const slice = () => {
      const until = performance.now() + 12;
      let reply = null;
      while (!stopped && !slices.isDone() && performance.now() < until) reply = slices.goOn();
      const over = stopped || slices.isDone();
      if (over) slices.free(); else setTimeout(slice);
      if (!stopped && reply) heard(reply);
    };
    slice();
  };
  start().catch((error) => {
    console.error(error);
    if (!stopped) heard(null);
  });
  return () => { stopped = true; };
}
