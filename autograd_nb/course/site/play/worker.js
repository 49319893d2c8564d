// Python for the page: Pyodide with NumPy and the package. It is told {run, code, line}, and says {loading}, {ready},
// and {done, result}; `run` is the number of a run.

const settings = JSON.parse(decodeURIComponent(self.location.hash.slice(1)));
const say = (message) => self.postMessage(message);

async function python() {
  say({ loading: "python" });
  importScripts(`${settings.pyodide}pyodide.js`);
  const runtime = await self.loadPyodide({ indexURL: settings.pyodide });
  say({ loading: "numpy" });
  await runtime.loadPackage("numpy");
  say({ loading: "autograd_nb" });
  const wheel = await fetch(settings.wheel);
  if (!wheel.ok) throw new Error(`${settings.wheel}: ${wheel.status}`);
  runtime.unpackArchive(await wheel.arrayBuffer(), "wheel");
  runtime.runPython("import json; from autograd_nb.course import playing");
  return runtime;
}

const started = python();
started.then(
  () => say({ ready: true }),
  (error) => say({ broken: String(error.message ?? error) }),
);

self.onmessage = async ({ data: { run, code, line } }) => {
  const runtime = await started;
  const call = runtime.runPython("lambda code, line: json.dumps(playing.run(code, line))");
  say({ done: run, result: call(code, line) });
};
