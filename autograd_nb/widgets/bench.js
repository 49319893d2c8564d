// The bench's front end: it shows what Python ran, line by line, and sends back what the learner changes.

const [IN_SIGHT, FEWEST, NARROW] = [545, 108, 700]; // pixels of a bench that fit a screen, of its program, and across

/** The expression, or the function's name, and a slider for each input. */
function inputsOf(view) {
  const expression = bound(view, text, "expression", { label: view.words.expression });
  const problem = make("p", { class: "anb-error", role: "alert", hidden: true });
  view.watch("problem", (text) => {
    problem.hidden = !text;
    problem.textContent = text;
    expression.invalid(text);
  });
  const sliders = view.get("inputs").map(({ name, ...range }) => bound(view, slider, name, { label: name, ...range }).element);
  const element = make("div", {}, make("div", { class: "anb-inputs" }, expression.element, ...sliders), view.working, problem);
  return { element, show: (shown) => (expression.input.readOnly = shown.function) };
}

/** The buttons that add a line to the plan. */
function addersOf(view) {
  const { words } = view;
  const element = make("div", { class: "anb-row anb-adders", role: "group", "aria-label": words.add });
  const add = (line) => view.set({ plan: [...view.get("plan"), line] });
  let drawn = "";
  const show = ({ lines: { buttons, others }, edits }) => {
    if (drawn === (drawn = JSON.stringify([buttons, others, edits]))) return;
    const parts = buttons.map((line) => button(view, `+ ${line === "forward" ? words.again : line}`, () => add(line)));
    if (others.length) {
      const more = choice(view, {
        label: words.more, name: words.add, hideLabel: true, value: "", choices: [["", words.more], ...others.map((line) => [line, line])],
        change(line) {
          if (line) add(line);
          more.show("");
        },
      });
      parts.push(more);
    }
    if (edits) parts.push(button(view, words.clear, () => view.set({ plan: [] })));
    element.replaceChildren(...parts.map((each) => each.element));
  };
  return { element, show };
}

/** A line of the program that may be in the plan, with what can be changed in it. */
function lineOf(view, { code, place }, number, { edits, retains }) {
  const { words } = view;
  const plan = () => view.get("plan");
  const backward = place !== null && retains && code.match(/^(.*\.backward\()(.*)\)$/);
  const parts = [make("code", {}, backward ? backward[1] : code)];
  if (backward) {
    const keep = toggle(view, {
      label: "retain_graph=True", name: fill(words.retain_name, { line: number }), value: backward[2].includes("retain_graph=True"),
      change: (on) => view.set({ plan: plan().map((each, at) => (at === place ? each.replace(/\(.*\)/, on ? "(retain_graph=True)" : "()") : each)) }),
    });
    parts.push(keep.element, make("code", {}, ")"));
  }
  if (place !== null && edits) {
    const remove = () => view.set({ plan: plan().filter((_, at) => at !== place) });
    parts.push(button(view, "✕", remove, { label: fill(words.remove_line, { line: number }) }).element);
  }
  return make("div", { class: "anb-line" }, ...parts);
}

/** What a .grad is after a line: a bar of the parts that made it, and the number. */
function cellOf(words, cell) {
  const box = make("td", { class: "anb-grad", title: cell?.precise || undefined });
  if (!cell) return box;
  const bar = make("span", { class: `anb-bar${cell.less ? " anb-less" : ""}`, "aria-hidden": "true" });
  for (const [share, root, isNew] of cell.parts) {
    const part = make("span", { class: `anb-root-${root % 3}${isNew ? " anb-new" : ""}` });
    part.style.width = `${share * 44}px`;
    bar.append(part);
  }
  box.append(...(cell.parts.length ? [bar] : []), make("span", { class: cell.text === words.none ? "anb-note" : "anb-code" }, cell.text));
  if (cell.root) box.append(make("span", { class: "anb-note" }, cell.root));
  return box;
}

