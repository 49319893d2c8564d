// Three number lines and a nudge on a slider, forward or backward.  Every number and every picture is Python's.

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const dx = slider(view, { label: "dx", name: words.nudge, min: -0.05, max: 0.05, step: 0.001, value: view.get("dx"), change: (value) => view.set({ dx: value }) });
  const way = choice(view, { label: words.way, choices: Object.entries(words.ways), value: view.get("way"), change: (value) => view.set({ way: value }) });
  const chart = picture(view, { label: words.picture, smallest: 0.92 });
  view.watch("dx", dx.show);
  view.watch("way", way.show);
  view.watch("chart_change", (change) => chart.follow(view.get("chart"), change));
  view.watch("status", (status) => view.say(status));
  view.watch("problem", (problem) => view.complain(problem));
  view.root.append(make("p", { class: "anb-lead" }, words.lead), make("div", { class: "anb-row" }, way.element, dx.element), view.status, chart.element, history(view).element);
  return () => view.end();
}

export default { render };
