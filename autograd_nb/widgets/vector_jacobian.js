// The Jacobian and the product with it; sliders for v and x, and buttons that go through the rows, with no kernel.

const BROAD = 560; // pixels of a picture that does not fit beside the sliders

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const chart = picture(view, {
    label: words.picture,
    smallest: 0.92, // its small letters are 11 pixels high
    choose: (key) => key.startsWith("row ") && view.set({ row: Number(key.slice(4)) }),
  });
  const changed = (trait, place) => (value) => view.set({ [trait]: view.get(trait).map((old, at) => (at === place ? value : old)) });
  const sliders = (trait, name) => view.get(trait).map((value, place) => {
    const [reach, step] = view.get("reach")[trait][place];
    return slider(view, { label: `${trait}[${place}]`, name: fill(words[name], { place }), min: -reach, max: reach, step, value, change: changed(trait, place) });
  });
  const vector = sliders("v", "v_name");
  const input = sliders("x", "x_name");
  const size = vector.length;
  const fixed = [button(view, words.ones, () => view.set({ v: Array(size).fill(1) }))];
  vector.forEach((_, place) => fixed.push(button(view, fill(words.only, { place }), () => view.set({ v: vector.map((_, at) => Number(at === place)) }))));
  const step = (by) => () => view.set({ row: Math.min(size - 1, Math.max(0, view.get("row") + by)) });
  const all = button(view, words.all, () => view.set({ row: -1 }), { pressed: true });
  const steps = [button(view, words.before, step(-1)), button(view, words.after, step(1)), all];
  for (const { element } of steps) element.dataset.inPage = "";
  view.inPage = ["row"];
  const columns = make("div", { class: "anb-columns" });
  const code = make("pre", { class: "anb-code" });
  const passes = table(view, { caption: words.passes, columns: words.pass_columns });

  /** Show the row that is looked at: a part of the picture and a sentence, both from Python. */
  const look = () => {
    const row = view.get("row") < size ? view.get("row") : -1;
    const { groups, status } = view.get("steps")[row + 1];
    const change = view.get("board_change");
    chart.follow(view.get("board"), { ...change, groups: { ...change.groups, ...groups }, text: status });
    columns.classList.toggle("anb-stacked", chart.svg.width.baseVal.value > BROAD);
    view.say(status);
    all.show(row < 0);
  };
  view.watch("v", (values) => values.forEach((value, place) => vector[place]?.show(value)));
  view.watch("x", (values) => values.forEach((value, place) => input[place]?.show(value)));
  view.watch("row", look);
  view.watch("steps", look);
  view.watch("board_change", look);
  view.watch("counts", (counts) => passes.show(counts.map((each, place) => ({ key: String(place), cells: [words.pass_rows[place], ...each.map(String)] }))));
  view.watch("code", (text) => (code.textContent = text));
  view.watch("problem", (problem) => view.complain(problem));

  const row = (...parts) => make("div", { class: "anb-row" }, ...parts);
  const elements = (controls) => controls.map((each) => each.element);
  const left = make("div", { class: "anb-vectors" }, panel(words.vector, ...elements(vector), row(make("span", {}, words.set_v), ...elements(fixed))), panel(words.input, ...elements(input)));
  const right = make("div", {}, row(make("strong", {}, words.rows), ...elements(steps)), chart.element, view.status, code, passes.element, make("p", { class: "anb-note" }, words.scalar));
  columns.append(left, right);
  view.root.append(make("p", { class: "anb-lead" }, words.lead), make("div", { class: "anb-holder" }, columns), history(view).element);
  return () => view.end();
}

export default { render };
