// A large graph: a click or Enter opens the box of a folded module, a button closes it.  Python draws each picture.

const PATH = /^module ([^>]+?)( #\d+)?$/; // in the key of its box; an arrow's key has a ">"

function Unfolding({ view }) {
  const { words } = view;
  const [moved, moves] = useState(null); // the last module that opened or closed
  const [pointed, point] = useState(null);
  const [frame, goTo] = [useRef(), useRef()];
  const { value: paths, change } = bound(view, "opened");
  const graph = view.get("graph");
  const show = (path, paths) => {
    moves(`module ${path}`);
    change(paths);
  };
  const open = (key) => {
    const [, path] = PATH.exec(key) ?? [];
    if (!path) return;
    goTo.current((each) => each === key);
    show(path, [...paths, path]);
  };
  const close = (path) => {
    frame.current.focus(); // the button will be gone
    show(path, paths.filter((each) => !`${each}.`.startsWith(`${path}.`)));
  };
  useLayoutEffect(() => {
    if (moved) goTo.current((key) => key === moved || key.startsWith(`${moved}.`));
  }, [graph]);
  const views = view.get("views");
  return html`<div class="anb-row anb-opened">${views.length > 0 && viewChoice(view, words.view, views)}${paths.map((path) => button(fill(words.close, { path }), () => close(path), { key: path }))}</div>
    <${Picture} view=${view} frame=${frame} goTo=${goTo} label=${words.graph} ...${graph} spoken=${graph.text} marks=${{ "anb-lit": [pointed] }}
      point=${point} choose=${open} below=${legend(view, view.get("signs"))} />`;
}

export default defineWidget(Unfolding);
