// The training of a small network: settings, updates one by one or in a row, and three pictures.

// While it trains: updates for one picture, and milliseconds at least between two pictures.
const PACE = { moving: [2, 40], still: [20, 1000] };
const SPOKEN = 2000; // while it trains: milliseconds between two sentences that are read out

/** The buttons that ask for updates, and the sentences that are read out while one follows the other. */
function training(view) {
  const { words } = view;
  let driving = false; // of several views, the one that was told to train asks for updates
  let asked = 0;
  let told = 0;
  const spoken = make("div", { class: "anb-hidden", role: "status", "aria-live": "polite" });
  const ask = (count) => {
    asked = performance.now();
    view.ask("step", { count });
  };
  const [count, between] = PACE[reducedMotion() ? "still" : "moving"];
  const play = (on) => {
    driving = on;
    view.set({ playing: on });
    if (on) ask(count);
  };
  const trains = button(view, words.play, () => play(!view.get("playing")), { pressed: false });
  const alone = (action) => () => {
    if (view.get("playing")) play(false);
    action();
  };
  const buttons = [
    trains,
    button(view, words.step, alone(() => ask(1))),
    button(view, words.more, alone(() => ask(10))),
    button(view, words.again, alone(() => view.ask("start"))),
  ];
  view.watch("playing", (playing) => {
    driving = driving && playing;
    trains.show(playing);
    trains.name(playing ? words.pause : words.play);
    // A stream of sentences helps nobody: one is read out now and then, and the last one when it pauses.
    view.status.setAttribute("aria-live", playing ? "off" : "polite");
    told = performance.now();
    spoken.textContent = driving ? words.begun : "";
    if (playing) return;
    view.later(50, () => {
      view.say("");
      view.say(view.get("status"));
    });
  });
  view.watchEvent("change:answered", () => {
    if (driving) view.later(Math.max(0, between - (performance.now() - asked)), () => driving && ask(count));
  });

  view.watch("status", (status) => {
    view.say(status);
    if (!driving || performance.now() - told < SPOKEN) return;
    told = performance.now();
    spoken.textContent = status;
  });
  return { buttons, spoken, stop: () => driving && play(false) };
}

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const data = bound(view, choice, "data", { label: words.data, choices: Object.entries(words.datasets) });
  const optimizers = ["SGD", "RMSprop", "Adam"].map((name) => [name, name]);
  const optimizer = bound(view, choice, "optimizer", { label: words.optimizer, choices: optimizers });
  const lr = bound(view, slider, "lr", { label: "lr", name: words.lr, min: 0.001, max: 100, logarithmic: true });
  const momentum = bound(view, slider, "momentum", { label: "momentum", name: words.momentum, min: 0, max: 0.99, step: 0.01 });
  const forget = bound(view, toggle, "forget", { label: words.forget });

  const { buttons, spoken, stop } = training(view);
  const charts = [chart(view, "field", words.field), chart(view, "loss", words.loss), chart(view, "norm", words.norms)];
  const unused = make("span", { class: "anb-note" });
  const code = make("pre", { class: "anb-code" });
  view.watch("no_momentum", (why) => {
    for (const input of [momentum.range, momentum.field.input]) {
      input.disabled = Boolean(why);
      input.title = why;
    }
    unused.textContent = why;
  });
  view.watch("code", (text) => (code.textContent = text));
  view.watch("problem", (problem) => view.complain(problem));

  const pictures = make("div", { class: "anb-trio" }, ...charts.map((each) => each.element), panel(words.code, code));
  const sliders = make("div", { class: "anb-settings" }, lr.element, make("div", {}, momentum.element, unused));
  const settings = row(data, optimizer, forget);
  view.root.append(make("p", { class: "anb-lead" }, words.lead), settings, sliders, row(...buttons), view.status, spoken);
  view.root.append(make("div", { class: "anb-holder" }, pictures), history(view).element);
  return () => {
    stop();
    view.end();
  };
}

export default { render };
