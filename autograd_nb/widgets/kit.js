// What all widgets share in the browser: a view that cleans up after itself and labelled controls; then pictures.js.
// It computes nothing: numbers and messages come from Python, words from the trait `words`.

/** An element with attributes, properties (`.name`) and children: make("p", {class: "anb-note"}, "text"). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith(".")) element[name.slice(1)] = value;
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Text with its {places} filled in. */
export function fill(text, facts) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in facts ? facts[name] : whole));
}

/** A number as it stands in a field: as short as can be, at most six digits after rounding. */
export function shown(value) {
  return String(Number(Number(value).toPrecision(6)));
}

/** Whether a key stays in the widget and is no shortcut of the notebook: Ctrl+S saves and Shift+Enter runs the cell
 *  wherever the focus is.  Keys that edit text stay, and in a box of several lines Enter does. */
function stays({ key, target, ctrlKey, metaKey, altKey, shiftKey }) {
  const enter = key === "Enter";
  if (ctrlKey || metaKey) return /^[acvxyz]$/i.test(key) || (enter && target.localName === "textarea");
  return !altKey && !(enter && shiftKey && target.localName !== "textarea");
}

/** One view of a widget: its root, and all that has to end with it. */
export class View {
  constructor({ model, el }, label) {
    this.model = model;
    this.words = model.get("words");
    this.ending = new AbortController();
    this.timers = new Set();
    this.watched = [];
    this.changed = new Set(); // what is to flash
    this.inPage = []; // traits that can be set without a kernel
    this.kept = new Set(); // those that were set here
    this.pause = () => {};
    this.root = make("div", { class: "anb", role: "group", "aria-label": label });
    // JupyterLab's command mode would take letters and arrows.  Esc gives the focus back to it, Tab moves on.
    this.on(this.root, "keydown", (event) => {
      if (event.key === "Escape") this.root.parentElement?.closest("[tabindex]")?.focus();
      else if (event.key !== "Tab" && stays(event)) event.stopPropagation();
    });
    // Notebook 7 looks for shortcuts before a widget sees the key, but not in elements that bear this attribute.
    this.on(window, "keydown", (event) => {
      if (this.root.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", stays(event));
    }, { capture: true });
    this.trouble = make("p", { class: "anb-trouble", role: "alert", hidden: true });
    this.status = make("p", { class: "anb-status", role: "status", "aria-live": "polite" });
    this.working = make("p", { class: "anb-working", role: "status", hidden: true }); // put where one looks
    this.root.append(this.trouble, this.working);
    el.append(this.root);
    this.watchEvent("change:heard", () => this.get("heard") >= this.awaited && this.wait(0));
    for (const event of ["comm_live_update", "comm:close"]) this.watchEvent(event, () => this.lose());
    for (const event of ["pointerdown", "keydown"]) this.on(this.root, event, () => this.reach(), { capture: true });
    if (model.comm_live === false) this.lose();
  }

  /** Find out whether there still is a kernel, which JupyterLab does not tell where it was shut down. */
  reach() {
    try {
      if (!this.lost) this.model.send({});
    } catch {
      this.lose();
    }
  }

  /** The kernel is gone: say so, and let only those controls be used that need none, which are in `data-in-page`. */
  lose() {
    this.lost = true;
    this.complain(this.words.disconnected);
    this.wait(0);
    this.later(0, () => {
      for (const each of this.root.querySelectorAll("button, input, select, textarea")) each.disabled ||= !each.closest("[data-in-page]");
    });
  }

  /** Listen to an element's event until the view ends. */
  on(target, event, handler, options = {}) {
    target.addEventListener(event, handler, { ...options, signal: this.ending.signal });
    return target;
  }

  watchEvent(event, handler) {
    this.model.on(event, handler);
    this.watched.push([event, handler]);
  }

  /** Call handler(value) now and whenever the trait changes, also when another view or Python changed it. */
  watch(trait, handler) {
    this.watchEvent(`change:${trait}`, () => handler(this.model.get(trait)));
    handler(this.model.get(trait));
  }

  get(trait) {
    return this.model.get(trait);
  }

  /** Set traits, here and in Python. */
  set(traits) {
    const entries = Object.entries(traits);
    if (this.lost) {
      for (const [name, value] of entries) if (this.inPage.includes(name)) this.model.set(name, value);
      return;
    }
    // What already is so is no deed: it would take back what Python sets meanwhile.
    const same = ([name, value]) => JSON.stringify(value) === JSON.stringify(this.get(name));
    if (entries.every(same) && !this.unheard().some((deed) => deed.do)) return;
    for (const [name] of entries) if (!this.kept.has(name)) this.watchEvent(`change:${name}`, () => this.keep());
    for (const [name] of entries) this.kept.add(name);
    this.log({ set: traits });
    this.keep();
    this.model.save_changes(this.nudging());
  }

  /** Let what was set here stand until Python has heard of it: what Python tells of that till then is older. */
  keep() {
    if (this.lost) return;
    const last = Object.assign({}, ...this.unheard().map((deed) => deed.set));
    for (const [name, value] of Object.entries(last)) this.model.set(name, value);
  }

  /** The deeds that Python has not confirmed. */
  unheard() {
    return (this.get("log") ?? []).filter(({ turn }) => turn > this.get("heard"));
  }

  /** Ask Python to do something: its method do_<what>. */
  ask(what, details = {}) {
    if (!this.lost) this.model.send({ log: this.log({ do: what, details }) }, this.nudging());
  }

  /** All that was done here and that Python has not confirmed, the latest deed last: it goes with every message. */
  log(deed) {
    const log = this.unheard();
    const { turn: before = this.get("heard"), set } = log.at(-1) ?? {};
    const turn = Math.max(Date.now(), 1 + before);
    if (set && deed.set && Object.keys(set).every((name) => name in deed.set)) log.pop(); // what it set is set anew
    log.push({ turn, ...deed });
    this.model.set("log", log);
    this.wait(turn);
    return log;
  }

  /** Say that Python is at work, where it has not answered for a while; 0 when it has. */
  wait(turn) {
    this.awaited = turn;
    this.root.ariaBusy = String(turn > 0);
    const say = (text) => {
      this.working.textContent = text;
      this.working.hidden = !text;
    };
    this.rest?.();
    this.rest = turn ? this.later(700, () => say(this.words.working)) : null;
    if (!turn) say("");
  }

  /** Callbacks of a message that hasten its answer.  The server sends "busy" first and then, by TCP's rules for small
   *  packets, nothing until that is acknowledged, which takes 40 ms and more unless something is sent.  A function that
   *  has them, for marimo calls what it is given. */
  nudging() {
    const status = (message) => message.content.execution_state === "busy" && this.model.send({});
    return Object.assign(() => {}, { iopub: { status } });
  }

  /** Call a function once, later; gives what ends it. */
  later(milliseconds, action) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      action();
    }, milliseconds);
    this.timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.timers.delete(timer);
    };
  }

  /** Light an element up once, as soon as changes pause: while a slider is dragged nobody could follow it, and drawing it
   *  takes long.  Not for those who want no motion. */
  flash(element) {
    if (reducedMotion()) return;
    this.changed.add(element);
    this.pause();
    this.pause = this.later(150, () => {
      for (const each of this.changed) each.animate([{ filter: "brightness(0.75)" }, { filter: "none" }], { duration: 400 });
      this.changed.clear();
    });
  }

  /** Show a sentence, which screen readers read at once (put `view.status` where it belongs). */
  say(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  /** Say what the traits `status` and `problem` say. */
  follow() {
    this.watch("status", (text) => this.say(text));
    this.watch("problem", (text) => this.complain(text));
  }

  /** Show what went wrong above everything; "" when it is over. */
  complain(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = !text;
  }

  /** End the view: what a widget's render() returns. */
  end() {
    this.ending.abort();
    for (const timer of this.timers) clearTimeout(timer);
    for (const [event, handler] of this.watched) this.model.off(event, handler);
    this.watched = [];
    this.root.remove(); // the notebook keeps the elements of outputs that were replaced
  }
}

