// A lesson: Python says which parts are on its page, and their contents.  Each kind of part is drawn here.

/** Controls of a trait, by kind. */
const CONTROLS = {
  toggle,
  choice,
  slider,
  text(options, view) {
    const onkeydown = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      if (event.target.value === options.value) view.ask("run");
      else event.target.dispatchEvent(new Event("change"));
    };
    return text(options.rows ? { ...options, onkeydown } : options);
  },
  sliders: (options, view, trait) => html`<${Sliders} trait=${trait} ...${options} />`,
};

/** A slider for each number of a list, around the first numbers of the list. */
function Sliders({ trait, label, name, value, change }) {
  const { current: first } = useRef(value);
  return panel(label, value.map((each, place) => {
    const max = Math.max(5, 2 * Math.abs(first[place]));
    const set = (wish) => change(value.with(place, wish));
    return slider({ label: `${trait}[${place}]`, name: fill(name, { place }), min: -max, max, step: max / 50, value: each, change: set });
  }));
}

/** A control; Python may say that it has no effect, and why, and how far it goes. */
function control(view, { kind, name: trait, ...part }) {
  const { off = {}, ranges = {} } = view.get("shown");
  const options = { ...part, name: view.words[`${trait}_name`] ?? part.label, disabled: trait in off, ...bound(view, trait) };
  if (trait in ranges) [options.min, options.max] = ranges[trait];
  if (view.get("blamed").includes(trait)) options["aria-invalid"] = true;
  return html`<div class="anb-control">${CONTROLS[kind](options, view, trait)}<span class="anb-note">${off[trait]}</span></div>`;
}

// While one step follows another: steps for one picture, and milliseconds at least between two pictures.
const PACE = { moving: [2, 40], still: [20, 1000] };
const SPOKEN = 2000; // then: milliseconds between two sentences for a screen reader

/** A button that asks for one step after another.  A stream of sentences helps nobody: a screen reader gets one now and
 *  then, and the last one at a pause. */
function Player({ view, label, pause, begun, do: what }) {
  const { words } = view;
  const [count, between] = PACE[reducedMotion() ? "still" : "moving"];
  const { current: own } = useRef({ turn: Infinity }); // driving: whether this view, of several, asks for steps
  const [spoken, speak] = useState("");
  const [playing, heard, status] = ["playing", "heard", "status"].map((trait) => view.get(trait));
  const say = (text) => {
    own.said = performance.now();
    speak(text);
  };
  const ask = () => {
    view.ask(what, { count });
    Object.assign(own, { turn: view.awaited, at: performance.now() });
  };
  const play = (on) => {
    own.driving = on;
    view.set({ playing: on });
    if (on) ask();
  };
  useLayoutEffect(() => {
    own.driving &&= playing;
    say(own.driving ? words[begun] : "");
  }, [playing]);
  useLayoutEffect(() => {
    if (!own.driving || heard < own.turn) return;
    own.turn = Infinity;
    view.later(Math.max(0, between - (performance.now() - own.at)), () => own.driving && ask());
  }, [heard]);
  useLayoutEffect(() => {
    if (own.driving && performance.now() - own.said >= SPOKEN) say(status);
  }, [status]);
  useLayoutEffect(() => () => own.driving && play(false), []);
  return html`<span>${button(playing ? words[pause] : label, () => play(!playing), { "aria-pressed": playing })}
    <div class="anb-hidden" role="status" aria-live="polite">${spoken}</div></span>`;
}

/** The texts of the entries in a chart; go(to) chooses this one, step(by) the next or the one before. */
function chooser(view) {
  const { texts = [] } = view.get("shown");
  const go = (to) => view.set({ chosen: Math.min(texts.length - 1, to) });
  return { text: texts.slice(0, view.get("chosen") + 1).at(-1), go, step: (by) => go(Math.max(0, view.get("chosen") + by)) };
}

