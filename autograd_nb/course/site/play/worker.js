// Python for the page: Pyodide with NumPy and the package, in a frame without a network. It gets its files, bytes by
// name, and a port; through this it says {ready} or {broken}, is told {code, line}, and says {printed} and then {result} or
// {crashed}.

const HERE = "https://files.invalid/"; // where Pyodide believes that its files are
const KINDS = { js: "text/javascript", mjs: "text/javascript", json: "application/json", wasm: "application/wasm" };
let call = null; // of Python's: a program, the line of the cursor and a function for printed text give its results

async function begin({ files, compiled }) {
  const kept = (address) => {
    const name = String(address).split("/").at(-1);
    return new Blob([files[name]], { type: KINDS[name.split(".").at(-1)] });
  };
  const module = (name) => import(URL.createObjectURL(kept(name)));
  self.fetch = async (address) => new Response(kept(address)); // Pyodide's requests get the files that are here
  if (compiled) WebAssembly.instantiateStreaming = async (_, imports) =>
    ({ module: compiled, instance: await WebAssembly.instantiate(compiled, imports) });
  self.importScripts = () => {
    throw new TypeError("this worker's scripts are modules");
  };
  const { loadPyodide } = await module("pyodide.mjs");
  const { default: createPyodideModule } = await module(Object.keys(files).find((name) => /asm\.m?js$/.test(name)));
  const runtime = await loadPyodide({ indexURL: HERE, ...(createPyodideModule && { createPyodideModule }) });
  await runtime.loadPackage("numpy", { messageCallback: () => {} });
  runtime.unpackArchive(files.wheel, "wheel");
  runtime.runPython("import json; from autograd_nb.course import playing");
  call = runtime.runPython("lambda code, line, say: json.dumps(playing.run(code, line, say))");
}

self.onmessage = ({ data, ports: [port] }) => {
  const said = (error) => String(error.message ?? error);
  port.onmessage = ({ data: { code, line } }) => {
    try {
      port.postMessage({ result: call(code, line, (printed) => port.postMessage({ printed })) });
    } catch (error) {
      port.postMessage({ crashed: said(error) });
    }
  };
  begin(data).then(() => port.postMessage({ ready: true }), (error) => port.postMessage({ broken: said(error) }));
};
