// The bench's front end: it shows what Python ran, line by line, and sends back what the learner changes.

const [IN_SIGHT, FEWEST, NARROW] = [545, 108, 700]; // pixels of a bench that fit a screen, of its program, and across
const MOST_SLIDERS = 6; // of an input

/** The places of an input's numbers, in order: [[]] of a single one, [[0], [1], …], [[0, 0], [0, 1], …]. */
const placesIn = (shape) => shape.reduce((all, size) => all.flatMap((each) => [...Array(size).keys()].map((at) => [...each, at])), [[]]);
const reached = (value, place) => place.reduce((rows, at) => rows[at], value);
const changedAt = (value, [at, ...rest], wish) => (at === undefined ? wish : value.map((each, here) => (here === at ? changedAt(each, rest, wish) : each)));

/** The sliders of an input, one for each of its numbers; where there are many, one for the number that is chosen. */
function sliderOf(view, { name, shape, ...range }) {
  const places = placesIn(shape);
  const many = places.length > MOST_SLIDERS;
  const label = (place) => name + (place.length ? `[${place.join(", ")}]` : "");
  const set = (place, wish) => view.set({ [name]: changedAt(view.get(name), place, wish) });
  const own = (place) => slider(view, { label: label(place), ...range, value: reached(view.get(name), place), change: (wish) => set(place, wish) });
  let [at, shown] = [places[0], []];
  const element = make("div", { class: "anb-input" });
  const draw = () => {
    shown = (many ? [at] : places).map((place) => ({ place, ...own(place) }));
    element.replaceChildren(...shown.map((each) => each.element), ...(many ? [picker.element] : []));
  };
  const choose = (value) => {
    at = places[value];
    draw();
  };
  const picker = choice(view, { label: "", name: fill(view.words.element, { name }), hideLabel: true, value: "0", choices: places.map((place, number) => [number, label(place)]), change: choose });
  draw();
  const show = (value) => shown.forEach((each) => each.show(reached(value, each.place)));
  view.watch(name, show);
  return element;
}

