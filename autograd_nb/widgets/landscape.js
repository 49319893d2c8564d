// The map of a loss: a ball to put down, settings, steps one by one or in a row.  Every place and number is Python's.

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const reach = view.get("reach");
  const set = (trait) => (value) => view.set({ [trait]: value });
  const field = text(view, { label: words.loss, value: view.get("loss"), change: set("loss") });
  const places = ["a", "b"].map((name) => slider(view, { label: name, name: fill(words.place, { name }), min: -reach, max: reach, step: reach / 60, value: view.get(name), change: set(name) }));
  const lr = slider(view, { label: "lr", name: words.lr, min: 0.001, max: 1, logarithmic: true, value: view.get("lr"), change: set("lr") });
  const momentum = slider(view, { label: "momentum", name: words.momentum, min: 0, max: 0.99, step: 0.01, value: view.get("momentum"), change: set("momentum") });
  const steps = slider(view, { label: words.steps, min: 0, max: 100, step: 1, value: view.get("steps"), change: (value) => view.set({ steps: Math.min(100, Math.max(0, Math.round(value))) }) });
  const forget = toggle(view, { label: words.forget, value: view.get("forget"), change: set("forget") });
  const method = choice(view, { label: words.method, choices: Object.entries(words.methods), value: view.get("method"), change: set("method") });
  const map = picture(view, { label: words.picture, smallest: 0.92 });
  const curve = picture(view, { label: words.losses, smallest: 0.92 });
  const code = make("pre", { class: "anb-code" });
  const number = (share) => Number(((2 * share - 1) * reach).toFixed(2));
  dragged(view, map, () => view.get("axis"), (across, up) => view.set({ a: number(across), b: number(up) })); // it has taken no step there

  view.watch("loss", field.show);
  places.forEach((place, index) => view.watch("ab"[index], place.show));
  view.watch("lr", lr.show);
  view.watch("momentum", momentum.show);
  view.watch("steps", steps.show);
  view.watch("forget", forget.show);
  view.watch("method", (value) => {
    method.show(value);
    const newton = value === "newton";
    for (const input of [lr, momentum].flatMap((each) => [each.range, each.field.input])) input.disabled = newton;
    forget.enable(!newton, words.newton_needs_none);
  });
  view.watch("map_change", (change) => map.follow(view.get("map"), change));
  view.watch("curve_change", (change) => curve.follow(view.get("curve"), change));
  view.watch("code", (text) => (code.textContent = text));
  view.watch("status", (status) => view.say(status));
  view.watch("problem", (problem) => view.complain(problem));

  const step = (count) => () => view.ask("step", { count });
  const buttons = [button(view, words.step, step(1)), button(view, words.ten, step(10)), button(view, words.back, step(-1)), button(view, words.again, () => view.set({ steps: 0 }))];
  const row = (...parts) => make("div", { class: "anb-row" }, ...parts.map((each) => each.element));
  const settings = make("div", { class: "anb-settings" }, ...[...places, lr, momentum, steps].map((each) => each.element));
  const charts = make("div", { class: "anb-maps" }, map.element, make("div", {}, curve.element, panel(words.code, code)));
  view.root.append(make("p", { class: "anb-lead" }, words.lead), row(field, method, forget), settings, row(...buttons), view.status, charts, history(view).element);
  return () => view.end();
}

export default { render };
