// The code that all widgets share in the browser: controls, and a view, which draws its traits whenever they change.
// It computes nothing: numbers and messages come from Python, words from the trait `words`.

const { h, html, createContext, useContext, useLayoutEffect, useMemo, useRef, useState } = preact;
const Viewed = createContext(); // the view that a component is in

/** Text with its {places} filled in. */
const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in facts ? facts[name] : whole));

/** A number as a field shows it: as short as possible, with at most six digits. */
const format = (value) => String(Number(value.toPrecision(6)));

/** The texts that are not false, as classes. */
const classes = (...names) => names.filter(Boolean).join(" ");

/** Whether a key is the widget's, not a shortcut of the notebook: Ctrl+S saves and Shift+Enter runs the cell wherever
 *  the focus is.  A text field needs the keys that edit, and a box of several lines needs Enter. */
function isOwn({ key, target, ctrlKey, metaKey, altKey, shiftKey }) {
  const enter = key === "Enter";
  if (ctrlKey || metaKey) return /^[acvxyz]$/i.test(key) || (enter && target.localName === "textarea");
  return !altKey && !(enter && shiftKey && target.localName !== "textarea");
}

/** A handler that runs the action of a key, unless the key is part of a shortcut or belongs to a field. */
const onKeys = (actions) => (event) => {
  const { key, target } = event;
  const inField = target.closest("select, input:not([type=range]), textarea") || (key === " " && target.closest("button"));
  if (!(key in actions) || inField || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[key]();
};

/** Actions of the arrow keys: move(-1) goes to the one before, move(1) to the next. */
const arrows = (move) => ({ ArrowUp: () => move(-1), ArrowLeft: () => move(-1), ArrowDown: () => move(1), ArrowRight: () => move(1) });

/** One view of a widget: its root, and everything that ends with it. */
class View {
  /** inPage: traits that can be set without a kernel. */
  constructor({ model, el }, label, inPage = []) {
    Object.assign(this, {
      model, inPage, words: model.get("words"), ending: new AbortController(),
      read: new Set(), // traits that the component has read
      gesture: {}, drafts: 0, // a refused text goes when the number of drafts changes
    });
    this.root = el.appendChild(document.createElement("div"));
    Object.assign(this.root, { className: "anb", role: "group", ariaLabel: label });
    // JupyterLab's command mode would take letters and arrows.  Esc gives the focus back to it, Tab moves on.
    this.on(this.root, "keydown", (event) => {
      if (event.key === "Escape") this.root.parentElement?.closest("[tabindex]")?.focus();
      else if (event.key !== "Tab" && isOwn(event)) event.stopPropagation();
    });
    // Notebook 7 looks for shortcuts before a widget sees the key, but not in elements that bear this attribute.
    this.on(window, "keydown", (event) => {
      if (this.root.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", isOwn(event));
    }, { capture: true });
    this.watchEvent("change:heard", () => this.model.get("heard") >= this.awaited && this.wait(0));
    for (const event of ["comm_live_update", "comm:close"]) this.watchEvent(event, () => this.lose());
    for (const event of ["pointerdown", "keydown"]) this.on(this.root, event, (what) => this.reach(this.begin(what)), { capture: true });
    for (const event of ["pointerup", "pointercancel"]) this.on(window, event, () => (this.gesture.held &&= this.redraw()), { capture: true });
    if (model.comm_live === false) this.lose();
  }

  /** Begin a gesture, which one undo takes back: from a pointer's down to its up, or a run of one key. */
  begin({ type, target, key, timeStamp: at }) {
    const last = this.gesture;
    const goes = key && key === last.key && target === last.target && at - last.at < 1000;
    this.gesture = { number: goes ? last.number : Math.random(), target, key, at, held: type === "pointerdown" };
  }

  /** Find out whether the kernel still runs: JupyterLab does not say when somebody shuts it down. */
  reach() {
    try {
      if (!this.lost) this.model.send({});
    } catch {
      this.lose();
    }
  }

  /** The kernel is gone: say so, and disable all controls but those in `data-in-page`, which need no kernel. */
  lose() {
    this.lost = true;
    this.wait(0);
  }

  /** Show a component now, and again when a trait that it has read changes. */
  draw(Body = this.Body) {
    this.Body = Body;
    const { activeElement: here } = this.root.getRootNode();
    const all = () => [...this.root.querySelectorAll("button, input, select, textarea, summary, [tabindex]")];
    const order = this.root.contains(here) ? all() : [];
    preact.render(html`<${Viewed.Provider} value=${this}>
      ${this.lost && html`<p class="anb-trouble" role="alert">${this.words.disconnected}</p>`}
      <p class="anb-working" role="status" hidden=${!this.late}>${this.late && this.words.working}</p>
      <${Body} view=${this} />
    <//>`, this.root);
    for (const each of this.lost ? all() : []) each.disabled ||= !each.closest("[data-in-page]");
    // Where the focus was, perhaps nothing can have it any more: then its neighbour gets it.
    const able = (each) => this.root.contains(each) && !each.disabled && each.checkVisibility();
    const at = order.indexOf(here) + 1, { activeElement: now } = this.root.getRootNode();
    if (!able(now)) [...order.slice(0, at).reverse(), ...order.slice(at)].find(able)?.focus({ preventScroll: true });
  }

  /** Draw once, after all changes of this moment. */
  redraw() {
    this.drawing ??= Promise.resolve().then(() => {
      this.drawing = null;
      if (this.Body && !this.ending.signal.aborted) this.draw();
    });
  }

  /** Listen to an element's event until the view ends. */
  on(target, event, handler, options = {}) {
    target.addEventListener(event, handler, { ...options, signal: this.ending.signal });
  }

  watchEvent(event, handler) {
    this.model.on(event, handler);
    this.ending.signal.addEventListener("abort", () => this.model.off(event, handler));
  }

  /** A trait's value; when it changes, the view draws anew. */
  get(trait) {
    if (!this.read.has(trait)) {
      this.read.add(trait);
      this.watchEvent(`change:${trait}`, () => {
        this.keep();
        this.redraw();
      });
    }
    return this.model.get(trait);
  }

  /** Set traits, here and in Python. */
  set(traits) {
    const entries = Object.entries(traits);
    if (this.lost) {
      for (const [name, value] of entries) if (this.inPage.includes(name)) this.model.set(name, value);
      return;
    }
    // This does not set a value again: that would undo a change which Python makes meanwhile.
    const same = ([name, value]) => JSON.stringify(value) === JSON.stringify(this.model.get(name));
    if (entries.every(same) && !this.unheard().some((deed) => deed.do)) return;
    for (const [name] of entries) this.get(name);
    this.log({ set: traits, gesture: this.gesture.number });
    this.keep();
    this.model.save_changes(this.nudging());
  }

  /** Keep the values that were set here until Python has received them: until then Python's own are older. */
  keep() {
    if (this.lost) return;
    const last = Object.assign({}, ...this.unheard().map((deed) => deed.set));
    for (const [name, value] of Object.entries(last)) this.model.set(name, value);
  }

  /** The deeds that Python has not confirmed. */
  unheard() {
    return (this.model.get("log") ?? []).filter(({ turn }) => turn > this.model.get("heard"));
  }

  /** Ask Python to do something: its method do_<what>. */
  ask(what, details = {}) {
    if (what === "undo" || what === "reset") this.drafts += 1;
    if (!this.lost) this.model.send({ log: this.log({ do: what, details }) }, this.nudging());
  }

  /** All deeds that Python has not confirmed, the latest last: they go with every message. */
  log(deed) {
    const log = this.unheard();
    const { turn: before = this.model.get("heard"), set, gesture } = log.at(-1) ?? {};
    const turn = Math.max(Date.now(), 1 + before);
    if (set && deed.set && gesture === deed.gesture && Object.keys(set).every((name) => name in deed.set)) log.pop(); // this deed sets everything that the last one set
    log.push({ turn, ...deed });
    this.model.set("log", log);
    this.wait(turn);
    return log;
  }

  /** Wait for Python's answer to this turn, and say so if it takes long; 0 when it has come. */
  wait(turn) {
    this.awaited = turn;
    this.root.ariaBusy = String(turn > 0);
    this.late &&= turn > 0;
    if (this.rest) this.rest();
    this.rest = turn && this.later(700, () => {
      this.late = true;
      this.redraw();
    });
    this.redraw();
  }

  /** Callbacks of a message that hasten its answer.  The server sends "busy" first and then, by TCP's rules for small
   *  packets, nothing until the browser acknowledges that, in 40 ms or more unless it sends something.  They are
   *  properties of a function, because marimo calls its argument. */
  nudging() {
    const status = (message) => message.content.execution_state === "busy" && this.model.send({});
    return Object.assign(() => {}, { iopub: { status } });
  }

  /** Call a function once, later, unless the view has ended; gives a function that ends the wait. */
  later(milliseconds, action) {
    const timer = setTimeout(() => this.ending.signal.aborted || action(), milliseconds);
    return () => clearTimeout(timer);
  }

  end() {
    preact.render(null, this.root);
    this.ending.abort();
    this.root.remove(); // the notebook keeps the elements of replaced outputs
  }
}

/** The exports of a widget's module: render(…) shows a component. */
const defineWidget = (Body, inPage = []) => ({
  render({ model, el }) {
    const view = new View({ model, el }, fill(model.get("words").title, { question: model.get("question") }), inPage);
    view.draw(Body);
    return () => view.end();
  },
});

const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// -- controls ---------------------------------------------------------------------------------------------------------

/** The value of a trait and a function that sets it, for a control: toggle({ label, ...bound(view, "large") }). */
const bound = (view, trait) => ({ value: view.get(trait), change: (value) => view.set({ [trait]: value }) });

const button = (text, press, more) => html`<button type="button" class="anb-button" onclick=${press} ...${more}>${text}</button>`;

/** A ref for a field.  The field shows the value when the value changes, after Undo and Reset, and when it was answered;
 *  until then it keeps the learner's input, and as long as that is refused. */
function useField(property, value, answered, refused) {
  const field = useRef();
  useLayoutEffect(() => {
    if (!refused && value !== undefined && field.current[property] !== value) field.current[property] = value;
  }, [value, answered, useContext(Viewed).drafts]);
  return field;
}

/** A switch: on or off. */
function Toggle({ label, name, value, change, ...more }) {
  const field = useField("checked", value, useContext(Viewed).get("heard"));
  return html`<label class="anb-switch"><input ref=${field} type="checkbox" role="switch" aria-label=${name}
    onchange=${({ target }) => change(target.checked)} ...${more} /><span>${label}</span></label>`;
}

/** One of several: choices are [value, text] pairs.  Without a value it is a menu, and shows its first entry again. */
function Choice({ label, name = label, choices, value, change, ...more }) {
  const field = useField("value", value, useContext(Viewed).get("heard"));
  const pick = ({ target }) => {
    change(target.value);
    if (value === undefined) target.selectedIndex = 0;
  };
  const options = choices.map(([key, text]) => html`<option value=${key}>${text}</option>`);
  const select = html`<select ref=${field} aria-label=${name} onchange=${pick} ...${more}>${options}</select>`;
  return label ? html`<label class="anb-choice"><span>${label}</span>${select}</label>` : select;
}

/** A line, or with `rows` a box, of text; change(text) on Enter and when the field is left. */
function TextField({ label, name = label, value, change, rows, invalid = "", answer, focus, ...more }) {
  const field = useField("value", value, answer, answer?.why);
  useLayoutEffect(() => {
    if (focus) field.current.focus();
  }, [focus]);
  const input = h(rows ? "textarea" : "input", {
    ref: field, rows, spellcheck: false, autocomplete: "off", "aria-label": name, "aria-invalid": Boolean(invalid), title: invalid,
    onchange: () => field.current.value !== value && change(field.current.value), ...more,
  });
  return label ? html`<label class=${classes("anb-text", rows && "anb-box")}><span>${label}</span>${input}</label>` : input;
}

/** Parts of a widget side by side. */
const row = (...parts) => html`<div class="anb-row">${parts}</div>`;

/** A button that copies a text, and a note that says so, or that the browser does not allow it. */
function Copier({ label, text, told = text, ...more }) {
  const { words } = useContext(Viewed);
  const [note, say] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(fill(words.copied, { text: told }));
    } catch {
      say(fill(words.copy_failed, { text }));
    }
  };
  return html`${button(label, copy, more)}<span class="anb-note" role="status">${note}</span>`;
}

