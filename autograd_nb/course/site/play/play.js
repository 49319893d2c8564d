// The page `play`: a program is typed, run by Python in a frame of its own, and its results are shown.
// The address holds the program: #code=…, compressed, and the step that is shown: &step=….

"use strict";

const SECONDS = 10; // that a program may run
const LONGEST = 100_000; // letters of a program that is run
const MOST = 8_000; // letters of an address
const LARGEST = 50_000_000; // letters of an answer from Python
const DRAFTS = 20; // that the browser keeps
const settings = JSON.parse(document.getElementById("settings").textContent);
const { words, examples } = settings;
const at = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));
let files = null; // a promise of the worker's text and of Python's files
let place = null; // {frame, inside}: where programs run, and a promise of its window, which has the files
let begun = 0; // Pythons
let next = null; // the Python of the next run, which may still be starting
let running = null; // {python, timer} of a run
let model = null; // of the stepper that is shown
let ran = ""; // the program that it is of

// -- Python ------------------------------------------------------------------------------------------------------------

/** A Python for one program: nothing that the program does is there for the next one. */
function begin() {
  place ??= settle();
  const { port1: port, port2 } = new MessageChannel();
  const [{ inside }, number] = [place, (begun += 1)];
  const ready = (async () => {
    (await inside).postMessage({ number }, "*", [port2]);
    const { broken } = await new Promise((resolve) => (port.onmessage = ({ data }) => resolve(Object(data))));
    if (broken) throw new Error(broken);
  })();
  ready.catch(() => {});
  return { port, ready, end: async () => (await inside).postMessage({ number }, "*") };
}

/** A frame that has neither the site's origin nor a network (python.html), so the page loads its files. */
function settle() {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.hidden = true;
  frame.src = "python.html";
  const shown = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  files ??= load().catch((error) => {
    files = null; // the next run tries again
    throw error;
  });
  const inside = Promise.all([files, shown]).then(([given]) => {
    frame.contentWindow.postMessage(given, "*");
    return frame.contentWindow;
  });
  inside.catch(() => {});
  return { frame, inside };
}

/** The worker's text, and the bytes of Python's files by name. The browser keeps them for the next visit. */
async function load() {
  let bytes = 0;
  const text = (buffer) => new TextDecoder().decode(buffer);
  const get = async (loading, address, integrity = "") => {
    const answer = await fetch(address, { integrity });
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    const counted = new TransformStream({ transform(piece, to) {
      bytes += piece.length;
      if (running && !running.timer) say(words.loading[loading].replace("{loaded}", (bytes / 1e6).toFixed(1)));
      to.enqueue(piece);
    } });
    return new Response(answer.body.pipeThrough(counted)).arrayBuffer();
  };
  const addresses = ["worker.js", ...settings.files.map((name) => settings.pyodide + name)];
  const [script, ...parts] = await Promise.all(addresses.map((each) => get("python", each)));
  const made = Object.fromEntries(parts.map((part, place) => [settings.files[place], part]));
  const { file_name: numpy, sha256 } = JSON.parse(text(made["pyodide-lock.json"])).packages.numpy;
  const digest = btoa(String.fromCharCode(...sha256.match(/../g).map((each) => parseInt(each, 16))));
  made[numpy] = await get("numpy", settings.pyodide + numpy, `sha256-${digest}`);
  made.wheel = await get("autograd_nb", settings.wheel);
  return { script: text(script), files: made };
}

async function run() {
  const code = at.code.value;
  if (code.length > LONGEST) return say(words.long.replace("{most}", LONGEST.toLocaleString("en")));
  const line = code.slice(0, at.code.selectionStart).split("\n").length;
  at.run.disabled = true;
  at.stop.disabled = false;
  for (const each of [at.printed, at.error, at.why, at.gradients]) each.hidden = true;
  at.printed.textContent = "";
  at.walk.replaceChildren();
  model = null;
  const own = (running = { python: next ?? begin() });
  next = null;
  say(words.starting);
  try {
    await own.python.ready;
  } catch (error) {
    return end(own, `${words.offline} (${error.message})`, true);
  }
  if (running !== own) return;
  say(words.running);
  own.timer = setTimeout(() => end(own, words.endless.replace("{seconds}", SECONDS), true), SECONDS * 1000);
  own.python.port.onmessage = ({ data }) => running === own && hear(own, Object(data));
  own.python.port.postMessage({ code, line });
  ran = code;
  next = begin();
}

/** End a run and its Python; another one starts for the next run, in a new frame if this one may be *lost*. */
function end(own, told, lost) {
  if (running !== own) return;
  clearTimeout(own.timer);
  if (lost) {
    place.frame.remove(); // and each Python in it
    place = next = null;
  } else own.python.end();
  running = null;
  at.run.disabled = false;
  if (document.activeElement === at.stop) at.run.focus();
  at.stop.disabled = true;
  say(told);
  if (files) next ??= begin();
}