export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// -- controls: each has `element`, and `show(value)`, which changes what is seen but calls nobody -------------------

export function button(view, text, action, { label, title, pressed } = {}) {
  const element = make("button", { type: "button", class: "anb-button", "aria-label": label, title }, text);
  if (pressed !== undefined) element.setAttribute("aria-pressed", pressed);
  view.on(element, "click", action);
  return { element, show: (value) => element.setAttribute("aria-pressed", value), name: (text) => (element.textContent = text) };
}

/** A switch: on or off. */
export function toggle(view, { label, value = false, change, name }) {
  const input = make("input", { type: "checkbox", role: "switch", "aria-label": name, ".checked": value });
  view.on(input, "change", () => change(input.checked));
  const element = make("label", { class: "anb-switch" }, input, make("span", {}, label));
  return {
    element,
    input,
    show(value) {
      input.checked = value;
    },
    enable(enabled, why = "") {
      input.disabled = !enabled;
      element.title = enabled ? "" : why;
    },
  };
}

/** One of several: choices are [value, text] pairs. */
export function choice(view, { label, choices, value, change, name, hideLabel }) {
  const select = make("select", { "aria-label": name ?? label });
  for (const [key, text] of choices) select.append(make("option", { value: key }, text));
  select.value = value;
  view.on(select, "change", () => change(select.value));
  const element = hideLabel ? select : make("label", { class: "anb-choice" }, make("span", {}, label), select);
  return {
    element,
    select,
    show(value) {
      select.value = value;
    },
  };
}

/** A line or box of text; change(text) on Enter and when the field is left, or at every letter with `live`. */
export function text(view, { label, value = "", change, name, rows = 0, live = false, hideLabel, spellcheck = false }) {
  const input = make(rows ? "textarea" : "input", { "aria-label": name ?? label, spellcheck: String(spellcheck), autocomplete: "off", rows: rows || undefined });
  input.value = value;
  let last = value;
  const tell = () => {
    if (input.value !== last) {
      last = input.value;
      change(last);
    }
  };
  view.on(input, live ? "input" : "change", tell);
  if (!rows) view.on(input, "keydown", (event) => event.key === "Enter" && tell());
  const element = hideLabel ? input : make("label", { class: "anb-text" }, make("span", {}, label), input);
  return {
    element,
    input,
    show(value) {
      last = value;
      if (input.value !== value) input.value = value;
    },
    invalid(message) {
      input.setAttribute("aria-invalid", Boolean(message));
      input.title = message ?? "";
    },
  };
}

