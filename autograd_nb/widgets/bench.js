// The bench's front end: it shows what Python ran and sends back what the learner changes.

const PROGRAM = 340; // pixels that inputs and program need beside the graph

/** The expression, or the function's name, and a slider for each input. */
function inputsOf(view) {
  const expression = bound(view, text, "expression", { label: view.words.expression });
  expression.element.classList.add("anb-expression");
  const problem = make("p", { class: "anb-error", role: "alert", hidden: true });
  view.watch("problem", (text) => {
    problem.hidden = !text;
    problem.textContent = text;
    expression.invalid(text);
  });
  const sliders = view.get("inputs").map(({ name, ...range }) => bound(view, slider, name, { label: name, ...range }).element);
  const element = panel(view.words.inputs, expression.element, ...sliders, view.working, problem);
  return { element, show: (shown) => (expression.input.readOnly = shown.function) };
}

/** The buttons that add a line to the plan; show(shown) takes the names of the tensors anew. */
function addersOf(view) {
  const { words } = view;
  const add = (line) => view.set({ plan: [...view.get("plan"), line] });
  let [names, result] = ["", "z"];
  const target = choice(view, { label: words.tensors, name: words.tensor_of_plan, hideLabel: true, choices: [], value: "", change: () => nameChanges() });
  const change = choice(view, {
    label: words.change, name: words.change_name, hideLabel: true, value: "",
    choices: [["", words.change], ...words.changes.map((each) => [each, each])],
    change(form) {
      if (form) add(fill(form, { name: target.select.value }));
      change.show("");
    },
  });
  const nameChanges = () => {
    [...change.select.options].slice(1).forEach((option, place) => {
      option.textContent = fill(words.changes[place], { name: target.select.value });
    });
  };
  const retain = toggle(view, { label: words.retain, change: () => {} });
  const parts = [
    button(view, "backward()", () => add(`${result}.backward(${retain.input.checked ? "retain_graph=True" : ""})`)),
    retain,
    target,
    button(view, "zero_()", () => add(`${target.select.value}.grad.zero_()`)),
    button(view, "= None", () => add(`${target.select.value}.grad = None`)),
    change,
    button(view, words.again, () => add("forward")),
    button(view, words.clear, () => view.set({ plan: [] })),
  ];
  const element = make("div", { class: "anb-row", role: "group", "aria-label": words.add }, ...parts.map((each) => each.element));
  const show = (shown) => {
    result = shown.result;
    const all = shown.tensors.map((row) => row.name);
    if (names === (names = all.join())) return;
    const kept = target.select.value;
    target.select.replaceChildren(...all.map((name) => make("option", { value: name }, name)));
    target.show(all.includes(kept) ? kept : view.get("inputs")[0]?.name);
    nameChanges();
  };
  return { element, show };
}

/** The program, line by line, with what each said; light(name) marks the line that made a tensor. */
function programOf(view) {
  const element = make("ol", { class: "anb-program" });
  const known = [];
  const show = ({ lines }) => {
    lines.forEach((line, index) => {
      const text = JSON.stringify(line);
      if (known[index]?.text === text) return;
      const item = programLine(view, line, index);
      if (known[index]) known[index].item.replaceWith(item);
      else element.append(item);
      known[index] = { text, item };
    });
    for (const extra of known.splice(lines.length)) extra.item.remove();
  };
  const light = (name) => {
    const { lines } = view.get("shown");
    known.forEach(({ item }, place) => item.classList.toggle("anb-lit", Boolean(name) && lines[place]?.name === name));
  };
  return { element, show, light };
}

