// A lesson: Python says which parts stand on its page, and what is in them.  Each kind of part is made here.

/** Set a trait to what a control says. */
const puts = (view, name) => (value) => view.set({ [name]: value });

/** Controls, by kind: each shows the trait of its name and sets it. */
const CONTROLS = {
  slider(view, { name, label, spoken, min, max, whole, signed, ...options }) {
    const sign = () => (signed && view.get(name) < 0 ? -1 : 1);
    const fits = (value) => (whole ? Math.min(max, Math.max(min, Math.round(value))) : sign() * value);
    const change = (value) => puts(view, name)(fits(value));
    const made = slider(view, { ...options, label, name: spoken, min, max, value: sign() * view.get(name), change });
    return { ...made, show: (value) => made.show(sign() * value) };
  },
  /** The sign of a `signed` slider. */
  sign(view, { name, label }) {
    const change = (less) => view.set({ [name]: (less ? -1 : 1) * Math.abs(view.get(name)) });
    const made = toggle(view, { label, value: view.get(name) < 0, change });
    return { ...made, show: (value) => made.show(value < 0) };
  },
  toggle: (view, { name, label }) => toggle(view, { label, value: view.get(name), change: puts(view, name) }),
  choice: (view, { name, label, choices }) => choice(view, { label, choices, value: view.get(name), change: puts(view, name) }),
  text(view, { name, label, spoken, rows }) {
    const made = text(view, { label, name: spoken ?? undefined, rows, value: view.get(name), change: puts(view, name) });
    if (!rows) return made;
    made.element.classList.add("anb-box");
    view.on(made.input, "keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      if (made.input.value === view.get(name)) view.ask("run");
      else made.input.dispatchEvent(new Event("change"));
    });
    return made;
  },
  /** A slider for each number of a list. */
  sliders(view, { name, label, spoken }) {
    const made = view.get(name).map((value, place) => {
      const max = Math.max(5, 2 * Math.abs(value));
      const change = (each) => view.set({ [name]: view.get(name).with(place, each) });
      return slider(view, { label: `${name}[${place}]`, name: fill(spoken, { place }), min: -max, max, step: max / 50, value, change });
    });
    return { element: panel(label, ...made.map((each) => each.element)), show: (values) => values.forEach((value, place) => made[place]?.show(value)) };
  },
};

// While one step follows another: steps for one picture, and milliseconds at least between two pictures.
const PACE = { moving: [2, 40], still: [20, 1000] };
const SPOKEN = 2000; // then: milliseconds between two sentences that are read out

/** A button that asks for one step after another.  A stream of sentences helps nobody: one is read out now and then, and
 *  the last one when it pauses. */
function player(view, { label, pause, begun, do: what }) {
  const [count, between] = PACE[reducedMotion() ? "still" : "moving"];
  let driving = false; // of several views, the one that was told to asks for steps
  let asked = { turn: Infinity, at: 0 };
  let told = 0;
  const spoken = make("div", { class: "anb-hidden", role: "status", "aria-live": "polite" });
  const ask = () => {
    view.ask(what, { count });
    asked = { turn: view.awaited, at: performance.now() };
  };
  const play = (on) => {
    driving = on;
    view.set({ playing: on });
    if (on) ask();
  };
  const plays = button(view, label, () => play(!view.get("playing")), { pressed: false });
  view.watch("playing", (playing) => {
    driving = driving && playing;
    plays.show(playing);
    plays.name(playing ? pause : label);
    view.status.setAttribute("aria-live", playing ? "off" : "polite");
    told = performance.now();
    spoken.textContent = driving ? begun : "";
    if (playing) return;
    view.later(50, () => {
      view.say("");
      view.say(view.get("status"));
    });
  });
  view.watchEvent("change:heard", () => {
    if (!driving || view.get("heard") < asked.turn) return;
    asked.turn = Infinity;
    view.later(Math.max(0, between - (performance.now() - asked.at)), () => driving && ask());
  });
  view.watch("status", (status) => {
    if (!driving || performance.now() - told < SPOKEN) return;
    told = performance.now();
    spoken.textContent = status;
  });
  view.ending.signal.addEventListener("abort", () => driving && play(false));
  return { element: make("span", {}, plays.element, spoken) };
}