/** A chart; drag: traits that a pointer sets, across and up; choose: in "row 1" a click chooses 1, and so do arrow keys. */
function chart(view, { name, label, drag, choose }, picture) {
  if (!picture) return "";
  const { go, step } = chooser(view);
  const handlers = drag ? dragging(drag, picture.axes, (traits) => view.set(traits))
    : choose && {
      choose: (key) => key?.startsWith(`${choose} `) && go(Number(key.slice(choose.length))),
      onkeydown: onKeys({ ...arrows(step), Home: () => go(-1) }),
      marks: { "anb-lit": [`${choose} ${view.get("chosen")}`] },
    };
  return html`<${Picture} key=${name} view=${view} label=${label} size=${picture.size} groups=${picture.groups} spoken=${picture.text} ...${handlers}
    smallest=${0.9 /* its small letters are 11 pixels high */} kind=${classes(drag && "anb-draggable", choose && "anb-chosen")} />`;
}

/** The sentence about the whole, or about the chosen entry of a chart. */
function Status({ view }) {
  const playing = view.get("playing");
  const [silent, hush] = useState(false);
  useLayoutEffect(() => {
    hush(playing === false); // after a pause a screen reader gets the sentence again
    return view.later(50, () => hush(false));
  }, [playing]);
  const said = chooser(view).text ?? view.get("status");
  return html`<p class="anb-status" role="status" aria-live=${playing ? "off" : "polite"}>${!silent && said}</p>`;
}

/** Other parts of a page, by kind; `run` gave the value for its name. */
const PARTS = {
  status: (view) => html`<${Status} view=${view} />`,
  chart,
  play: (view, part) => html`<${Player} view=${view} ...${part} />`,
  button: (view, { name, label, do: what, details }) => button(label, () => view.ask(what, details), { disabled: name in (view.get("shown").off ?? {}) }),
  /** A choice that asks Python to do something. */
  menu: (view, { label, choices, do: what }, value = "") => choice({ label, choices, value, change: (name) => view.ask(what, { name }) }),
  chooser(view) {
    const { go, step } = chooser(view);
    const { before, after, all } = view.words;
    return html`<div class="anb-row" data-in-page="">${button(before, () => step(-1))}${button(after, () => step(1))}${button(all, () => go(-1))}</div>`;
  },
  note: (view, part, value) => html`<p class="anb-note">${value}</p>`,
  code(view, { label }, value) {
    const code = html`<pre class="anb-code">${value}</pre>`;
    return label ? panel(label, code) : code;
  },
  list: (view, { label }, texts = []) => html`<div><h4>${label}</h4><ol class="anb-links">${texts.map((each) => html`<li>${each}</li>`)}</ol></div>`,
  table: (view, { label, columns }, rows = []) =>
    html`<${Table} caption=${label} columns=${view.words[columns]} rows=${rows.map((cells, key) => ({ key: String(key), cells }))} />`,
  /** A long message: {ok, lines: [[tag or "warning", text]]}. */
  message: (view, part, { ok, lines } = { lines: [] }) =>
    html`<div role="status" aria-live="polite" class=${classes(ok !== undefined && "anb-said", ok && "anb-fine", ok === false && "anb-error")}>
      ${lines.filter(([, text]) => text).map(([tag, text]) => (tag === "warning" ? html`<p class="anb-warning">${text}</p>` : h(tag, {}, text)))}</div>`,
};

/** A part of the page, with the words of its name. */
function part(view, { kind, parts, name, label = name, choices, ...rest }) {
  if (parts) return html`<div class="anb-lesson-${kind}">${parts.map((each) => part(view, each))}</div>`;
  const { words, words: { choices: texts = {} } } = view;
  const worded = { ...rest, name, label: words[label] ?? label, choices: choices?.map((value) => [value, texts[value] ?? value]) };
  return kind in CONTROLS ? control(view, { kind, ...worded }) : PARTS[kind](view, worded, view.get("shown")[name] ?? undefined);
}

function Lesson({ view }) {
  const problem = view.get("problem");
  view.root.classList.toggle("anb-stale", Boolean(problem));
  return html`${!view.lost && html`<p class="anb-trouble" role="alert" hidden=${!problem}>${problem}</p>`}<p class="anb-lead">${view.words.lead}</p>
    ${view.get("sheet").map((each) => part(view, each))}<${UndoMenu} view=${view} />`;
}

export default defineWidget(Lesson, ["chosen"]);
