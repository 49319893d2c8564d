// The stepper's front end: all forms of a picture stand in the page from the beginning; a step shows some, hides others.

/** A story that Python packed: deflated JSON. */
async function unpacked(bytes) {
  const buffer = bytes.buffer ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : bytes;
  const stream = new Blob([buffer]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

const HIGH = 360, BESIDE = 560; // pixels from which a picture has the sentence beside it, and up to which it is so wide

/** One story on a stage: picture, code and values of the step that go(step) shows. */
function stage(view, story, title, { jump, both }) {
  const words = view.words;
  const markup = story.slots.map(({ keys, kind, forms }, slot) =>
    forms.map((form) => `<g data-key="${escaped(keys[0])}" data-end="${escaped(keys[1] ?? "")}" data-kind="${kind}" data-slot="${slot}" display="none">${form}</g>`).join("")).join("");
  const [width, height] = story.size;
  const graph = picture(view, { label: `${words.graph}: ${title}`, point: (key) => point(key) });
  graph.show(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="Helvetica, Arial, sans-serif" font-size="12" text-anchor="middle" fill="none"><title>${escaped(title)}</title>` +
    `<rect width="${width}" height="${height}" fill="#FFFFFF"/>${markup}</svg>`);
  const forms = story.slots.map(() => []);
  for (const group of graph.svg.querySelectorAll(":scope > g")) forms[group.dataset.slot].push(group);

  const lines = story.code.map((line, place) => {
    const item = make("li", { "data-line": place, tabindex: "-1", value: line.number }, make("code", {}, line.text || " "));
    return item;
  });
  const several = new Set(story.code.map((each) => each.file)).size > 1;
  const code = make("ol", { class: "anb-lines" }, ...lines.flatMap((item, place) => {
    const line = story.code[place];
    const head = several && line.file !== story.code[place - 1]?.file ? [make("li", { class: "anb-file" }, line.file)] : [];
    return [...head, item];
  }));
  const values = table(view, { caption: words.values, columns: words.columns, point: (key) => point(key) });
  const stepsOfLine = story.code.map(() => []);
  story.steps.forEach((step, place) => stepsOfLine[step.line]?.push(place));
  view.on(code, "click", (event) => {
    const steps = stepsOfLine[event.target.closest("[data-line]")?.dataset.line];
    if (steps?.length) jump(steps[0]);
  });

  // what belongs together: a tensor's key may be followed by "@" and the node that changed it
  const plain = (key) => (key ?? "").split("@")[0].split(":")[0];
  const keysOfLine = stepsOfLine.map((steps) => [...new Set(steps.flatMap((place) => story.steps[place].lit.map(plain)))]);
  let pointed = [];
  const light = (keys, line) => {
    pointed = keys;
    for (const group of forms.flat()) group.classList.toggle("anb-lit", group.dataset.kind === "box" && keys.includes(plain(group.dataset.key)));
    values.mark(keys);
    lines.forEach((item, place) => item.classList.toggle("anb-lit", line ? place === line - 1 : keys.length > 0 && keysOfLine[place].some((key) => keys.includes(key))));
  };
  const point = (key) => light(key ? [plain(key)] : []);
  view.on(code, "pointerover", (event) => {
    const place = event.target.closest("[data-line]")?.dataset.line;
    light(place === undefined ? [] : keysOfLine[place], place === undefined ? 0 : Number(place) + 1);
  });
  view.on(code, "pointerleave", () => light([]));

  let at = -1;
  let shownForms = story.slots.map(() => -1);
  let rows = { ...story.first };
  const forward = (step) => {
    for (const [slot, form] of Object.entries(step.picture)) shownForms[slot] = form;
    Object.assign(rows, step.rows);
  };
  const drawnForms = story.slots.map(() => -1);
  const go = (target) => {
    const place = Math.max(0, Math.min(target, story.steps.length - 1));
    if (!story.steps.length) return words.empty;
    if (place < at) {
      at = -1;
      shownForms = story.slots.map(() => -1);
      rows = { ...story.first };
    }
    const before = rows;
    rows = { ...rows };
    while (at < place) forward(story.steps[++at]);
    shownForms.forEach((form, slot) => {
      const drawn = drawnForms[slot];
      if (drawn === form) return;
      if (drawn >= 0) forms[slot][drawn].setAttribute("display", "none");
      if (form >= 0) forms[slot][form].removeAttribute("display");
      drawnForms[slot] = form;
    });
    const step = story.steps[place];
    const lit = new Set(step.lit.map(plain));
    forms.forEach((all, slot) => {
      const now = story.slots[slot].kind === "box" && lit.has(plain(story.slots[slot].keys[0]));
      for (const group of all) group.classList.toggle("anb-now", now);
    });
    lines.forEach((item, index) => {
      const now = index === step.line;
      if (now === (item.getAttribute("aria-current") === "step")) return;
      if (now) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    const touched = Object.keys(step.rows);
    values.show(Object.keys(story.names).filter((key) => rows[key]).map((key) => ({
      key,
      cells: [story.names[key], [rows[key][0], rows[key][3]], [rows[key][1], rows[key][4]], rows[key][2]],
      marks: [...(touched.includes(key) ? ["new"] : []), ...(pointed.includes(key) ? ["lit"] : [])],
    })));
    graph.speak(step.sentence);
    keepInSight(graph.element, forms.flat().filter((group) => group.classList.contains("anb-now") && !group.hasAttribute("display")));
    keepInSight(codeBox, lines[step.line] ? [lines[step.line]] : []);
    return step.sentence;
  };
  const codeBox = make("div", { class: "anb-code-box anb-scrolls", role: "group", "aria-label": words.code, tabindex: "0" }, code);
  view.on(codeBox, "keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    let place = story.steps[Math.max(at, 0)]?.line + way;
    while (lines[place] && !stepsOfLine[place].length) place += way;
    if (lines[place]) jump(stepsOfLine[place][0]);
  });
  const high = height > HIGH && width <= BESIDE;
  const parts = make("div", { class: `anb-stage${high || !graph.wide ? " anb-beside" : ""}${high ? " anb-high" : ""}` },
    make("div", { class: "anb-graph" }, graph.element, graph.told, legend(view, story.legend).element),
    make("div", { class: "anb-texts" }, codeBox, values.element));
  parts.style.setProperty("--anb-wide", `${width + 2}px`); // a page's policy allows no attribute for it
  const sentence = make("p", { class: "anb-sentence" });
  const element = make("div", { class: "anb-panel anb-holder", role: "group", "aria-label": title }, make("p", { class: "anb-title", "aria-hidden": "true" }, title), parts);
  if (both) element.append(sentence);
  if (story.notice) element.append(make("p", { class: "anb-note" }, story.notice));
  return {
    element,
    parts,
    high,
    go(step) {
      const said = go(step);
      sentence.textContent = said;
      return said;
    },
  };
}

/** Scroll a box, and nothing around it, so that elements in it can be seen, the first of them at least. */
function keepInSight(box, elements) {
  if (!elements.length || (box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth)) return;
  const frame = box.getBoundingClientRect();
  const places = elements.map((each) => each.getBoundingClientRect());
  const missing = (low, high, from, to) => (low < from ? low - from - 12 : high > to ? Math.min(high - to + 12, low - from - 12) : 0);
  const ends = (low, high, size) => {
    const [first, last] = [Math.min(...places.map((each) => each[low])), Math.max(...places.map((each) => each[high]))];
    return last - first < size ? [first, last] : [places[0][low], places[0][high]];
  };
  box.scrollBy({
    left: missing(...ends("left", "right", box.clientWidth), frame.left, frame.left + box.clientWidth),
    top: missing(...ends("top", "bottom", box.clientHeight), frame.top, frame.top + box.clientHeight),
    behavior: reducedMotion() ? "auto" : "smooth",
  });
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

const [A_WORD, SHORTEST] = [300, 1500]; // milliseconds that a reader takes, of 200 words a minute; of a step at least

function render({ model, el }) {
  const words = model.get("words");
  const view = new View({ model, el }, words.title);
  view.status.classList.add("anb-sentence");
  const stagesBox = make("div", { class: "anb-stages" }, make("p", { class: "anb-note" }, words.loading));
  const counter = make("span", { class: "anb-note anb-counter" });
  const last = () => Math.max(0, view.get("count") - 1);
  let stages = [];
  let stop = null;
  let shownStep = -1;
  let shownAt = 0;

  const draw = () => {
    const step = view.get("step");
    range.value = step;
    range.setAttribute("aria-valuetext", fill(words.of, { step: step + 1, count: view.get("count") }));
    counter.textContent = fill(words.of, { step: step + 1, count: view.get("count") });
    const said = stages.map((each) => each.go(step));
    if (stages.length) view.say(stages.length > 1 ? said.map((each, place) => `${view.get("titles")[place]}: ${each}`).join("\n") : said[0]);
    if (shownStep !== step) shownAt = performance.now();
    shownStep = step;
  };
  /** When the next step is to come: each sentence stays as long as it takes to read. */
  const due = () => {
    const words = view.status.textContent.split(/\s+/).length;
    const wait = Math.max(SHORTEST, words * A_WORD) / view.get("speed");
    return Math.max(SHORTEST / view.get("speed"), shownAt + wait - performance.now());
  };
  const go = (step) => {
    const wanted = Math.max(0, Math.min(step, last()));
    if (wanted !== view.get("step")) view.set({ step: wanted });
    if (wanted !== shownStep) draw();
  };
  const user = (step) => {
    pause();
    go(step);
  };
  const pause = () => {
    stop?.();
    stop = null;
    play.name(`▶ ${words.play}`);
    play.show(false);
  };
  const tick = () => {
    if (view.get("step") >= last()) return pause();
    go(view.get("step") + 1);
    stop = view.later(due(), tick);
  };
  const toggle_ = () => {
    if (stop) return pause();
    play.name(`❚❚ ${words.pause}`);
    play.show(true);
    if (view.get("step") >= last()) go(0);
    stop = view.later(due(), tick);
  };
  const play = button(view, `▶ ${words.play}`, toggle_, { pressed: false });
  const range = make("input", { type: "range", min: 0, max: last(), step: 1, "aria-label": words.position, ".value": 0 });
  view.on(range, "input", () => user(Number(range.value)));
  const speed = choice(view, { label: words.speed, choices: Object.entries(words.speeds), value: String(view.get("speed")), change: (value) => view.set({ speed: Number(value) }) });
  const detail = choice(view, { label: words.detail, choices: Object.entries(words.details), value: view.get("detail"), change: (value) => { pause(); view.set({ detail: value }); } });
  const bar = make("div", { class: "anb-row anb-bar-of-steps" },
    button(view, "|◀", () => user(0), { label: words.first, title: words.first }).element,
    button(view, "◀", () => user(view.get("step") - 1), { label: words.back, title: words.back }).element,
    play.element,
    button(view, "▶", () => user(view.get("step") + 1), { label: words.on, title: words.on }).element,
    button(view, "▶|", () => user(last()), { label: words.last, title: words.last }).element,
    range, counter, speed.element, detail.element);

  const keys = { ArrowLeft: () => user(view.get("step") - 1), ArrowRight: () => user(view.get("step") + 1), Home: () => user(0), End: () => user(last()), " ": toggle_ };
  view.on(view.root, "keydown", (event) => {
    const action = keys[event.key];
    const busy = event.target.closest("select, input:not([type=range]), textarea") || (event.key === " " && event.target.closest("button"));
    if (!action || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });

  let asked = 0;
  let stories = [];
  let near = false; // what is far down a page is drawn when a reader comes to it, or prints the page
  const load = async () => {
    const packed = view.get("stories");
    const mine = ++asked;
    if (!packed.length) return near && view.ask("tell");
    const told = await Promise.all(packed.map(unpacked));
    if (mine !== asked || view.ending.signal.aborted) return;
    stories = told;
    if (near) build();
  };
  const build = () => {
    const titles = view.get("titles");
    stages = stories.map((story, place) => stage(view, story, titles[place], { jump: user, both: stories.length > 1 }));
    stagesBox.replaceChildren(...stages.map((each) => each.element));
    view.status.classList.toggle("anb-hidden", stages.length > 1); // each stage shows its own sentence; this is for listeners
    if (stages.length === 1 && stages[0].high) stages[0].parts.prepend(view.status);
    else bar.after(view.status);
    range.max = last();
    shownStep = -1;
    draw();
  };
  const come = () => {
    if (near) return;
    near = true;
    sight.disconnect();
    if (stories.length) build();
    else load();
  };
  const sight = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && come(), { rootMargin: "600px" }); // JupyterLab's panels allow no margin
  sight.observe(view.root);
  view.on(window, "beforeprint", come);
  view.watch("speed", (value) => speed.show(String(value)));
  view.watch("detail", detail.show);
  view.watch("count", () => {
    range.max = last();
  });
  view.watchEvent("change:step", () => view.get("step") !== shownStep && draw());
  view.watchEvent("change:stories", load);
  view.root.append(bar, view.status, stagesBox, make("p", { class: "anb-note" }, `${words.keys} ${words.leave}`));
  load();
  return () => {
    sight.disconnect();
    view.end();
  };
}

export default { render };
