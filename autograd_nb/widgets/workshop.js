// Two boxes for the code of an operation, and both of its Jacobians side by side.  What is right is Python's verdict.

/** One matrix of numbers; wrong entries are framed, marked "!" and told in words. */
function matrix(words, one, kind) {
  const head = make("tr", {}, make("td"), ...one.columns.map((name) => make("th", { scope: "col" }, name)));
  const rows = one.rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row.name), ...row.entries.map((entry) => {
    const wrong = entry.right ? [] : [make("span", { class: "anb-hidden" }, ` (${fill(words.wrong_entry, entry)})`)];
    return make("td", { class: entry.right ? "" : "anb-wrong", title: entry.right ? undefined : fill(words.wrong_entry, entry) }, entry[kind], ...wrong);
  })));
  return make("table", { class: "anb-table anb-matrix" }, make("caption", {}, words[kind]), make("thead", {}, head), make("tbody", {}, ...rows));
}

function render({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const { words } = view;
  const fields = {};
  const put = (name) => (value) => view.set({ work: { ...view.get("work"), [name]: value } });
  for (const name of ["forward", "backward"]) {
    const field = text(view, { label: words[name], rows: 6, value: view.get("work")[name], change: put(name) });
    field.element.classList.add("anb-box");
    view.on(field.input, "keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) {
        event.preventDefault();
        take();
      }
    });
    fields[name] = field;
  }
  fields.inputs = text(view, { label: words.inputs, value: view.get("work").inputs, change: put("inputs") });
  /** Hand over what stands in the boxes, and have it run. */
  const take = () => {
    const written = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.input.value]));
    const same = Object.entries(view.get("work")).every(([name, value]) => value === written[name]);
    if (same) view.ask("run");
    else view.set({ work: written });
  };
  const presets = [["", words.own], ...Object.entries(words.presets)];
  const preset = choice(view, { label: words.preset, choices: presets, value: view.get("preset"), change: (name) => view.ask("preset", { name }) });
  preset.select.options[0].disabled = true;
  const dtypes = ["float64", "float32"].map((name) => [name, name]);
  const dtype = bound(view, choice, "dtype", { label: words.dtype, choices: dtypes });
  const eps = bound(view, slider, "eps", { label: "eps", name: words.eps, min: 1e-12, max: 1, logarithmic: true });
  const run = button(view, words.run, take);
  const verdict = make("div", { role: "status", "aria-live": "polite", class: "anb-said" });
  const tables = make("div", { class: "anb-tables" });

  view.watch("work", (work) => Object.entries(fields).forEach(([name, field]) => field.show(work[name])));
  view.watch("preset", preset.show);
  view.watch("tables", (all) => tables.replaceChildren(...all.map((one) => make("section", { "aria-label": one.title },
    make("h4", {}, one.title), make("div", { class: "anb-pair" }, matrix(words, one, "numerical"), matrix(words, one, "analytical"))))));
  view.watch("verdict", ({ ok, head, text, entries, result, printed, warned }) => {
    verdict.className = `anb-said ${ok ? "anb-fine" : "anb-error"}`;
    verdict.replaceChildren();
    if (!head) return;
    verdict.append(make("strong", {}, head), ...entries.map((each) => make("p", {}, each)));
    if (text) verdict.append(make("pre", {}, text));
    verdict.append(make("p", { class: "anb-code" }, result));
    for (const each of warned) verdict.append(make("p", { class: "anb-warning" }, each));
    if (printed) verdict.append(make("p", {}, words.printed), make("pre", {}, printed));
  });
  view.watch("problem", (problem) => {
    view.complain(problem);
    verdict.classList.toggle("anb-stale", Boolean(problem));
    tables.classList.toggle("anb-stale", Boolean(problem));
  });

  const layout = make("p", { class: "anb-note" }, words.layout);
  const boxes = make("div", { class: "anb-boxes" }, fields.forward.element, fields.backward.element);
  const settings = make("div", { class: "anb-row" }, fields.inputs.element, dtype.element, eps.element);
  const runs = make("div", { class: "anb-row" }, run.element, make("span", { class: "anb-note" }, words.keys));
  view.root.append(make("p", { class: "anb-lead" }, words.lead), preset.element, boxes, settings, runs, verdict, tables, layout, history(view).element);
  return () => view.end();
}

export default { render };