/** The program as a table: a row for each line, with what it did to every .grad and what was printed meanwhile. */
function rowsOf(view, go) {
  const { words } = view;
  const head = make("tr");
  const body = make("tbody");
  const table = make("table", { class: "anb-table anb-rows" }, make("caption", { class: "anb-hidden" }, words.rows), make("thead", {}, head), body);
  const element = make("div", { class: "anb-rows-box anb-scrolls", "data-in-page": "" }, table);
  const known = [];
  const rowOf = (row, index, shown) => {
    const number = index + 1;
    const chosen = make("button", { type: "button", class: "anb-number-of-line", "aria-label": fill(words.show_line, { line: number, code: row.code }) }, number);
    const says = row.says.map(({ kind, text, who }) => make("div", { class: `anb-said anb-${kind}` }, `${who}${text}`));
    const printed = row.says.some(({ kind }) => kind !== "print");
    const cells = shown.columns.map((name) => cellOf(words, row.cells[name]));
    const last = make("td", {}, ...(printed ? [] : says));
    const line = make("tr", { class: `anb-part-${row.part} anb-${row.state.replace(" ", "-")}`, "data-row": index },
      make("th", { scope: "row" }, chosen), make("td", {}, lineOf(view, row, number, shown)), ...cells, last);
    const loud = printed ? [make("tr", { "data-row": index, class: "anb-loud" }, make("td"), make("td", { colspan: cells.length + 2 }, ...says))] : [];
    return [line, ...loud];
  };
  const show = (shown) => {
    const texts = ["", words.program, ...shown.columns.map((name) => `${name}.grad`), shown.prints ? words.printed : ""];
    if (head.childElementCount !== texts.length || [...head.children].some((each, place) => each.textContent !== texts[place])) {
      head.replaceChildren(make("td"), ...texts.slice(1).map((each) => make("th", { scope: "col" }, each)));
    }
    const focused = element.contains(document.activeElement) && document.activeElement.ariaLabel;
    shown.rows.forEach((row, index) => {
      const text = JSON.stringify([row, shown.columns, shown.edits, shown.retains]);
      if (known[index]?.text === text) return;
      const items = rowOf(row, index, shown);
      if (known[index]) known[index].items[0].before(...items);
      else body.append(...items);
      for (const old of known[index]?.items ?? []) old.remove();
      known[index] = { text, items };
    });
    for (const extra of known.splice(shown.rows.length)) for (const item of extra.items) item.remove();
    if (focused && document.activeElement === document.body) element.querySelector(`[aria-label="${focused}"]`)?.focus({ preventScroll: true });
  };
  view.on(body, "click", (event) => {
    const row = event.target.closest("[data-row]");
    if (row && !event.target.closest("label, .anb-button")) go(Number(row.dataset.row));
  });
  const mark = (place, names = []) => {
    known.forEach(({ items }, index) => {
      for (const item of items) item.classList.toggle("anb-chosen", index === place);
      const [chosen] = items[0].getElementsByTagName("button");
      chosen.tabIndex = index === place ? 0 : -1;
      if (index === place) items[0].setAttribute("aria-current", "step");
      else items[0].removeAttribute("aria-current");
      items[0].classList.toggle("anb-lit", names.includes(view.get("shown").rows[index]?.name));
    });
  };
  const focus = (place) => known[place]?.items[0].querySelector("button").focus({ preventScroll: true });
  const reveal = (place) => {
    if (!known[place]) return; // it is on its way
    const { offsetTop: top, offsetHeight: height } = known[place].items[0];
    if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
    element.scrollTop = Math.min(element.scrollTop, top - head.offsetHeight);
  };
  return { element, show, mark, focus, reveal };
}

/** The hooks of a tensor: a chip for each, and a choice that adds one, perhaps an expression of its own. */
function hooksOf(view, name, isInput) {
  const { words } = view;
  const set = (hooks) => view.ask("switch", { name, switch: "hooks", value: hooks });
  let current = [];
  const chips = make("span", { class: "anb-chips" });
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
  return { element: make("div", { class: "anb-hooks" }, chips, adder.element, own.element, wrong), mend, show };
}

/** The switches of a tensor, by kind, each with a place for what fails because of it. */
function switchesOf(view, { name, input }) {
  const { words } = view;
  const set = (which, value) => view.ask("switch", { name, switch: which, value });
  const simple = (which) => toggle(view, { label: which, name: fill(words.switch_name, { switch: which, name }), change: (on) => set(which, on) });
  const hooks = hooksOf(view, name, input);
  const made = {
    requires_grad: simple("requires_grad"),
    retain_grad: simple("retain_grad"),
    hooks,
    cut: choice(view, {
      label: words.cuts[""], name: fill(words.cut_name, { name }), hideLabel: true, value: "", choices: Object.entries(words.cuts),
      change: (value) => set("cut", value),
    }),
  };
  const failing = {};
  for (const [kind, { element }] of Object.entries(made)) {
    failing[kind] = make("span", { class: "anb-fails", role: "status", hidden: true });
    made[kind].box = make("div", { class: "anb-switch-of", "data-switch": kind }, element, failing[kind]);
  }
  return {
    mend: hooks.mend,
    boxes: (kinds) => kinds.map((kind) => made[kind].box),
    show(row) {
      for (const kind of ["requires_grad", "retain_grad", "cut"]) made[kind].show(row[kind]);
      hooks.show(row);
      for (const [kind, mark] of Object.entries(failing)) {
        const cause = row.causes[kind];
        mark.hidden = !cause;
        mark.textContent = cause ? `✗ ${fill(words.fails, { line: cause.line })}` : "";
        mark.title = cause?.text ?? "";
      }
    },
  };
}