// -- results ---------------------------------------------------------------------------------------------------------

/** Hear what Python says of a run. It may be anything, because a program can speak in Python's place. */
function hear(own, message) {
  if (message.printed) {
    at.printed.hidden = false;
    at.printed.append(String(message.printed).slice(0, LONGEST - at.printed.textContent.length));
  }
  if (message.crashed) end(own, words.crashed.replace("{error}", () => message.crashed));
  if (message.result === undefined) return;
  end(own, words.nothing);
  try {
    show(read(message.result));
  } catch {
    say(words.unreadable);
  }
}

/** The results of a program as plain data of the expected types; its texts are shown as texts, its pictures by parseSvg. */
function read(result) {
  if (result.length > LARGEST) throw new RangeError("too long");
  const { printed, error, why, passes, gradients, stepper } = JSON.parse(result);
  const check = (...held) => {
    if (!held.every(Boolean)) throw new TypeError("not the results of a program");
  };
  const texts = (list) => Array.isArray(list) && list.every((each) => typeof each === "string");
  const wholes = (list) => Array.isArray(list) && list.every(Number.isInteger);
  check(texts([printed, error, why]), wholes(passes), Array.isArray(gradients), gradients.every(texts));
  const texted = { printed, error, why, passes, gradients };
  if (!stepper) return texted;
  const { step, detail, speed, titles, details } = stepper;
  check(wholes([step]), texts([detail]), Number.isFinite(speed), texts(titles), Object.hasOwn(details, detail));
  for (const { count, stories, ends } of Object.values(details)) check(wholes([count]), texts(stories), wholes(ends));
  return { ...texted, stepper: { step, detail, speed, titles, details, words: settings.stepper } };
}

function show({ printed, error, why, passes: [first, last, count], gradients, stepper }) {
  for (const [place, text] of Object.entries({ printed, error, why })) {
    at[place].textContent = text;
    at[place].hidden = !text;
  }
  const part = { first, last, count };
  const told = last - first + 1 === count ? words.done : first === last ? words.one_pass : words.passes;
  say(error ? words.failed : stepper ? told.replace(/{(\w+)}/g, (_, name) => part[name]) : words.nothing);
  at.gradients.hidden = !gradients.length;
  at.gradients.tBodies[0].replaceChildren(...gradients.map((row) => {
    const line = document.createElement("tr");
    row.forEach((text, place) => (line.insertCell(place).textContent = text));
    return line;
  }));
  if (!stepper) return;
  const step = parseInt(new URLSearchParams(location.hash.slice(1)).get("step"));
  const opening = shared && step >= 0 && step < stepper.details[stepper.detail].count ? step : stepper.step;
  shared = false;
  model = anb.step(at.walk, { ...stepper, step: opening });
}

const say = (text) => (at.state.textContent = text);

// -- the field, with the numbers of its lines, and behind its letters the same ones in colours ------------------------------

const KEYWORDS = "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";
const PARTS = new RegExp([
  String.raw`(?<comment>#.*)`,
  String.raw`(?<string>(?:\b[bfruBFRU]{1,2})?(?:"""(?:\\[^]|[^\\])*?(?:"""|$)|'''(?:\\[^]|[^\\])*?(?:'''|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))`,
  String.raw`(?<number>(?<![\w.])\.?\d(?:[eE][+-]|[\w.])*)`,
  String.raw`(?<keyword>\b(?:${KEYWORDS.replaceAll(" ", "|")})\b)`,
].join("|"), "g");

function draw() {
  const { value } = at.code, lines = value.split("\n").length, parts = [];
  let end = 0;
  for (const { 0: text, index, groups } of value.matchAll(PARTS)) {
    const className = Object.keys(groups).find((kind) => groups[kind]);
    parts.push(value.slice(end, index), Object.assign(document.createElement("span"), { className, textContent: text }));
    end = index + text.length;
  }
  at.coloured.replaceChildren(...parts, `${value.slice(end)}\n`);
  at.numbers.textContent = Array.from({ length: lines }, (_, place) => place + 1).join("\n");
  at.code.rows = Math.min(Math.max(lines, 4), 18);
  mark();
}

/** Mark the line of the step that is shown, as long as the program is the one that ran. */
function mark() {
  const step = at.code.value === ran && at.walk.querySelector("ol:not(:has(.anb-file)) > [aria-current]");
  at.program.classList.toggle("walked", Boolean(step));
  at.program.style.setProperty("--line", step ? step.value : 0);
  follow();
}

function follow() {
  for (const each of [at.numbers, at.coloured]) [each.scrollTop, each.scrollLeft] = [at.code.scrollTop, at.code.scrollLeft];
}

new MutationObserver(mark).observe(at.walk, { subtree: true, childList: true, attributeFilter: ["aria-current"] });

