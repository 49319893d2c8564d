// A large graph: a click or Enter opens the box of a folded module, a button closes it.  Python draws each picture.

const PATH = /^module ([^>]+?)( #\d+)?$/; // in the key of its box; that of an arrow has a ">"

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  let moved = null; // the module that was opened or closed last
  const show = (path, paths) => {
    moved = `module ${path}`;
    view.set({ opened: paths });
  };
  const open = (key) => {
    const [, path] = PATH.exec(key) ?? [];
    if (!path) return;
    graph.reach((each) => each === key);
    show(path, [...view.get("opened"), path]);
  };
  const close = (path) => {
    graph.frame.focus(); // the button will be gone
    show(path, view.get("opened").filter((each) => !`${each}.`.startsWith(`${path}.`)));
  };
  const graph = picture(view, { label: words.graph, point: (key) => graph.mark("anb-lit", [key]), choose: open });
  const bar = make("div", { class: "anb-row anb-opened" });
  const signs = legend(view, view.get("signs"));
  view.watch("signs", signs.show);
  view.watch("opened", (paths) =>
    bar.replaceChildren(...paths.map((path) => button(view, fill(words.close, { path }), () => close(path)).element)));
  view.watch("graph_change", (change) => {
    graph.follow(view.get("graph"), change);
    if (moved) graph.reach((key) => key === moved || key.startsWith(`${moved}.`));
  });
  view.root.append(bar, graph.element, graph.told, signs.element);
  return () => view.end();
}

export default { render };
