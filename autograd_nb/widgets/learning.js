// The training of a small network: settings, updates one by one or in a row, and three pictures.

const BETWEEN = 40; // milliseconds at least between two updates while it trains

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const set = (trait) => (value) => view.set({ [trait]: value });
  const data = choice(view, { label: words.data, choices: Object.entries(words.datasets), value: view.get("data"), change: set("data") });
  const optimizers = ["SGD", "RMSprop", "Adam"].map((name) => [name, name]);
  const optimizer = choice(view, { label: words.optimizer, choices: optimizers, value: view.get("optimizer"), change: set("optimizer") });
  const lr = slider(view, { label: "lr", name: words.lr, min: 0.001, max: 100, logarithmic: true, value: view.get("lr"), change: set("lr") });
  const momentum = slider(view, { label: "momentum", name: words.momentum, min: 0, max: 0.99, step: 0.01, value: view.get("momentum"), change: set("momentum") });
  const forget = toggle(view, { label: words.forget, value: view.get("forget"), change: set("forget") });

  let playing = false;
  let asked = 0;
  const ask = (count) => {
    asked = performance.now();
    view.ask("step", { count });
  };
  const play = (on) => {
    if (on === playing) return;
    playing = on;
    trains.show(on);
    trains.name(on ? words.pause : words.play);
    view.status.setAttribute("aria-live", on ? "off" : "polite");
    if (on) ask(1);
  };
  const trains = button(view, words.play, () => play(!playing), { pressed: false });
  const buttons = [
    trains,
    button(view, words.step, () => (play(false), ask(1))),
    button(view, words.more, () => (play(false), ask(10))),
    button(view, words.again, () => (play(false), view.ask("start"))),
  ];
  view.watchEvent("change:answered", () => {
    if (playing) view.later(Math.max(0, BETWEEN - (performance.now() - asked)), () => playing && ask(1));
  });

  const charts = { field: picture(view, { label: words.field }), loss: picture(view, { label: words.loss }), norm: picture(view, { label: words.norms }) };
  for (const [name, chart] of Object.entries(charts)) view.watch(`${name}_change`, (change) => chart.follow(view.get(name), change));
  const code = make("pre", { class: "anb-code" });
  view.watch("data", data.show);
  view.watch("optimizer", optimizer.show);
  view.watch("lr", lr.show);
  view.watch("momentum", momentum.show);
  view.watch("forget", forget.show);
  view.watch("no_momentum", (why) => {
    for (const input of [momentum.range, momentum.field.input]) {
      input.disabled = Boolean(why);
      input.title = why;
    }
  });
  view.watch("status", (status) => view.say(status));
  view.watch("code", (text) => (code.textContent = text));
  view.watch("problem", (problem) => view.complain(problem));
  view.watch("stopped", (stopped) => stopped && play(false));

  const row = (...parts) => make("div", { class: "anb-row" }, ...parts.map((each) => each.element));
  const pictures = make("div", { class: "anb-trio" }, ...Object.values(charts).map((each) => each.element));
  const sliders = make("div", { class: "anb-controls" }, lr.element, momentum.element);
  view.root.append(row(data, optimizer, forget), sliders, row(...buttons), view.status, pictures, panel(words.code, code), history(view).element);
  return () => view.end();
}

export default { render };