/** The menu that every widget has: undo, which Ctrl+Z does too, reset and copy.  The notebook stores a learner's settings
 *  when the learner pauses. */
function UndoMenu({ view, open = false }) {
  const { words } = view;
  const [line, undoable] = ["line", "undoable"].map((trait) => view.get(trait));
  const { current: first } = useRef({ line });
  useLayoutEffect(() => {
    if (line === first.line) return;
    first.line = null;
    return view.later(1000, () => view.ask("store"));
  }, [line]);
  useLayoutEffect(() => view.on(view.root, "keydown", (event) => {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.target.matches("textarea, input:not([type])")) return;
    event.preventDefault();
    if (view.get("undoable")) view.ask("undo");
  }), []);
  return html`<details class="anb-history" open=${open}><summary>${words.menu}</summary>
    ${row(button(words.undo, () => view.ask("undo"), { disabled: !undoable }), button(words.reset, () => view.ask("reset")),
      copier({ label: words.copy, text: line, "data-in-page": "" }))}</details>`;
}

/** A titled part of a widget. */
const panel = (title, ...children) =>
  html`<div class="anb-panel" role="group" aria-label=${title}><h4>${title}</h4>${children}</div>`;

const [toggle, choice, text, slider, copier] = [Toggle, Choice, TextField, Slider, Copier].map((Control) => (properties) => h(Control, properties));
