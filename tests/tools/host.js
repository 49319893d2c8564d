// A host of anywidgets that does what their specification promises, and nothing else: a module with initialize and
// render, a model with get, set, save_changes, on, off and send, an element in a shadow tree; and afterwards the end.

const bytes = (text) => new DataView(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)).buffer);

/** State as Python sends it, with bytes where it wrote {"bytes": "…"}. */
function read(value) {
  if (Array.isArray(value)) return value.map(read);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.bytes === "string" && Object.keys(value).length === 1) return bytes(value.bytes);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, read(each)]));
}

class Model {
  #state;
  #changed = {};
  #handlers = [];
  #told = Promise.resolve();

  constructor(state) {
    this.#state = read(state);
  }

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    if (this.#state[name] === value) return;
    this.#state[name] = this.#changed[name] = value;
    this.#call(`change:${name}`, value);
    this.#call("change");
  }

  save_changes() {
    const state = this.#changed;
    this.#changed = {};
    this.#tell({ method: "update", state, buffer_paths: [] });
  }

  on(event, handler) {
    this.#handlers.push([event, handler]);
  }

  off(event, handler) {
    this.#handlers = this.#handlers.filter((each) => (event && each[0] !== event) || (handler && each[1] !== handler));
  }

  send(content, done) {
    this.#tell({ method: "custom", content });
    done?.(); // as marimo's does when the message has gone
  }

  #call(event, ...facts) {
    for (const [each, handler] of [...this.#handlers]) if (each === event) handler(...facts);
  }

  #tell(message) {
    const text = JSON.stringify(message);
    this.#told = this.#told.then(() => window.python(text)).then((answers) => answers.forEach((each) => Model.hear(this, each)));
  }

  static hear(model, { method, state, content }) {
    if (method === "custom") return model.#call("msg:custom", read(content), []);
    if (method !== "update") return;
    const news = Object.entries(read(state));
    for (const [name, value] of news) model.#state[name] = value;
    for (const [name, value] of news) model.#call(`change:${name}`, value);
    model.#call("change");
  }

  static handlers(model) {
    return model.#handlers.map(([event]) => event);
  }
}

/** The model of MyST's directive {anywidget}, in whose pages nothing runs: it keeps values, and can do no more. */
class Kept extends EventTarget {
  #state = {};

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    this.#state[name] = value;
    this.dispatchEvent(new CustomEvent(`change:${name}`, { detail: value }));
  }

  on(event, handler) {
    this.addEventListener(event, handler);
  }

  get off() {
    throw new Error("MyST's model has no off");
  }

  get save_changes() {
    throw new Error("MyST's model has no save_changes");
  }

  get send() {
    throw new Error("MyST's model has no send");
  }

  get widget_manager() {
    throw new Error("MyST's model has no widget_manager");
  }
}

const shown = { ends: [] };

function place() {
  shown.place = document.body.appendChild(document.createElement("div"));
  return shown.place.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
}

window.host = {
  async show(text, state) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const { default: made } = await import(url);
    const widget = (shown.widget = typeof made === "function" ? await made() : made);
    const [model, el] = [(shown.model = new Model(state)), place()];
    shown.ends = [await widget.initialize?.({ model }), await widget.render?.({ model, el })];
  },
  /** What a function finds in another view of the same widget, made from this state and ended again. */
  async another(state, find) {
    const { place: first } = shown;
    const [model, el] = [new Model(state), place()];
    const { place: second } = shown;
    shown.place = first;
    const end = await shown.widget.render({ model, el });
    const found = find(el.querySelector(".anb"));
    await end();
    second.remove();
    return found;
  },
  /** Show a node of a page that MyST built, {type: "anywidget", esm: address, model: {…}}, as its theme does. */
  async myst({ esm }) {
    const { default: widget } = await import(esm);
    const [model, el] = [new Kept(), place()];
    await widget.initialize?.({ model });
    await widget.render?.({ model, el });
  },
  /** End the view and the model; what still listens to the model. */
  async end() {
    for (const end of shown.ends.reverse()) await end?.();
    shown.place.remove();
    return Model.handlers(shown.model);
  },
};
