// The page `play`: a program is typed, run by Python in a worker, and what came of it is shown.
// The address holds the program: #code=…, compressed, and the step that is shown: &step=….

"use strict";

const SECONDS = 10; // that a program may run
const LONGEST = 100_000; // letters of a program that is run
const MOST = 8_000; // letters of an address
const settings = JSON.parse(document.getElementById("settings").textContent);
const { words, examples } = settings;
const at = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));
let worker = null;
let running = null; // {number, timer} of the run that Python is at, or {code, line} of one that waits for it
let ready = false;
let number = 0;
let model = null; // of the stepper that is shown

// -- Python ------------------------------------------------------------------------------------------------------------

/** A worker that is made of its text, not of its address, obeys the page's policy: it reaches nothing but its own files. */
async function begin() {
  ready = false;
  try {
    const text = await (await fetch("worker.js")).text();
    const made = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(made);
    URL.revokeObjectURL(made);
  } catch {
    return fail(words.offline);
  }
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = () => fail(words.offline);
  const [pyodide, wheel] = [settings.pyodide, settings.wheel].map((each) => new URL(each, location.href).href);
  worker.postMessage({ pyodide, wheel });
}

function hear(message) {
  if (message.loading && !ready) say(words.loading[message.loading].replace("{loaded}", (message.bytes / 1e6).toFixed(1)));
  if (message.broken) fail(`${words.offline} (${message.broken})`);
  if (message.crashed) fail(words.crashed.replace("{error}", message.crashed));
  if (message.ready) {
    ready = true;
    say(words.ready);
    if (running) start(running.code, running.line);
  }
  if (message.done && message.done === running?.number) {
    finish();
    show(JSON.parse(message.result));
  }
}

function start(code, line) {
  number += 1;
  running = { number, timer: setTimeout(stop, SECONDS * 1000) };
  say(words.running);
  worker.postMessage({ run: number, code, line });
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
  worker?.terminate();
  worker = null;
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
  if (!worker) begin();
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
