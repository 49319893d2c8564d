// The map of a loss: a ball to put down, settings, steps one by one or in a row.  Every place and number is Python's.

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const reach = view.get("reach");
  const field = bound(view, text, "loss", { label: words.loss });
  const places = ["a", "b"].map((name) => bound(view, slider, name, { label: name, name: fill(words.place, { name }), min: -reach, max: reach, step: reach / 60 }));
  const lr = bound(view, slider, "lr", { label: "lr", name: words.lr, min: 0.001, max: 1, logarithmic: true });
  const momentum = bound(view, slider, "momentum", { label: "momentum", name: words.momentum, min: 0, max: 0.99, step: 0.01 });
  const steps = bound(view, slider, "steps", { label: words.steps, min: 0, max: 100, step: 1, change: (value) => view.set({ steps: Math.min(100, Math.max(0, Math.round(value))) }) });
  const forget = bound(view, toggle, "forget", { label: words.forget });
  const method = bound(view, choice, "method", { label: words.method, choices: Object.entries(words.methods) });
  const map = chart(view, "map", words.picture);
  const curve = chart(view, "curve", words.losses);
  const code = make("pre", { class: "anb-code" });
  const number = (share) => Number(((2 * share - 1) * reach).toFixed(2));
  dragged(view, map, () => view.get("axis"), (across, up) => view.set({ a: number(across), b: number(up) })); // it has taken no step there

  view.watch("method", (value) => {
    const newton = value === "newton";
    for (const input of [lr, momentum].flatMap((each) => [each.range, each.field.input])) input.disabled = newton;
    forget.enable(!newton, words.newton_needs_none);
  });
  view.watch("code", (text) => (code.textContent = text));
  view.follow();

  const step = (count) => () => view.ask("step", { count });
  const buttons = [button(view, words.step, step(1)), button(view, words.ten, step(10)), button(view, words.back, step(-1)), button(view, words.again, () => view.set({ steps: 0 }))];
  const settings = make("div", { class: "anb-settings" }, ...[...places, lr, momentum, steps].map((each) => each.element));
  const charts = make("div", { class: "anb-maps" }, map.element, make("div", {}, curve.element, panel(words.code, code)));
  view.root.append(make("p", { class: "anb-lead" }, words.lead), row(field, method, forget), settings, row(...buttons), view.status, charts, history(view).element);
  return () => view.end();
}

export default { render };
