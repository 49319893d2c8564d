// The bench's front end: it shows what Python ran and sends back what the learner changes.

function render({ model, el }) {
  const words = model.get("words");
  const view = new View({ model, el }, words.title);
  const note = make("p", { class: "anb-note" });
  const problem = make("p", { class: "anb-error", role: "alert", hidden: true });
  const said = view.status; // for listeners: who looks sees it at its line
  said.classList.add("anb-hidden");

  // -- inputs
  const expression = text(view, {
    label: words.expression,
    value: view.get("expression"),
    change: (value) => view.set({ expression: value }),
  });
  expression.element.classList.add("anb-expression");
  view.watch("expression", expression.show);
  const sliders = view.get("inputs").map(({ name, min, max, step }) => {
    const control = slider(view, {
      label: name, min, max, step, value: view.get(name), change: (value) => view.set({ [name]: value }),
    });
    view.watch(name, control.show);
    return control.element;
  });

  // -- the program and its plan
  const program = make("ol", { class: "anb-program" });
  const plan = () => view.get("plan");
  const put = (lines) => view.set({ plan: lines });
  const add = (line) => put([...plan(), line]);
  let result = "z";
  const leaf = () => view.get("inputs")[0]?.name;
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
  const adders = make("div", { class: "anb-row", role: "group", "aria-label": words.add },
    button(view, "backward()", () => add(`${result}.backward(${retain.input.checked ? "retain_graph=True" : ""})`)).element);
  const retain = toggle(view, { label: words.retain, change: () => {} });
  const zero = button(view, "zero_()", () => add(`${target.select.value}.grad.zero_()`));
  const none = button(view, "= None", () => add(`${target.select.value}.grad = None`));
  const again = button(view, words.again, () => add("forward"));
  const clear = button(view, words.clear, () => put([]));
  adders.append(retain.element, target.element, zero.element, none.element, change.element, again.element, clear.element);
  const copyNote = make("span", { class: "anb-note", role: "status" });
  const copy = button(view, words.copy_cell, async () => {
    const cell = view.get("shown").cell;
    try {
      await navigator.clipboard.writeText(cell);
      copyNote.textContent = fill(words.copied, { text: cell.split("\n")[0] + " …" });
    } catch {
      copyNote.textContent = fill(words.copy_failed, { text: cell });
    }
  });

  const known = [];
  const showProgram = (lines) => {
    lines.forEach((line, index) => {
      const text = JSON.stringify(line);
      if (known[index]?.text === text) return;
      const item = programLine(line, index);
      if (known[index]) known[index].item.replaceWith(item);
      else program.append(item);
      known[index] = { text, item };
    });
    for (const extra of known.splice(lines.length)) extra.item.remove();
  };
  const programLine = (line, index) => {
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
  };

  // -- graph, tensors and bars
  /** Light up all that is about a tensor: its row, its line of the program, its boxes. */
  const light = (name) => {
    const { links, lines } = view.get("shown");
    tensors.mark(name ? [name] : []);
    graph.mark("anb-lit", name ? Object.keys(links).filter((key) => links[key] === name) : []);
    known.forEach(({ item }, place) => item.classList.toggle("anb-lit", Boolean(name) && lines[place]?.name === name));
  };
  const graph = picture(view, { label: words.graph, point: (key) => light(view.get("shown").links[(key ?? "").split("@")[0].split(">")[0]]) });
  const signs = legend(view, []);
  const tensors = table(view, { caption: words.tensors, columns: words.columns });
  const controls = new Map();
  const rowOf = (row) => {
    if (!controls.has(row.name)) controls.set(row.name, tensorControls(row.name, row.input));
    const held = controls.get(row.name);
    held.show(row);
    return { key: row.name, cells: [row.name, held.value, held.grad, held.requires, held.retain, held.hooks, held.cut] };
  };
  const tensorControls = (name, isInput) => {
    const set = (which, value) => view.ask("switch", { name, switch: which, value });
    const named = (which) => fill(words.switch_name, { switch: which, name });
    const requires = toggle(view, { label: "", name: named("requires_grad"), change: (on) => set("requires_grad", on) });
    const retain = toggle(view, { label: "", name: named("retain_grad"), change: (on) => set("retain_grad", on) });
    const cut = choice(view, {
      label: words.cut, name: fill(words.cut_name, { name }), hideLabel: true, value: "", choices: Object.entries(words.cuts),
      change: (value) => set("cut", value),
    });
    let current = [];
    const chips = make("span", { class: "anb-row" });
    const own = text(view, {
      label: "", name: fill(words.own_hook, { name }), hideLabel: true, value: "",
      change(value) {
        if (value.trim()) set("hooks", [...current, value.trim()]);
        else closeOwn();
      },
    });
    const wrong = make("span", { class: "anb-error", role: "alert", hidden: true });
    const closeOwn = (refused = {}) => {
      const mine = refused.name === name; // what was written stays where it can be mended
      own.element.hidden = !mine;
      own.show(mine ? refused.text : "");
      own.invalid(mine ? refused.cause : "");
      wrong.textContent = mine ? refused.cause : "";
      wrong.hidden = !mine;
    };
    closeOwn(view.get("refused"));
    own.element.placeholder = "grad * 2";
    const elsewhere = isInput ? ["before", "after"] : ["accumulated"]; // a leaf has no node, and .grad is a leaf's
    const adder = choice(view, {
      label: "", name: fill(words.add_hook, { name }), hideLabel: true, value: "", choices: Object.entries(words.hooks).filter(([kind]) => !elsewhere.includes(kind)),
      change(value) {
        adder.show("");
        if (value === "own") {
          own.element.hidden = false;
          own.input.focus();
        } else if (value) set("hooks", [...current, value]);
      },
    });
    const value = make("span", { class: "anb-code" });
    const grad = make("span", { class: "anb-code" });
    return {
      value, grad, requires: requires.element, retain: retain.element,
      hooks: make("div", { class: "anb-row" }, chips, adder.element, own.element, wrong),
      mend: closeOwn,
      cut: isInput ? make("span", {}, "") : cut.element,
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
        if (JSON.stringify(current) !== JSON.stringify(row.hooks) || chips.childElementCount !== row.hooks.length) {
          current = row.hooks;
          closeOwn();
          chips.replaceChildren(...row.hooks.map((hook, place) => {
            const label = fill(words.remove_hook, { hook, name });
            const shown = words.hooks[hook] ?? hook;
            return button(view, `${shown} ✕`, () => set("hooks", current.filter((_, at) => at !== place)), { label, title: row.handles[place] }).element;
          }));
        }
      },
    };
  };

  const bars = make("div", { class: "anb-bars" });
  const showBars = (all) => {
    bars.replaceChildren(...all.map(({ name, steps }) => {
      const lowest = steps.some((step) => step.now < 0);
      const row = make("div", { class: `anb-bar-row${lowest ? " anb-both" : ""}`, role: "group", "aria-label": `${name}.grad` }, make("span", { class: "anb-name" }, `${name}.grad`));
      for (const step of steps) {
        const bar = make("div", { class: "anb-bar", role: "img", "aria-label": `${step.code}: ${step.text}`, title: `${step.code}: ${step.precise}` });
        const stem = make("div", { class: "anb-stem" });
        const piece = (kind, from, to) => {
          const box = make("div", { class: `anb-piece anb-${kind}` });
          const [low, high] = [Math.min(from, to), Math.max(from, to)];
          const scale = (value) => (lowest ? (value + 1) / 2 : value) * 100;
          box.style.bottom = `${scale(low)}%`;
          box.style.height = `${scale(high) - scale(low)}%`;
          stem.append(box);
        };
        if (step.kept) piece("kept", 0, step.kept);
        if (step.now !== step.kept) piece("added", step.kept, step.now);
        bar.append(make("span", { class: "anb-code" }, step.text), stem, make("span", { class: "anb-note" }, step.number));
        row.append(bar);
      }
      return row;
    }));
    if (!all.length) bars.append(make("p", { class: "anb-note" }, view.get("shown").no_bars));
  };

  // -- what is not PyTorch's default
  const changed = make("div", { class: "anb-row anb-changed" });
  const showChanged = (all) => {
    changed.replaceChildren(make("span", { class: "anb-note" }, all.length ? words.changed : words.unchanged),
      ...all.map(({ text, name, switch: which }) =>
        button(view, `${text} ✕`, () => view.ask("switch", { name, switch: which, value: null }), { label: fill(words.take_back, { what: text }) }).element));
  };

  let drawnChanges = "";
  let drawnBars = "";
  view.watch("shown", (shown) => {
    expression.input.readOnly = shown.function;
    result = shown.result;
    signs.show(shown.legend);
    showProgram(shown.lines);
    const names = shown.tensors.map((row) => row.name).join();
    if (names !== target.names) {
      const kept = target.select.value;
      target.names = names;
      target.select.replaceChildren(...shown.tensors.map((row) => make("option", { value: row.name }, row.name)));
      target.show(shown.tensors.some((row) => row.name === kept) ? kept : leaf());
      controls.clear();
      nameChanges();
    }
    tensors.show(shown.tensors.map(rowOf));
    if (drawnBars !== (drawnBars = JSON.stringify([shown.bars, shown.no_bars]))) showBars(shown.bars);
    if (drawnChanges !== (drawnChanges = JSON.stringify(shown.changed))) showChanged(shown.changed);
    const loud = shown.lines.flatMap((line) => line.says.filter((each) => each.kind !== "print").map((each) => `${line.code}: ${each.text}`));
    view.say(loud.join("\n") || words.all_went_well);
  });
  view.watch("problem", (text) => {
    problem.hidden = !text;
    problem.textContent = text;
    expression.invalid(text);
  });
  const follow = () => graph.follow(view.get("base"), view.get("base_change")).forEach((group) => view.flash(group));
  view.watchEvent("change:base_change", follow);
  view.watchEvent("change:base", follow);
  view.watch("note", (text) => {
    note.textContent = text;
    note.hidden = !text;
  });
  linked(view, tensors.element, light);
  follow();

  // -- the same run in the stepper
  const stepping = make("div", { class: "anb-stepping" });
  let child = null;
  view.watch("refused", (refused) => controls.forEach((each) => each.mend(refused)));
  view.watch("stepper", async (id) => {
    child?.remove();
    child = null;
    stepping.replaceChildren();
    if (!id) return;
    const made = await model.widget_manager.create_view(await model.widget_manager.get_model(id));
    if (view.get("stepper") !== id || view.ending.signal.aborted) return made.remove();
    child = made;
    stepping.replaceChildren(button(view, `✕ ${words.close_stepper}`, () => view.ask("close_stepper")).element, made.el);
    stepping.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
  });
  const stepIt = button(view, `▷ ${words.step_it}`, () => view.ask("step_it"));

  const graphBox = panel(words.graph, graph.element, graph.told, signs.element);
  const left = make("div", {},
    panel(words.inputs, expression.element, ...sliders, view.working, problem),
    panel(words.program, program, adders, make("div", { class: "anb-row anb-ends" }, stepIt.element, copy.element, copyNote)));
  const right = make("div", {}, panel(words.bars, bars, make("p", { class: "anb-note" }, words.bars_note)));
  const columns = make("div", { class: "anb-bench" }, graphBox, left, right);
  view.watch("base", () => columns.classList.toggle("anb-tall", !graph.wide));
  view.root.append(note, changed, make("div", { class: "anb-holder" }, columns), make("section", { class: "anb-panel" }, tensors.element),
    stepping, said, history(view).element);
  view.ending.signal.addEventListener("abort", () => child?.remove());
  return () => view.end();
}

export default { render };
