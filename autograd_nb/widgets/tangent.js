// A curve whose point can be dragged, its tangent and secant, and the error against the step.  All numbers are Python's.

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const [from, to] = view.get("window");
  const x = bound(view, slider, "x", { label: "x", name: words.point, min: from, max: to, step: (to - from) / 400 });
  const h = slider(view, { label: "h", name: words.step, min: 1e-12, max: (to - from) / 2, logarithmic: true, value: Math.abs(view.get("h")), change: (value) => view.set({ h: side.input.checked ? -value : value }) });
  const side = toggle(view, { label: words.side, value: view.get("h") < 0, change: (left) => view.set({ h: left ? -Math.abs(view.get("h")) : Math.abs(view.get("h")) }) });
  const f = bound(view, text, "function", { label: words.function });
  const formula = bound(view, text, "formula", { label: words.formula, name: words.formula_name });
  const curve = chart(view, "curve", words.curve);
  const errors = chart(view, "errors", words.errors);
  dragged(view, curve, () => view.get("axis"), (share) => {
    const [from, to] = view.get("window");
    view.set({ x: Number((from + share * (to - from)).toPrecision(4)) });
  });
  const slopes = table(view, { caption: "", columns: words.columns });
  const links = make("ol", { class: "anb-links" });

  view.watch("h", (value) => {
    h.show(Math.abs(value));
    side.show(value < 0);
  });
  f.element.hidden = !view.get("typed");
  view.watch("window", ([from, to]) => {
    x.range.min = from;
    x.range.max = to;
    x.show(view.get("x"));
  });
  view.watch("rows", (rows) => {
    slopes.element.caption.textContent = fill(words.slopes, { x: shown(view.get("x")) });
    slopes.show(rows.map((cells, key) => ({ key: String(key), cells })));
  });
  view.watch("links", (sentences) => links.replaceChildren(...sentences.map((each) => make("li", {}, each))));
  view.follow();

  const controls = make("div", { class: "anb-controls" }, f.element, formula.element, x.element, h.element, side.element);
  const charts = make("div", { class: "anb-charts" }, curve.element, make("div", {}, errors.element, make("p", { class: "anb-note" }, words.error_note)));
  const told = make("div", { class: "anb-charts" }, make("div", {}, slopes.element), make("div", {}, make("h4", {}, words.links), links));
  view.root.append(make("p", { class: "anb-lead" }, words.lead), controls, charts, view.status, told, history(view).element);
  return () => view.end();
}

export default { render };
