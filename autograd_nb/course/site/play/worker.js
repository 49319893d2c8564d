// Python for the page: Pyodide with NumPy and the package. It is told {pyodide, wheel}, both addresses, and then
// {run, code, line}; it says {loading, bytes}, {ready}, {broken}, and of a run by its number {done, result} or {crashed}.

const say = (message) => self.postMessage(message);
const load = { loading: "", bytes: 0 }; // what is loading, and how much has come
let call = null; // of Python's: a program and the line of the cursor give what came of it

/** Tell how many bytes have come, while they come. The browser keeps what it compiled of the answer itself, not of a copy. */
function counting() {
  const { fetch } = self;
  const count = async (reader) => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      load.bytes += piece.value.length;
      say(load);
    }
  };
  self.fetch = async (...asked) => {
    const answer = await fetch(...asked);
    if (answer.body) count(answer.clone().body.getReader()).catch(() => {});
    return answer;
  };
}

async function begin({ pyodide, wheel }) {
  load.loading = "python";
  importScripts(`${pyodide}pyodide.js`);
  const runtime = await self.loadPyodide({ indexURL: pyodide });
  load.loading = "numpy";
  await runtime.loadPackage("numpy", { messageCallback: () => {} });
  load.loading = "autograd_nb";
  const packed = await fetch(wheel);
  if (!packed.ok) throw new Error(`${wheel}: ${packed.status}`);
  runtime.unpackArchive(await packed.arrayBuffer(), "wheel");
  runtime.runPython("import json; from autograd_nb.course import playing");
  call = runtime.runPython("lambda code, line: json.dumps(playing.run(code, line))");
}

counting();
self.onmessage = async ({ data: { run, code, line, ...places } }) => {
  try {
    if (run) say({ done: run, result: call(code, line) });
    else await begin(places).then(() => say({ ready: true }));
  } catch (error) {
    say({ [run ? "crashed" : "broken"]: String(error.message ?? error) });
  }
};