/** A field for a number; text that is none is refused with the reason, and the value stays. */
export function number(view, { label, value, change, hideLabel, name }) {
  const input = make("input", { type: "text", inputmode: "decimal", class: "anb-number", "aria-label": name ?? label, autocomplete: "off" });
  const error = make("span", { class: "anb-error", role: "alert", hidden: true });
  let last = value;
  const show = (value) => {
    last = value;
    if (input.getRootNode().activeElement !== input || Number(input.value) !== value) input.value = shown(value);
    refuse("");
  };
  const refuse = (message) => {
    error.textContent = message;
    error.hidden = !message;
    input.setAttribute("aria-invalid", Boolean(message));
  };
  const tell = () => {
    const written = input.value.trim();
    const read = Number(written);
    const facts = { text: written, label: name ?? label, value: shown(last) };
    if (!written) refuse(fill(view.words.empty_field, facts));
    else if (!Number.isFinite(read)) refuse(fill(view.words.not_a_number, facts));
    else {
      refuse("");
      if (read !== last) {
        last = read;
        change(read);
      }
    }
  };
  view.on(input, "change", tell);
  view.on(input, "keydown", (event) => event.key === "Enter" && tell());
  show(value);
  const box = make("span", { class: "anb-field" }, input, error);
  return { element: hideLabel ? box : make("label", { class: "anb-text" }, make("span", {}, label), box), input, show };
}

/** A slider and a number field for the same value; the field also takes numbers outside the slider's range.
 *  With `logarithmic` the slider moves over powers of ten. */
export function slider(view, { label, min, max, step, value, change, logarithmic = false, name, unit = "" }) {
  const [to, from] = logarithmic ? [Math.log10, (place) => 10 ** place] : [(value) => value, (place) => place];
  const range = make("input", { type: "range", min: to(min), max: to(max), step: step ?? "any", "aria-label": name ?? label });
  const show = (value) => {
    const place = to(value);
    // a value from elsewhere must have a place on the slider, or the first touch would throw it away
    if (Number.isFinite(place)) {
      if (place > range.max) range.max = place;
      if (place < range.min) range.min = place;
      if (Number(range.value) !== place) range.value = place;
    }
    range.setAttribute("aria-valuetext", `${shown(value)}${unit}`);
    field.show(value);
  };
  const field = number(view, {
    label, value, hideLabel: true, name: fill(view.words.value_of, { label: name ?? label }),
    change(value) {
      show(value);
      change(value);
    },
  });
  view.on(range, "input", () => {
    const value = Number(from(Number(range.value)).toPrecision(12));
    range.setAttribute("aria-valuetext", `${shown(value)}${unit}`);
    field.show(value);
    change(value);
  });
  show(value);
  return { element: make("div", { class: "anb-slider" }, make("span", { class: "anb-name", "aria-hidden": "true" }, label), range, field.element), range, field, show };
}

/** A control of a trait, which shows what that is and sets it: bound(view, slider, "lr", {label: "lr", …}). */
export function bound(view, control, trait, options) {
  const made = control(view, { value: view.get(trait), change: (value) => view.set({ [trait]: value }), ...options });
  view.watch(trait, made.show);
  return made;
}

/** Parts of a widget beside each other. */
export function row(...parts) {
  return make("div", { class: "anb-row" }, ...parts.map((each) => each.element));
}

/** The menu that every widget has: undo, which Ctrl+Z does too, reset and copy.  What a learner has set is stored in the
 *  notebook, once he pauses. */
export function history(view) {
  const { words } = view;
  let wait = () => {};
  view.watchEvent("change:line", () => {
    wait();
    wait = view.later(1000, () => view.ask("store"));
  });
  const note = make("span", { class: "anb-note", role: "status" });
  const copy = async () => {
    const text = view.get("line");
    try {
      await navigator.clipboard.writeText(text);
      note.textContent = fill(words.copied, { text });
    } catch {
      note.textContent = fill(words.copy_failed, { text });
    }
  };
  const undo = button(view, words.undo, () => view.ask("undo"));
  const entries = [undo, button(view, words.reset, () => view.ask("reset")), button(view, words.copy, copy)];
  entries[2].element.dataset.inPage = "";
  view.watch("undoable", (count) => (undo.element.disabled = !count));
  view.on(view.root, "keydown", (event) => {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.target.matches("textarea, input:not([type]), input[type=text]")) return;
    event.preventDefault();
    undo.element.click();
  });
  return { element: make("details", { class: "anb-history" }, make("summary", {}, words.menu), row(...entries), note) };
}

/** A titled part of a widget. */
export function panel(title, ...children) {
  return make("div", { class: "anb-panel", role: "group", "aria-label": title }, make("h4", {}, title), ...children);
}
