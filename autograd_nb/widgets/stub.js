// What each widget brings as its own module.  A page never lets go of a module, and so the code itself, a trait, is made
// one only once for all widgets of a kind; what another edition brings is another text, and another module.
const known = (globalThis[Symbol.for("autograd_nb.modules")] ??= new Map());

function moduleOf(text) {
  if (!known.has(text)) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    known.set(text, import(url).finally(() => URL.revokeObjectURL(url)));
  }
  return known.get(text);
}

export default { render: async (view) => (await moduleOf(view.model.get("front"))).default.render(view) };
