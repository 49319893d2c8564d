// The stepper's front end: the picture, the code and the values of a story, step by step.

/** A story that Python packed: deflated JSON. */
async function unpacked(bytes) {
  const buffer = bytes.buffer ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : bytes;
  const stream = new Blob([buffer]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

const HIGH = 360, BESIDE = 560; // pixels from which a picture has the sentence beside it, and up to which it is so wide

/** The code of a story: who points at a line sees what belongs to it, who chooses one jumps to its first step. */
function code(view, story, { jump, light, at }) {
  const lines = story.code.map((line, place) => make("li", { "data-line": place, tabindex: "-1", value: line.number }, make("code", {}, line.text || " ")));
  const several = new Set(story.code.map((each) => each.file)).size > 1;
  const list = make("ol", { class: "anb-lines" }, ...lines.flatMap((item, place) => {
    const line = story.code[place];
    const head = several && line.file !== story.code[place - 1]?.file ? [make("li", { class: "anb-file" }, line.file)] : [];
    return [...head, item];
  }));
  const stepsOfLine = story.code.map(() => []);
  story.steps.forEach((step, place) => stepsOfLine[step.line]?.push(place));
  const keysOfLine = stepsOfLine.map((steps) => [...new Set(steps.flatMap((place) => story.steps[place].lit.map(plain)))]);
  const lineOf = (event) => event.target.closest("[data-line]")?.dataset.line;
  view.on(list, "click", (event) => {
    const steps = stepsOfLine[lineOf(event)];
    if (steps?.length) jump(steps[0]);
  });
  view.on(list, "pointerover", (event) => {
    const place = lineOf(event);
    light(place === undefined ? [] : keysOfLine[place], place === undefined ? 0 : Number(place) + 1);
  });
  view.on(list, "pointerleave", () => light([]));
  const element = make("div", { class: "anb-code-box anb-scrolls", role: "group", "aria-label": view.words.code, tabindex: "0" }, list);
  view.on(element, "keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    let place = story.steps[Math.max(at(), 0)]?.line + way;
    while (lines[place] && !stepsOfLine[place].length) place += way;
    if (lines[place]) jump(stepsOfLine[place][0]);
  });
  return {
    element,
    /** Mark what belongs to these keys, or one line, counted from 1. */
    light: (keys, line) => lines.forEach((item, place) => item.classList.toggle("anb-lit", line ? place === line - 1 : keys.length > 0 && keysOfLine[place].some((key) => keys.includes(key)))),
    show: (now) => {
      lines.forEach((item, index) => {
        if ((index === now) === (item.getAttribute("aria-current") === "step")) return;
        if (index === now) item.setAttribute("aria-current", "step");
        else item.removeAttribute("aria-current");
      });
      keepInSight(element, lines[now] ? [lines[now]] : []);
    },
  };
}

/** One story on a stage: picture, code and values of the step that go(step) shows. */
function stage(view, story, title, { jump, both }) {
  const words = view.words;
  let pointed = [];
  const light = (keys, line) => {
    pointed = keys;
    for (const each of [drawing, lines]) each.light(keys, line);
    values.mark(keys);
  };
  const point = (key) => light(key ? [plain(key)] : []);
  const follow = followed(story);
  const graph = picture(view, { label: `${words.graph}: ${title}`, point });
  const drawing = picturedForms(graph, story, title);
  const lines = code(view, story, { jump, light, at: follow.at });
  const values = table(view, { caption: words.values, columns: words.columns, point });
  const box = make("div", { class: "anb-values-box anb-scrolls", role: "group", "aria-label": words.values, tabindex: "0" }, values.element);
  const show = (target) => {
    if (!story.steps.length) return words.empty;
    const place = Math.max(0, Math.min(target, story.steps.length - 1));
    const { forms, rows } = follow.to(place);
    const step = story.steps[place];
    drawing.show(forms, new Set(step.lit.map(plain)));
    lines.show(step.line);
    values.show(Object.keys(story.names).filter((key) => rows[key]).map((key) => ({
      key,
      cells: [story.names[key], [rows[key][0], rows[key][3]], [rows[key][1], rows[key][4]], rows[key][2]],
      marks: [...(key in step.rows ? ["new"] : []), ...(pointed.includes(key) ? ["lit"] : [])],
    })));
    keepInSight(box, [...box.querySelectorAll(".anb-new")].slice(0, 1));
    graph.speak(step.sentence);
    return step.sentence;
  };
  const [width, height] = story.size;
  const high = height > HIGH && width <= BESIDE;
  const parts = make("div", { class: `anb-stage${high || !graph.wide ? " anb-beside" : ""}${high ? " anb-high" : ""}` },
    make("div", { class: "anb-graph" }, graph.element, graph.told, legend(view, story.legend).element),
    make("div", { class: "anb-texts" }, lines.element, box));
  parts.style.setProperty("--anb-wide", `${width + 2}px`); // a page's policy allows no attribute for it
  const sentence = make("p", { class: "anb-sentence" });
  const element = make("div", { class: "anb-panel anb-holder", role: "group", "aria-label": title }, make("p", { class: "anb-title", "aria-hidden": "true" }, title), parts);
  if (both) element.append(sentence);
  if (story.notice) element.append(make("p", { class: "anb-note" }, story.notice));
  const go = (step) => (sentence.textContent = show(step));
  return { element, parts, high, go };
}

const [A_WORD, SHORTEST] = [300, 1500]; // milliseconds that a reader takes, of 200 words a minute; of a step at least

/** What plays steps by themselves: next() makes one and says whether there is another. */
function player(view, { next, rewind }) {
  const words = view.words;
  let stop = null;
  let shownAt = 0;
  /** When the next step is to come: each sentence stays as long as it takes to read. */
  const due = () => {
    const count = view.status.textContent.split(/\s+/).length;
    const wait = Math.max(SHORTEST, count * A_WORD) / view.get("speed");
    return Math.max(SHORTEST / view.get("speed"), shownAt + wait - performance.now());
  };
  const pause = () => {
    stop?.();
    stop = null;
    play.name(`▶ ${words.play}`);
    play.show(false);
  };
  const tick = () => {
    if (!next()) return pause();
    stop = view.later(due(), tick);
  };
  const toggle = () => {
    if (stop) return pause();
    play.name(`❚❚ ${words.pause}`);
    play.show(true);
    rewind();
    stop = view.later(due(), tick);
  };
  const play = button(view, `▶ ${words.play}`, toggle, { pressed: false });
  return { element: play.element, pause, toggle, shown: () => (shownAt = performance.now()) };
}

/** A button that copies a link to the page in which the program is run and stepped, at the step that is shown. */
function linker(view) {
  const copy = button(view, view.words.link, async () => {
    const step = view.get("detail") === "fast" ? `&step=${view.get("step")}` : "";
    const address = view.get("link") + step;
    try {
      await navigator.clipboard.writeText(address);
      copy.name(view.words.copied);
    } catch {
      copy.element.replaceWith(make("a", { href: address }, address)); // where a page may not write there
    }
  });
  return copy.element;
}

/** The buttons and the slider for the steps; user(step) goes to one. */
function controls(view, { user, last, play }) {
  const words = view.words;
  const way = (sign, name, target) => button(view, sign, () => user(target()), { label: name, title: name }).element;
  const on = (by) => () => view.get("step") + by;
  const range = make("input", { type: "range", min: 0, max: last(), step: 1, "aria-label": words.position, ".value": 0 });
  view.on(range, "input", () => user(Number(range.value)));
  const counter = make("span", { class: "anb-note anb-counter" });
  const speed = choice(view, { label: words.speed, choices: Object.entries(words.speeds), value: String(view.get("speed")), change: (value) => view.set({ speed: Number(value) }) });
  const detail = choice(view, { label: words.detail, choices: Object.entries(words.details), value: view.get("detail"), change: (value) => { play.pause(); view.set({ detail: value }); } });
  speed.element.dataset.inPage = "";
  const more = make("details", { class: "anb-history" }, make("summary", {}, words.more), make("div", { class: "anb-row" }, speed.element, detail.element));
  const goal = choice(view, { label: words.go, choices: [], value: "", change: (place) => { user(Number(place)); goal.show(""); } });
  const element = make("div", { class: "anb-row anb-bar-of-steps" },
    make("div", { class: "anb-in-page", "data-in-page": true },
      way("|◀", words.first, () => 0), way("◀", words.back, on(-1)), play.element, way("▶", words.on, on(1)), way("▶|", words.last, last),
      range, counter),
    more);
  if (view.get("link")) element.append(linker(view));
  const keys = { ArrowLeft: () => user(on(-1)()), ArrowRight: () => user(on(1)()), Home: () => user(0), End: () => user(last()), " ": play.toggle };
  view.on(view.root, "keydown", (event) => {
    const action = keys[event.key];
    const busy = event.target.closest("select, input:not([type=range]), textarea") || (event.key === " " && event.target.closest("button"));
    if (!action || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  const count = () => (range.max = last());
  view.watch("speed", (value) => speed.show(String(value)));
  view.watch("detail", detail.show);
  view.watch("count", count);
  return {
    element,
    count,
    /** Offer places of a long story: pairs of what is there and the step. */
    offer: (places) => {
      goal.element.remove();
      goal.select.replaceChildren(...[["…", ""], ...places].map(([text, value]) => make("option", { value }, text)));
      if (places.length) element.append(goal.element);
    },
    show: (step) => {
      const said = fill(words.of, { step: step + 1, count: view.get("count") });
      range.value = step;
      range.setAttribute("aria-valuetext", said);
      counter.textContent = said;
    },
  };
}

function render({ model, el }) {
  const words = model.get("words");
  const view = new View({ model, el }, words.title);
  view.inPage = ["step", "speed"];
  view.status.classList.add("anb-sentence");
  const stagesBox = make("div", { class: "anb-stages" }, make("p", { class: "anb-note" }, words.loading));
  const last = () => Math.max(0, view.get("count") - 1);
  let stages = [];
  let shownStep = -1;

  const draw = () => {
    const step = view.get("step");
    bar.show(step);
    const said = stages.map((each) => each.go(step));
    if (stages.length) view.say(stages.length > 1 ? said.map((each, place) => `${view.get("titles")[place]}: ${each}`).join("\n") : said[0]);
    if (shownStep !== step) play.shown();
    shownStep = step;
  };
  const go = (step) => {
    const wanted = Math.max(0, Math.min(step, last()));
    if (wanted !== view.get("step")) view.set({ step: wanted });
    if (wanted !== shownStep) draw();
  };
  const user = (step) => {
    play.pause();
    go(step);
  };
  const next = () => {
    const step = view.get("step");
    if (step < last()) go(step + 1);
    return step < last();
  };
  const play = player(view, { next, rewind: () => view.get("step") >= last() && go(0) });
  const bar = controls(view, { user, last, play });

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
    else bar.element.after(view.status);
    bar.count();
    bar.offer(stories[0].places ?? []);
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
  view.watchEvent("change:step", () => view.get("step") !== shownStep && draw());
  view.watchEvent("change:stories", load);
  view.root.append(bar.element, view.status, stagesBox, make("p", { class: "anb-note" }, `${words.keys} ${words.leave}`));
  load();
  return () => {
    sight.disconnect();
    view.end();
  };
}

export default { render };
