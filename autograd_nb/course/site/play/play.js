// The page `play`: a program is typed, run by Python in a worker, and what came of it is shown.
// The address holds the program: #code=…, compressed, and the step that is shown: &step=….

"use strict";

const SECONDS = 10; // that a program may run
const LONGEST = 100_000; // letters of a program that is run
const MOST = 8_000; // letters of an address
const LARGEST = 50_000_000; // letters of an answer from Python
const settings = JSON.parse(document.getElementById("settings").textContent);
const { words, examples } = settings;
const at = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));
let frame = null; // in which Python runs
let python = null; // the port to it
let running = null; // {number, timer} of the run that Python is at, or {code, line} of one that waits for it
let ready = false;
let number = 0;
let model = null; // of the stepper that is shown

// -- Python ------------------------------------------------------------------------------------------------------------

/** Begin Python in a frame that has neither the site's origin nor a network (python.html), so the page loads its files. */
async function begin() {
  ready = false;
  const own = (frame = document.createElement("iframe"));
  own.setAttribute("sandbox", "allow-scripts");
  own.hidden = true;
  own.src = "python.html";
  const shown = new Promise((resolve) => own.addEventListener("load", resolve, { once: true }));
  document.body.append(own);
  try {
    const [script, files] = await load((told) => frame === own && say(told));
    await shown;
    if (frame !== own) return;
    const { port1, port2 } = new MessageChannel();
    python = port1;
    python.onmessage = ({ data }) => hear(Object(data));
    own.contentWindow.postMessage({ script, files }, "*", [port2]);
  } catch (error) {
    if (frame === own) fail(`${words.offline} (${error.message})`);
  }
}

/** The worker's text, and the bytes of Python's files by name; tell() says how much has come. The browser keeps them for
 *  the next visit. */
async function load(tell) {
  let bytes = 0;
  const text = (buffer) => new TextDecoder().decode(buffer);
  const get = async (loading, address, integrity = "") => {
    const answer = await fetch(address, { integrity });
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    const counted = new TransformStream({ transform(piece, to) {
      bytes += piece.length;
      tell(words.loading[loading].replace("{loaded}", (bytes / 1e6).toFixed(1)));
      to.enqueue(piece);
    } });
    return new Response(answer.body.pipeThrough(counted)).arrayBuffer();
  };
  const [script, ...parts] = await Promise.all(["worker.js", ...settings.files.map((name) => settings.pyodide + name)].map((each) => get("python", each)));
  const files = Object.fromEntries(parts.map((part, place) => [settings.files[place], part]));
  const { file_name: numpy, sha256 } = JSON.parse(text(files["pyodide-lock.json"])).packages.numpy;
  const digest = btoa(String.fromCharCode(...sha256.match(/../g).map((each) => parseInt(each, 16))));
  files[numpy] = await get("numpy", settings.pyodide + numpy, `sha256-${digest}`);
  files.wheel = await get("autograd_nb", settings.wheel);
  return [text(script), files];
}

/** Hear what Python says. After a run this may be anything: a program can speak in Python's place. */
function hear(message) {
  if (message.broken) fail(`${words.offline} (${message.broken})`);
  if (message.crashed) fail(words.crashed.replace("{error}", message.crashed));
  if (message.ready && !ready) {
    ready = true;
    say(words.ready);
    if (running) start(running.code, running.line);
  }
  if (message.done && message.done === running?.number) {
    finish();
    try {
      show(read(message.result));
    } catch {
      end();
      say(words.unreadable);
    }
  }
}

/** The results of a program as plain data of the expected types; its texts are shown as texts, its pictures by parseSvg. */
function read(result) {
  if (result.length > LARGEST) throw new RangeError("too long");
  const { printed, error, why, stepper } = JSON.parse(result);
  const check = (...held) => {
    if (!held.every(Boolean)) throw new TypeError("not the results of a program");
  };
  const texts = (list) => Array.isArray(list) && list.every((each) => typeof each === "string");
  const wholes = (list) => Array.isArray(list) && list.every(Number.isInteger);
  check(texts([printed, error, why]));
  if (!stepper) return { printed, error, why };
  const { step, detail, speed, titles, details } = stepper;
  check(wholes([step]), texts([detail]), Number.isFinite(speed), texts(titles), Object.hasOwn(details, detail));
  for (const { count, stories, ends } of Object.values(details)) check(wholes([count]), texts(stories), wholes(ends));
  return { printed, error, why, stepper: { step, detail, speed, titles, details, words: settings.stepper } };
}