/** The switches that stand at the tensors of the picture, and those of the tensor that was chosen, below it. */
function tensorsOf(view) {
  const { words } = view;
  const overlay = make("div", { class: "anb-overlay" });
  const title = make("span", { class: "anb-name" });
  const strip = make("div", { class: "anb-row anb-strip", role: "group", hidden: true });
  const close = button(view, "✕", () => choose(null));
  const controls = new Map();
  let chosen = null;
  const put = (box, elements) => {
    if (box.childNodes.length !== elements.length || elements.some((each, place) => box.childNodes[place] !== each)) box.replaceChildren(...elements);
  };
  const choose = (name) => {
    chosen = name;
    const row = view.get("shown").tensors.find((each) => each.name === name);
    strip.hidden = !row;
    if (!row) return;
    title.textContent = `${name} = ${row.value}`;
    title.title = row.precise;
    strip.setAttribute("aria-label", fill(words.switches, { name }));
    close.element.setAttribute("aria-label", fill(words.close_switches, { name }));
    put(strip, [title, ...controls.get(name).boxes(row.more), close.element]);
  };
  const show = ({ tensors, down }) => {
    if ([...controls.keys()].join() !== tensors.map((row) => row.name).join()) {
      controls.clear();
      overlay.replaceChildren();
    }
    overlay.classList.toggle("anb-down", down);
    for (const row of tensors) {
      if (!controls.has(row.name)) {
        const place = make("div", { class: "anb-at", role: "group", "aria-label": fill(words.switches, { name: row.name }) });
        controls.set(row.name, { ...switchesOf(view, row), place });
        overlay.append(place);
      }
      const held = controls.get(row.name);
      held.show(row);
      held.place.hidden = !row.at || !row.open.length;
      if (row.at) [held.place.style.left, held.place.style.top] = row.at.map((each) => `${each}px`);
      put(held.place, held.boxes(row.open));
    }
    choose(controls.has(chosen) ? chosen : null);
  };
  view.watch("refused", (refused) => controls.forEach((each) => each.mend(refused)));
  return { overlay, strip, show, choose: (name) => choose(name === chosen ? null : name) };
}

/** What is not as the lesson began, each with a button that takes it back. */
function changesOf(view) {
  const { words } = view;
  const element = make("span", { class: "anb-row anb-changed" });
  let drawn = "";
  const show = ({ changed }) => {
    if (drawn === (drawn = JSON.stringify(changed))) return;
    element.replaceChildren(...(changed.length ? [make("span", { class: "anb-note" }, words.changed)] : []),
      ...changed.map(({ text, value, name, switch: which }) =>
        button(view, `${text} ✕`, () => view.ask("switch", { name, switch: which, value }), { label: fill(words.take_back, { what: text }) }).element));
  };
  return { element, show };
}

/** A stepper by itself, which Python sends as a module, for a front end that lets no widget find another. */
async function alone(view, place) {
  const text = await new Promise((resolve) => {
    view.watchEvent("msg:custom", ({ module }) => module && resolve(module));
    view.model.send({ module: true });
  });
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const el = place.appendChild(make("div"));
  const end = (await import(url)).default.render({ el });
  URL.revokeObjectURL(url);
  return { el, remove: () => [end(), el.remove()] };
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
    const made = manager ? await manager.create_view(await manager.get_model(id)) : await alone(view, element);
    if (view.get("stepper") !== id || view.ending.signal.aborted) return made.remove();
    child = made;
    element.replaceChildren(button(view, `✕ ${view.words.close_stepper}`, () => view.ask("close_stepper")).element, made.el);
    element.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
  });
  view.ending.signal.addEventListener("abort", () => child?.remove());
  return element;
}

/** The picture of the run, at the moment after a line; show(place) changes that, and light(name) what is about a tensor. */
function graphOf(view, { point, choose }) {
  const nameOf = (key) => view.get("shown").tensors.find((each) => each.key === plain(key))?.name;
  const graph = picture(view, { label: view.words.graph, point: (key) => point(nameOf(key)), choose: (key) => choose(nameOf(key)) });
  let [steps, drawing, follow, high, seen, looks] = [[], null, null, 0, new Map(), ""];
  view.watch("story", (story) => {
    steps = story.steps;
    drawing = picturedForms(graph, story, view.words.graph);
    follow = followed(story);
    const before = looks;
    looks = ["expression", "width", "whole"].map((trait) => view.get(trait)).join();
    high = Math.max(looks === before ? high : 0, story.size[1]);
    graph.frame.style.minHeight = `${high}px`; // it does not become lower under the hand
  });
  return {
    ...graph,
    show: (place) => {
      const at = Math.min(place, steps.length - 1);
      if (at >= 0) drawing.show(follow.to(at).forms, new Set(steps[at].lit.map(plain)));
    },
    /** Light up once what looks otherwise than in the run before. */
    flash: () => {
      const groups = [...graph.svg.querySelectorAll(":scope > g:not([display])")];
      const now = new Map(groups.map((group) => [`${group.dataset.key}>${group.dataset.end}`, group.innerHTML]));
      for (const group of groups) {
        const before = seen.get(`${group.dataset.key}>${group.dataset.end}`);
        if (before && before !== group.innerHTML) view.flash(group);
      }
      seen = now;
    },
    light: (name) => drawing.light(view.get("shown").tensors.filter((each) => each.name === name).map((each) => each.key)),
  };
}