function programLine(view, line, index) {
  const { words } = view;
  const plan = () => view.get("plan");
  const put = (lines) => view.set({ plan: lines });
  const code = make("code", {}, line.code);
  const row = make("div", { class: "anb-row" }, code);
  if (line.state === "not reached") row.append(make("span", { class: "anb-note" }, `# ${words.not_reached}`));
  if (line.place !== null) {
    const place = line.place;
    if (/\.backward\(/.test(line.code)) {
      const keep = toggle(view, {
        label: words.retain, name: fill(words.retain_name, { line: index + 1 }),
        value: /retain_graph=True/.test(line.code),
        change: (on) => put(plan().map((each, at) => (at === place ? each.replace(/\(.*\)/, on ? "(retain_graph=True)" : "()") : each))),
      });
      row.append(keep.element);
    }
    row.append(button(view, "✕", () => put(plan().filter((_, at) => at !== place)), { label: fill(words.remove_line, { line: index + 1 }) }).element);
  }
  const item = make("li", { class: `anb-part-${line.part} anb-${line.state.replace(" ", "-")}` }, row);
  for (const { kind, text } of line.says) item.append(make("div", { class: `anb-said anb-${kind}` }, text));
  return item;
}

/** The button that copies the program as a cell, and what came of that. */
function copying(view) {
  const note = make("span", { class: "anb-note", role: "status" });
  const copy = button(view, view.words.copy_cell, async () => {
    const cell = view.get("shown").cell;
    try {
      await navigator.clipboard.writeText(cell);
      note.textContent = fill(view.words.copied, { text: cell.split("\n")[0] + " …" });
    } catch {
      note.textContent = fill(view.words.copy_failed, { text: cell });
    }
  });
  return [copy.element, note];
}

/** The hooks of a tensor: a chip for each, and a choice that adds one, perhaps an expression of its own. */
function hooksOf(view, name, isInput) {
  const { words } = view;
  const set = (hooks) => view.ask("switch", { name, switch: "hooks", value: hooks });
  let current = [];
  const chips = make("span", { class: "anb-row" });
  const own = text(view, {
    label: "", name: fill(words.own_hook, { name }), hideLabel: true, value: "",
    change(value) {
      if (value.trim()) set([...current, value.trim()]);
      else mend();
    },
  });
  own.element.placeholder = "grad * 2";
  const wrong = make("span", { class: "anb-error", role: "alert", hidden: true });
  /** Close the field for an expression, or show which one could not be read. */
  const mend = (refused = {}) => {
    const mine = refused.name === name; // what was written stays where it can be mended
    own.element.hidden = !mine;
    own.show(mine ? refused.text : "");
    own.invalid(mine ? refused.cause : "");
    wrong.textContent = mine ? refused.cause : "";
    wrong.hidden = !mine;
  };
  mend(view.get("refused"));
  const elsewhere = isInput ? ["before", "after"] : ["accumulated"]; // a leaf has no node, and .grad is a leaf's
  const adder = choice(view, {
    label: "", name: fill(words.add_hook, { name }), hideLabel: true, value: "", choices: Object.entries(words.hooks).filter(([kind]) => !elsewhere.includes(kind)),
    change(value) {
      adder.show("");
      if (value === "own") {
        own.element.hidden = false;
        own.input.focus();
      } else if (value) set([...current, value]);
    },
  });
  const show = ({ hooks, handles }) => {
    if (JSON.stringify(current) === JSON.stringify(hooks) && chips.childElementCount === hooks.length) return;
    current = hooks;
    mend();
    chips.replaceChildren(...hooks.map((hook, place) => {
      const label = fill(words.remove_hook, { hook, name });
      const removed = () => set(current.filter((_, at) => at !== place));
      return button(view, `${words.hooks[hook] ?? hook} ✕`, removed, { label, title: handles[place] }).element;
    }));
  };
  return { element: make("div", { class: "anb-row" }, chips, adder.element, own.element, wrong), mend, show };
}

/** What stands in a tensor's row: its numbers and its switches. */
function tensorControls(view, name, isInput) {
  const { words } = view;
  const set = (which, value) => view.ask("switch", { name, switch: which, value });
  const named = (which) => fill(words.switch_name, { switch: which, name });
  const requires = toggle(view, { label: "", name: named("requires_grad"), change: (on) => set("requires_grad", on) });
  const retain = toggle(view, { label: "", name: named("retain_grad"), change: (on) => set("retain_grad", on) });
  const hooks = hooksOf(view, name, isInput);
  const cut = choice(view, {
    label: words.cut, name: fill(words.cut_name, { name }), hideLabel: true, value: "", choices: Object.entries(words.cuts),
    change: (value) => set("cut", value),
  });
  const value = make("span", { class: "anb-code" });
  const grad = make("span", { class: "anb-code" });
  return {
    mend: hooks.mend,
    cells: [name, value, grad, requires.element, retain.element, hooks.element, isInput ? make("span", {}, "") : cut.element],
    show(row) {
      value.textContent = row.value;
      value.title = row.precise;
      if (grad.textContent !== row.grad && grad.textContent) view.flash(grad);
      grad.textContent = row.grad;
      grad.title = row.precise_grad;
      requires.show(row.requires);
      requires.enable(row.input, words.only_leaves);
      retain.show(row.retain_grad);
      cut.show(row.cut);
      hooks.show(row);
    },
  };
}

/** The tensors, a row for each; mend(refused) tells of a hook that could not be read. */
function tensorsOf(view) {
  const { element, mark, show } = table(view, { caption: view.words.tensors, columns: view.words.columns });
  const controls = new Map();
  const rowOf = (row) => {
    if (!controls.has(row.name)) controls.set(row.name, tensorControls(view, row.name, row.input));
    const held = controls.get(row.name);
    held.show(row);
    return { key: row.name, cells: held.cells };
  };
  view.watch("refused", (refused) => controls.forEach((each) => each.mend(refused)));
  return {
    element,
    mark,
    show({ tensors }) {
      if ([...controls.keys()].join() !== tensors.map((row) => row.name).join()) controls.clear();
      show(tensors.map(rowOf));
    },
  };
}

/** What every .grad was after each line of the plan. */
function barsOf(view) {
  const element = make("div", { class: "anb-bars" });
  const barOf = (step, signed) => {
    const bar = make("div", { class: "anb-bar", role: "img", "aria-label": `${step.code}: ${step.text}`, title: `${step.code}: ${step.precise}` });
    const stem = make("div", { class: "anb-stem" });
    const piece = (kind, from, to) => {
      const box = make("div", { class: `anb-piece anb-${kind}` });
      const [low, high] = [Math.min(from, to), Math.max(from, to)];
      const scale = (value) => (signed ? (value + 1) / 2 : value) * 100;
      box.style.bottom = `${scale(low)}%`;
      box.style.height = `${scale(high) - scale(low)}%`;
      stem.append(box);
    };
    if (step.kept) piece("kept", 0, step.kept);
    if (step.now !== step.kept) piece("added", step.kept, step.now);
    bar.append(make("span", { class: "anb-code" }, step.text), stem, make("span", { class: "anb-note" }, step.number));
    return bar;
  };
  let drawn = "";
  const show = ({ bars, no_bars }) => {
    if (drawn === (drawn = JSON.stringify([bars, no_bars]))) return;
    element.replaceChildren(...bars.map(({ name, steps }) => {
      const signed = steps.some((step) => step.now < 0);
      const title = make("span", { class: "anb-name" }, `${name}.grad`);
      return make("div", { class: `anb-bar-row${signed ? " anb-both" : ""}`, role: "group", "aria-label": `${name}.grad` },
        title, ...steps.map((step) => barOf(step, signed)));
    }));
    if (!bars.length) element.append(make("p", { class: "anb-note" }, no_bars));
  };
  return { element: panel(view.words.bars, element, make("p", { class: "anb-note" }, view.words.bars_note)), show };
}

/** What is not PyTorch's default, each with a button that takes it back. */
function changesOf(view) {
  const { words } = view;
  const element = make("div", { class: "anb-row anb-changed" });
  let drawn = "";
  const show = ({ changed }) => {
    if (drawn === (drawn = JSON.stringify(changed))) return;
    element.replaceChildren(make("span", { class: "anb-note" }, changed.length ? words.changed : words.unchanged),
      ...changed.map(({ text, name, switch: which }) =>
        button(view, `${text} ✕`, () => view.ask("switch", { name, switch: which, value: null }), { label: fill(words.take_back, { what: text }) }).element));
  };
  return { element, show };
}

/** The same run in the stepper, once it is asked for. */
function stepperOf(view) {
  const element = make("div", { class: "anb-stepping" });
  const manager = view.model.widget_manager;
  let child = null;
  view.watch("stepper", async (id) => {
    child?.remove();
    child = null;
    element.replaceChildren();
    if (!id) return;
    const made = await manager.create_view(await manager.get_model(id));
    if (view.get("stepper") !== id || view.ending.signal.aborted) return made.remove();
    child = made;
    element.replaceChildren(button(view, `✕ ${view.words.close_stepper}`, () => view.ask("close_stepper")).element, made.el);
    element.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
  });
  view.ending.signal.addEventListener("abort", () => child?.remove());
  return element;
}

/** Inputs and program, the graph and the bars: the graph beside the program where there is room for both, else above. */
function laidOut(view, graph, signs, left, bars) {
  const box = panel(view.words.graph, graph.element, graph.told, signs.element);
  const columns = make("div", { class: "anb-bench" }, box, left, make("div", {}, bars.element));
  const place = () => {
    const width = graph.svg.width.baseVal.value + 20; // with the panel's border
    columns.style.setProperty("--anb-graph", `${width}px`);
    columns.classList.toggle("anb-beside", columns.clientWidth >= width + PROGRAM);
  };
  const watcher = new ResizeObserver(place);
  watcher.observe(columns);
  view.ending.signal.addEventListener("abort", () => watcher.disconnect());
  view.watch("base", place);
  return make("div", { class: "anb-holder" }, columns);
}

function render({ model, el }) {
  const words = model.get("words");
  const view = new View({ model, el }, words.title);
  view.status.classList.add("anb-hidden"); // for listeners: who looks sees it at its line
  const [inputs, program, adders, bars, changes, tensors] = [inputsOf, programOf, addersOf, barsOf, changesOf, tensorsOf].map((part) => part(view));
  /** Light up all that is about a tensor: its row, its line of the program, its boxes. */
  const light = (name) => {
    const { links } = view.get("shown");
    tensors.mark(name ? [name] : []);
    graph.mark("anb-lit", name ? Object.keys(links).filter((key) => links[key] === name) : []);
    program.light(name);
  };
  const graph = picture(view, { label: words.graph, point: (key) => light(view.get("shown").links[(key ?? "").split("@")[0].split(">")[0]]) });
  const signs = legend(view, []);
  view.watch("shown", (shown) => {
    for (const part of [inputs, program, adders, bars, changes, tensors]) part.show(shown);
    signs.show(shown.legend);
    const loud = shown.lines.flatMap((line) => line.says.filter((each) => each.kind !== "print").map((each) => `${line.code}: ${each.text}`));
    view.say(loud.join("\n") || words.all_went_well);
  });
  const follow = () => graph.follow(view.get("base"), view.get("base_change")).forEach((group) => view.flash(group));
  view.watchEvent("change:base_change", follow);
  view.watchEvent("change:base", follow);
  follow();
  const note = make("p", { class: "anb-note" });
  view.watch("note", (text) => {
    note.textContent = text;
    note.hidden = !text;
  });
  linked(view, tensors.element, light);
  const stepIt = button(view, `▷ ${words.step_it}`, () => view.ask("step_it"));
  const ends = make("div", { class: "anb-row anb-ends" }, stepIt.element, ...copying(view));
  const left = make("div", {}, inputs.element, panel(words.program, program.element, adders.element, ends));
  view.root.append(note, changes.element, laidOut(view, graph, signs, left, bars),
    make("section", { class: "anb-panel" }, tensors.element), stepperOf(view), view.status, history(view).element);
  return () => view.end();
}

export default { render };