/** What else stands on a page, by kind: show(value) takes what `run` gave for the name. */
const PARTS = {
  play: player,
  button: (view, { label, do: what, details }) => button(view, label, () => view.ask(what, details)),
  /** A choice that asks Python to do something. */
  menu: (view, { label, choices, do: what }) => choice(view, { label, choices, value: "", change: (name) => view.ask(what, { name }) }),
  chooser(view) {
    const { go, step } = chooser(view);
    const { before, after, all } = view.words;
    const buttons = row(button(view, before, () => step(-1)), button(view, after, () => step(1)), button(view, all, () => go(-1)));
    buttons.dataset.inPage = "";
    return { element: buttons };
  },
  note(view, { label }) {
    const element = make("p", { class: "anb-note" }, label);
    return { element, show: (value) => (element.textContent = value) };
  },
  code(view, { label }) {
    const code = make("pre", { class: "anb-code" });
    return { element: label ? panel(label, code) : code, show: (value) => (code.textContent = value) };
  },
  list(view, { label }) {
    const list = make("ol", { class: "anb-links" });
    const show = (texts) => list.replaceChildren(...texts.map((each) => make("li", {}, each)));
    return { element: make("div", {}, make("h4", {}, label), list), show };
  },
  table(view, { label, columns }) {
    const made = table(view, { caption: label, columns });
    return { element: made.element, show: (rows) => made.show(rows.map((cells, key) => ({ key: String(key), cells }))) };
  },
  /** What is said at length: {ok, lines: [[tag or "warning", text]]}. */
  message() {
    const element = make("div", { role: "status", "aria-live": "polite" });
    const line = ([tag, text]) => (tag === "warning" ? make("p", { class: "anb-warning" }, text) : make(tag, {}, text));
    const show = ({ ok, lines }) => {
      element.className = `anb-said ${ok ? "anb-fine" : "anb-error"}`;
      element.replaceChildren(...lines.filter(([, text]) => text).map(line));
    };
    return { element, show };
  },
};

/** What is looked at in charts: go(to) chooses it, and step(by) the next or the one before. */
function chooser(view) {
  const last = () => Math.max(...Object.values(view.get("changes")).map(({ looks }) => looks.length - 2));
  const go = (to) => view.set({ chosen: Math.min(last(), to) });
  return { go, step: (by) => go(Math.max(0, view.get("chosen") + by)) };
}

/** A chart; drag: traits that a pointer sets, across and up; choose: in "row 1" a click chooses 1, and so do arrow keys. */
function charted(view, { name, label, drag, choose }) {
  const { go, step } = chooser(view);
  const looks = () => view.get("changes")[name]?.looks ?? [];
  const made = picture(view, {
    label,
    smallest: 0.9, // its small letters are 11 pixels high
    choose: choose && ((key) => key.startsWith(`${choose} `) && go(Number(key.slice(choose.length)))),
  });
  const show = () => {
    const at = choose ? Math.min(view.get("chosen") + 1, looks().length - 1) : 0;
    if (at in looks()) made.follow(view.get("bases")[name], looks()[at]);
    if (choose) view.say(at > 0 ? looks()[at].text : view.get("status"));
  };
  for (const trait of ["changes", "chosen", "status"]) view.watch(trait, show);
  const axes = () => view.get("changes")[name].axes;
  if (drag) {
    dragged(view, made, () => axes().sides, (...shares) => view.set(Object.fromEntries(drag.map((trait, place) => {
      const [from, to] = axes().ends[place];
      return [trait, Number((from + shares[place] * (to - from)).toPrecision(4))];
    }))));
  }
  if (choose) {
    made.frame.classList.add("anb-chosen");
    view.on(made.frame, "keydown", (event) => {
      const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: 0 }[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (by) step(by);
      else go(-1);
    });
  }
  return made;
}

/** A control that can be told that it has no effect, and why, and how far it goes. */
function controlled(view, part) {
  const made = CONTROLS[part.kind](view, part);
  const why = make("span", { class: "anb-note" });
  let reach = "";
  const element = make("div", { class: "anb-control" }, made.element, why);
  view.watch(part.name, (value) => made.show(value));
  view.watch("shown", ({ off = {}, ranges = {} }) => {
    why.textContent = off[part.name] ?? "";
    for (const input of element.querySelectorAll("input, select, textarea")) input.disabled = part.name in off;
    if (!(part.name in ranges) || reach === (reach = String(ranges[part.name]))) return;
    [made.range.min, made.range.max] = ranges[part.name];
    made.show(view.get(part.name));
  });
  return element;
}

/** The element of a part of the page. */
function built(view, part) {
  const { kind, name, parts } = part;
  if (parts) return make("div", { class: `anb-lesson-${kind}` }, ...parts.map((each) => built(view, each)));
  if (kind === "status") return view.status;
  if (kind === "chart") return charted(view, part).element;
  if (kind in CONTROLS) return controlled(view, part);
  const made = PARTS[kind](view, part);
  view.watch("shown", (shown) => name in shown && made.show(shown[name]));
  return made.element;
}

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  view.inPage = ["chosen"];
  view.follow();
  view.watch("problem", (problem) => view.root.classList.toggle("anb-stale", Boolean(problem)));
  const parts = view.get("sheet").map((part) => built(view, part));
  view.root.append(make("p", { class: "anb-lead" }, view.words.lead), ...parts, history(view).element);
  return () => view.end();
}

export default { render };
