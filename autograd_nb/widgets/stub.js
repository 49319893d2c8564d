// Each widget's own module: it finds the parts of its front end, models that all widgets of a kernel share.  A page
// never lets go of a module, so all widgets of a kind share one module of the code; another edition has another text,
// and so another module.
const known = (globalThis[Symbol.for("autograd_nb.modules")] ??= new Map());

function moduleOf(text) {
  if (!known.has(text)) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    known.set(text, import(url).finally(() => URL.revokeObjectURL(url)));
  }
  return known.get(text);
}

/** {js, css} of each part; if a front end does not find its models, Python sends them. */
async function partsOf(model) {
  try {
    const parts = model.get("front").map((each) => model.widget_manager.get_model(each.replace("IPY_MODEL_", "")));
    return (await Promise.all(parts)).map((part) => ({ js: part.get("js"), css: part.get("css") }));
  } catch {
    return new Promise((resolve) => {
      const arrived = ({ front }) => {
        if (!front) return;
        model.off("msg:custom", arrived);
        resolve(front);
      };
      model.on("msg:custom", arrived);
      model.send({ front: true });
    });
  }
}

async function render(view) {
  const parts = await partsOf(view.model);
  const text = (kind) => parts.map((part) => part[kind]).join("\n");
  view.el.append(Object.assign(document.createElement("style"), { textContent: text("css") }));
  return (await moduleOf(text("js"))).default.render(view);
}

export default { render };