function start(code, line) {
  number += 1;
  running = { number, timer: setTimeout(stop, SECONDS * 1000) };
  say(words.running);
  python.postMessage({ run: number, code, line });
}

/** A program that runs too long is ended with its Python; the next run begins a new one. */
function stop() {
  end();
  say(words.endless.replace("{seconds}", SECONDS));
}

function fail(why) {
  end();
  say(why);
}

function end() {
  frame?.remove(); // and its worker with it
  frame = python = null;
  finish();
}

function finish() {
  clearTimeout(running?.timer);
  running = null;
  at.run.disabled = false;
}

// -- what came of it ---------------------------------------------------------------------------------------------------

function run() {
  const code = at.code.value;
  if (code.length > LONGEST) return say(words.long.replace("{most}", LONGEST.toLocaleString("en")));
  const line = code.slice(0, at.code.selectionStart).split("\n").length;
  at.run.disabled = true;
  for (const each of [at.printed, at.error, at.why]) each.hidden = true;
  at.walk.replaceChildren();
  running = { code, line };
  if (!frame) begin();
  if (ready) start(code, line);
}

function show({ printed, error, why, stepper }) {
  for (const [place, text] of Object.entries({ printed, error, why })) {
    at[place].textContent = text;
    at[place].hidden = !text;
  }
  say(error ? words.failed : stepper ? words.done : words.nothing);
  if (!stepper) return;
  const step = parseInt(new URLSearchParams(location.hash.slice(1)).get("step"));
  const first = shared && step >= 0 && step < stepper.details[stepper.detail].count ? step : stepper.step;
  shared = false;
  model = anb.step(at.walk, { ...stepper, step: first });
}

const say = (text) => (at.state.textContent = text);

// -- the field, with the numbers of its lines ---------------------------------------------------------------------------

function count() {
  const lines = at.code.value.split("\n").length;
  at.code.rows = Math.min(Math.max(lines, 4), 18);
  at.numbers.textContent = Array.from({ length: lines }, (_, place) => place + 1).join("\n");
  at.numbers.scrollTop = at.code.scrollTop;
}

function put(code, look = "") {
  at.code.value = code;
  at.look.textContent = look;
  count();
}

at.code.addEventListener("input", count);
at.code.addEventListener("scroll", () => (at.numbers.scrollTop = at.code.scrollTop));
at.code.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    if (!at.run.disabled) run();
  }
});
at.run.addEventListener("click", run);
at.examples.append(new Option(words.choose, ""), ...examples.map(({ name }, place) => new Option(name, place)));
at.examples.addEventListener("change", () => {
  const chosen = examples[at.examples.value];
  if (chosen) put(chosen.code, chosen.look);
});

// -- the address -------------------------------------------------------------------------------------------------------

let shared = false; // whether the program came with the address, and was not run yet

async function open() {
  document.body.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
  const given = new URLSearchParams(location.hash.slice(1)).get("code");
  if (given === null) return put(examples[0].code, examples[0].look);
  try {
    put(await unpacked(given, LONGEST));
    shared = true;
    say(words.shared);
  } catch {
    put(at.code.value || examples[0].code);
    say(words.broken);
  }
}

at.link.addEventListener("click", async () => {
  const step = model ? `&step=${model.get("step")}` : "";
  const address = `${location.origin}${location.pathname}#code=${await packed(at.code.value)}${step}`;
  if (address.length > MOST) return say(words.large.replace("{most}", MOST.toLocaleString("en")));
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    say(words.copied);
  } catch {
    say(words.in_address);
  }
});
addEventListener("hashchange", open);
document.body.setAttribute("data-jp-theme-light", String(!matchMedia("(prefers-color-scheme: dark)").matches));
open();