/** Copy the program as a cell; more controls than the lesson's. */
function menuOf(view, stepIt) {
  const { words } = view;
  const note = make("span", { class: "anb-note", role: "status" });
  const copy = button(view, words.copy_cell, async () => {
    const { cell } = view.get("shown");
    try {
      await navigator.clipboard.writeText(cell);
      note.textContent = fill(words.copied, { text: cell.split("\n")[0] + " …" });
    } catch {
      note.textContent = fill(words.copy_failed, { text: cell });
    }
  });
  const whole = bound(view, toggle, "whole", { label: words.whole });
  const past = history(view).element;
  past.open = true; // lessons begin with "Press Reset"
  return make("div", { class: "anb-row anb-ends" }, stepIt.element, past, copy.element, whole.element, note);
}

function render({ model, el }) {
  const words = model.get("words");
  const view = new View({ model, el }, words.title);
  view.inPage = ["row"];
  view.status.classList.add("anb-sentence");
  const [inputs, adders, tensors, changes] = [inputsOf, addersOf, tensorsOf, changesOf].map((part) => part(view));
  const light = (name) => {
    graph.light(name);
    rows.mark(view.get("row"), name ? [name] : []);
  };
  const graph = graphOf(view, { point: light, choose: (name) => name && tensors.choose(name) });
  graph.element.append(tensors.overlay);
  const count = () => view.get("shown").rows.filter((row) => row.state !== "not reached").length;
  const show = () => {
    const place = Math.min(view.get("row"), count() - 1);
    graph.show(place);
    rows.mark(place);
    rows.reveal(place);
    view.say(view.get("shown").rows[place]?.sentence ?? "");
  };
  const go = (place) => {
    const wanted = Math.max(0, Math.min(place, count() - 1));
    view.set({ row: wanted });
    rows.focus(wanted);
  };
  const rows = rowsOf(view, go);
  view.on(view.root, "keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey || !event.target.closest(".anb-number-of-line")) return;
    event.preventDefault();
    go(view.get("row") + way);
  });
  const signs = legend(view, []);
  const stepper = stepperOf(view);
  const parts = make("div", { class: "anb-parts" });
  /** Let the program be so high that all is in sight at once. */
  const fit = () => {
    parts.classList.toggle("anb-beside", view.get("shown").down);
    parts.style.setProperty("--anb-wide", `${Math.max(260, view.get("story").size[0])}px`);
    const others = stepper.offsetTop - rows.element.offsetHeight;
    const narrow = view.root.clientWidth < NARROW; // where all would not be in sight anyway
    rows.element.style.maxHeight = narrow ? "none" : `${Math.max(FEWEST, IN_SIGHT - others)}px`;
  };
  view.watch("shown", (shown) => {
    for (const part of [inputs, adders, tensors, changes, rows]) part.show(shown);
    signs.show(view.get("story").legend);
    fit();
    show();
    graph.flash();
  });
  for (const trait of ["row", "story"]) view.watchEvent(`change:${trait}`, show);
  const note = make("p", { class: "anb-lead", hidden: !view.get("note") }, view.get("note"));
  const stepIt = button(view, `▷ ${words.step_it}`, () => view.ask("step_it"));
  const pictured = make("div", {}, graph.element, make("div", { class: "anb-row anb-below" }, graph.told, signs.element), tensors.strip);
  const told = make("div", {}, adders.element, rows.element, view.status, menuOf(view, stepIt), changes.element);
  parts.append(pictured, told);
  const resized = new ResizeObserver(([{ contentRect }]) => {
    const width = Math.round(contentRect.width) + 22; // with the border and the space inside it
    fit();
    rows.reveal(view.get("row"));
    if (width > 60 && Math.abs(width - view.get("width")) > 24) view.set({ width });
  });
  resized.observe(view.root);
  view.root.append(inputs.element, note, make("div", { class: "anb-holder" }, parts), stepper);
  return () => {
    resized.disconnect();
    view.end();
  };
}

export default { render };