/** The expression, or the function's name, and what sets each input. */
function inputsOf(view) {
  const expression = bound(view, text, "expression", { label: view.words.expression });
  const problem = make("p", { class: "anb-error", role: "alert", hidden: true });
  view.watch("problem", (text) => {
    problem.hidden = !text;
    problem.textContent = text;
    expression.invalid(text);
  });
  const known = new Map(); // by name and shape, as an input may come and go
  const sliders = make("div", { class: "anb-sliders" });
  view.watch("inputs", (inputs) => {
    const wanted = inputs.map((input) => {
      const text = JSON.stringify(input);
      if (!known.has(text)) known.set(text, sliderOf(view, input));
      return known.get(text);
    });
    sliders.replaceChildren(...wanted);
  });
  const element = make("div", {}, make("div", { class: "anb-inputs" }, expression.element, sliders), view.working, problem);
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

// What can be switched in a call of the plan: whether its control is there, the call, and the argument
const ARGUMENTS = [["retains", /^(.*\.backward\()(.*)\)$/, "retain_graph=True"], ["edits", /^(optimizer\.zero_grad\()(.*)\)$/, "set_to_none=False"]];

/** A line of the program that may be in the plan, with what can be changed in it. */
function lineOf(view, { code, place }, number, shown) {
  const { words } = view;
  const { edits } = shown;
  const plan = () => view.get("plan");
  const [, call, argument] = (place !== null && ARGUMENTS.find(([control, form]) => shown[control] && form.test(code))) || [];
  const [, before, given] = (call && code.match(call)) || [null, code];
  const parts = [make("code", {}, before)];
  if (argument) {
    const name = fill(words.argument_of, { name: argument.split("=")[0], line: number });
    const change = (on) => view.set({ plan: plan().map((each, at) => (at === place ? each.replace(/\(.*\)/, `(${on ? argument : ""})`) : each)) });
    parts.push(toggle(view, { label: argument, name, value: given === argument, change }).element, make("code", {}, ")"));
  }
  if (place !== null && edits) {
    const remove = () => view.set({ plan: plan().filter((_, at) => at !== place) });
    parts.push(button(view, "✕", remove, { label: fill(words.remove_line, { line: number }) }).element);
  }
  return make("div", { class: "anb-line" }, ...parts);
}

/** What a .grad is after a line: a bar of the parts that made it, and the number. */
function cellOf(words, cell) {
  const box = make("td", { class: "anb-grad" });
  if (!cell) return box;
  const bar = make("span", { class: `anb-bar${cell.less ? " anb-less" : ""}`, "aria-hidden": "true" });
  for (const [share, root, isNew] of cell.parts) {
    const part = make("span", { class: `anb-root-${root % 3}${isNew ? " anb-new" : ""}` });
    part.style.width = `${share * 44}px`;
    bar.append(part);
  }
  box.append(...(cell.parts.length ? [bar] : []), make("span", { class: cell.text === words.none ? "anb-note" : "anb-code", title: cell.precise || undefined }, cell.text));
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
  const mark = (place, { names = [], told = () => true } = {}) => {
    known.forEach(({ items }, index) => {
      for (const item of items) {
        item.classList.toggle("anb-chosen", index === place);
        item.classList.toggle("anb-hides", !told(index));
        item.classList.toggle("anb-apart", view.get("apart").rows.includes(index));
      }
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
  const show = ({ changed, than }) => {
    if (drawn === (drawn = JSON.stringify([changed, than]))) return;
    element.replaceChildren(...(changed.length ? [make("span", { class: "anb-note" }, words[than])] : []),
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
    for (const each of graph.svg.querySelectorAll("text")) each.classList.toggle("anb-number-told", /(^|[\s:[(])[-−]?\d|None/.test(each.textContent));
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
    /** Mark the tensors with these names. */
    differ: (names) => {
      const keys = view.get("shown").tensors.filter(({ name }) => names.includes(name)).map(({ key }) => key);
      for (const group of graph.svg.querySelectorAll(":scope > g[data-kind=box]")) group.classList.toggle("anb-apart", keys.includes(plain(group.dataset.key)));
    },
  };
}

/** What is done with the bench as a whole; what is seldom wanted opens. */
function menuOf(view, move) {
  const { words } = view;
  const ways = [["◀", words.line_before, -1], ["▶", words.line_after, 1]].map(([sign, label, way]) => button(view, sign, () => move(way), { label }));
  const through = make("span", { class: "anb-ways", "data-in-page": "" }, ...ways.map((each) => each.element));
  const stepIt = button(view, `▷ ${words.step_it}`, () => view.ask("step_it")).element;
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
  const toggles = ["large", "predict"].map((trait) => bound(view, toggle, trait, { label: words[trait] }).element);
  const whole = bound(view, toggle, "whole", { label: words.whole }).element;
  const past = history(view).element;
  past.open = true; // lessons begin with "Press Reset"
  const modes = make("span", { class: "anb-modes", "data-in-page": "" }, ...toggles);
  const more = make("details", { class: "anb-more" }, make("summary", {}, words.more_controls), make("div", {}, copy.element, whole, modes));
  const element = make("div", { class: "anb-row anb-ends" }, stepIt, past, more, note);
  view.watch("large", (large) => {
    more.open = large;
    if (large) element.prepend(through);
    else through.remove();
  });
  view.on(more, "change", () => (more.open = view.get("large")));
  view.on(document, "pointerdown", ({ target }) => more.contains(target) || (more.open = view.get("large")));
  return element;
}

function render({ model, el }) {
  const words = model.get("words");
  const view = new View({ model, el }, words.title);
  view.inPage = ["row", "large", "predict"];
  view.status.classList.add("anb-sentence");
  const [inputs, adders, tensors, changes] = [inputsOf, addersOf, tensorsOf, changesOf].map((part) => part(view));
  const guessed = new Set(); // lines whose numbers may be seen where one predicts first
  const told = (place) => !view.get("predict") || guessed.has(place);
  const count = () => view.get("shown").rows.filter((row) => row.state !== "not reached").length;
  const now = () => Math.min(view.get("row"), count() - 1);
  const light = (name) => {
    graph.light(name);
    rows.mark(now(), { names: name ? [name] : [], told });
  };
  const graph = graphOf(view, { point: light, choose: (name) => name && told(now()) && tensors.choose(name) });
  graph.element.append(tensors.overlay);
  const show = () => {
    const place = now();
    graph.show(place);
    graph.differ(view.get("apart").names);
    rows.mark(place, { told });
    rows.reveal(place);
    view.root.classList.toggle("anb-veiled", !told(place));
    view.say(told(place) ? view.get("shown").rows[place]?.sentence ?? "" : words.predict_now);
  };
  const go = (place) => {
    const wanted = Math.max(0, Math.min(place, count() - 1));
    if (wanted === view.get("row")) guessed.add(wanted);
    view.set({ row: wanted });
    show();
    rows.focus(wanted);
  };
  for (const part of [graph.frame, view.status]) view.on(part, "click", () => told(now()) || go(now()));
  const rows = rowsOf(view, go);
  view.on(view.root, "keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey || !event.target.closest(".anb-number-of-line")) return;
    event.preventDefault();
    go(view.get("row") + way);
  });
  const signs = legend(view, []);
  const stepper = stepperOf(view);
  const note = make("p", { class: "anb-lead", hidden: !view.get("note") }, view.get("note"));
  const pictured = make("div", {}, graph.element, make("div", { class: "anb-row anb-below" }, graph.told, signs.element), tensors.strip);
  const program = make("div", {}, adders.element, rows.element, view.status, menuOf(view, (way) => go(now() + way)), changes.element);
  const parts = make("div", { class: "anb-parts" }, pictured, program);
  view.root.append(inputs.element, note, make("div", { class: "anb-holder" }, parts), stepper);
  /** Let the program be so high that all is in sight at once. */
  const fit = () => {
    parts.classList.toggle("anb-beside", view.get("shown").down);
    parts.style.setProperty("--anb-wide", `${Math.max(260, view.get("story").size[0])}px`);
    const bottom = (part) => part.offsetTop + part.offsetHeight;
    const others = bottom(program) - rows.element.offsetHeight;
    const narrow = view.root.clientWidth < NARROW; // where all would not be in sight anyway
    rows.element.style.maxHeight = narrow ? "none" : `${Math.max(FEWEST, Math.max(IN_SIGHT, bottom(pictured)) - others)}px`;
  };
  view.watch("shown", (shown) => {
    guessed.clear();
    for (const part of [inputs, adders, tensors, changes, rows]) part.show(shown);
    signs.show(view.get("story").legend);
    fit();
    show();
    graph.flash();
  });
  for (const trait of ["row", "story", "predict", "apart"]) view.watchEvent(`change:${trait}`, show);
  view.watch("large", (large) => view.root.classList.toggle("anb-large", large));
  const resized = new ResizeObserver(([{ contentRect }]) => {
    const width = Math.round(contentRect.width) + 22; // with the border and the space inside it
    fit();
    rows.reveal(view.get("row"));
    if (width > 60 && Math.abs(width - view.get("width")) > 24) view.set({ width });
  });
  resized.observe(view.root);
  return () => {
    resized.disconnect();
    view.end();
  };
}

export default { render };
