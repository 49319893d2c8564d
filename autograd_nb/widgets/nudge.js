// Three number lines and a nudge on a slider, forward or backward.  Every number and every picture is Python's.

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const dx = bound(view, slider, "dx", { label: "dx", name: words.nudge, min: -0.05, max: 0.05, step: 0.001 });
  const way = bound(view, choice, "way", { label: words.way, choices: Object.entries(words.ways) });
  const lines = chart(view, "chart", words.picture);
  view.follow();
  view.root.append(make("p", { class: "anb-lead" }, words.lead), row(way, dx), view.status, lines.element, history(view).element);
  return () => view.end();
}

export default { render };