/** Put a program into the field, as if it were typed, so that undo brings back what stood there. */
function put(code, look = "", chapter = "") {
  if (at.code.value !== code) {
    if (at.code.value) { // else nothing is lost, and Tab begins at the top of the page
      at.code.focus({ preventScroll: true });
      at.code.select();
      if (code) document.execCommand("insertText", false, code);
    }
    at.code.value = code;
    at.code.setSelectionRange(0, 0);
    at.code.scrollTop = 0;
  }
  tell(look, chapter);
  draw();
}

/** What to look for in an example, and the chapter that it is from. */
function tell(look = "", chapter = "") {
  at.look.textContent = look;
  at.chapter.hidden = !chapter;
  if (chapter) at.chapter.href = settings.chapters.replace("{name}", chapter);
}

at.code.addEventListener("input", () => {
  tell();
  at.examples.value = "";
  draw();
  keep();
});
at.code.addEventListener("scroll", follow);
at.code.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  const before = at.code.value.slice(0, at.code.selectionStart).split("\n").at(-1);
  const indent = /^ */.exec(before)[0] + (before.trimEnd().endsWith(":") ? "    " : "");
  if (event.ctrlKey || event.metaKey || event.shiftKey) {
    event.preventDefault();
    if (!at.run.disabled) run();
  } else if (indent && document.execCommand("insertText", false, `\n${indent}`)) event.preventDefault();
});
at.run.addEventListener("click", run);
at.stop.addEventListener("click", () => running && end(running, words.stopped, !running.timer));
at.examples.append(new Option(words.choose, ""), ...examples.map(({ name }, place) => new Option(name, place)));
at.examples.addEventListener("change", () => {
  const { value } = at.examples;
  if (value === "") return;
  const { code, look, chapter } = value === "typed" ? { code: typed } : value === "given" ? { code: given } : examples[value];
  remember();
  put(code, look, chapter);
  at.examples.value = value;
  keep();
});

// -- drafts: what was typed stays in the browser, for each link ----------------------------------------------------------

let link = ""; // the program in the address as it stands there
let given = ""; // the same, unpacked
let typed = ""; // the learner's last program that another one replaced

const drafts = () => {
  try {
    return new Map(JSON.parse(localStorage.getItem("anb-play")));
  } catch {
    return new Map(); // a browser that keeps nothing
  }
};

function keep() {
  const all = drafts();
  all.delete(link);
  all.set(link, { code: at.code.value, typed });
  try {
    localStorage.setItem("anb-play", JSON.stringify([...all].slice(-DRAFTS)));
  } catch {}
}

/** Keep the learner's own program, which another one is about to replace, in the list of examples. */
function remember() {
  const { value } = at.code;
  if (value.trim() && ![given, typed, ...examples.map(({ code }) => code)].includes(value)) typed = value;
  offer();
}

function offer() {
  for (const each of at.examples.querySelectorAll("[value=typed], [value=given]")) each.remove();
  if (typed) at.examples.options[0].after(new Option(words.typed, "typed"));
  if (link) at.examples.options[0].after(new Option(words.given, "given"));
}

// -- the address -------------------------------------------------------------------------------------------------------

let shared = false; // whether the program came with the address, and was not run yet

async function open() {
  const embed = new URLSearchParams(location.search).has("embed");
  document.body.classList.toggle("embed", embed);
  at.full.hidden = !embed;
  at.full.href = location.pathname + location.hash;
  remember();
  const inside = new URLSearchParams(location.hash.slice(1)).get("code");
  link = inside ?? "";
  given = link && (await unpacked(link, LONGEST).catch(() => ""));
  const { code, typed: before = "" } = drafts().get(link) ?? {};
  typed ||= before;
  offer();
  shared = Boolean(given);
  if (code !== undefined && code !== (given || examples[0].code)) {
    put(code);
    say(words.draft);
  } else if (given) {
    put(given);
    say(words.shared);
  } else {
    put(at.code.value || examples[0].code, ...(at.code.value ? [] : [examples[0].look, examples[0].chapter]));
    at.examples.value = at.code.value === examples[0].code ? "0" : "";
    if (inside !== null) say(words.broken);
  }
  at.code.blur();
}

at.link.addEventListener("click", async () => {
  const step = model ? `&step=${model.get("step")}` : "";
  const address = `${location.origin}${location.pathname}#code=${await packed(at.code.value)}${step}`;
  if (address.length > MOST) return say(words.large.replace("{most}", MOST.toLocaleString("en")));
  history.replaceState(null, "", address);
  [link, given] = [new URLSearchParams(location.hash.slice(1)).get("code"), at.code.value];
  try {
    await navigator.clipboard.writeText(address);
    say(words.copied);
  } catch {
    say(words.in_address);
  }
});
addEventListener("hashchange", open);
open();
