// The bench's front end: it shows what Python ran, line by line, and sends back what the learner changes.

const [IN_SIGHT, FEWEST, NARROW] = [545, 108, 700]; // pixels: a bench that fits a screen, its program, and its width
const MOST_SLIDERS = 6; // of an input, at most

/** The places of an input's numbers, in order: [[]] of a single one, [[0], [1], …], [[0, 0], [0, 1], …]. */
const placesIn = (shape) => shape.reduce((all, size) => all.flatMap((each) => [...Array(size).keys()].map((at) => [...each, at])), [[]]);
const valueAt = (value, place) => place.reduce((rows, at) => rows[at], value);
const withValueAt = (value, [at, ...rest], wish) => (at === undefined ? wish : value.with(at, withValueAt(value[at], rest, wish)));

/** The sliders of an input, one for each of its numbers; if there are many, one for the chosen number. */
function Input({ view, name, shape, ...range }) {
  const [at, choose] = useState(0);
  const places = placesIn(shape);
  const many = places.length > MOST_SLIDERS;
  const label = (place) => name + (place.length ? `[${place.join(", ")}]` : "");
  const { value, change } = bound(view, name);
  return html`<div class="anb-input">
    ${(many ? [places[at]] : places).map((place) => slider({
      key: label(place), label: label(place), ...range, value: valueAt(value, place),
      change: (wish) => change(withValueAt(view.get(name), place, wish)),
    }))}
    ${many && choice({ name: fill(view.words.element, { name }), choices: [...places.map(label).entries()], value: at, change: choose })}
  </div>`;
}

/** The expression, or the function's name, and the sliders of each input. */
function inputs(view) {
  const invalid = view.get("problem");
  return html`<div>
    <div class="anb-inputs">
      ${text({ label: view.words.expression, ...bound(view, "expression"), invalid, readonly: view.get("shown").function })}
      <div class="anb-sliders">${view.get("inputs").map((input) => html`<${Input} key=${input.name + input.shape} view=${view} ...${input} />`)}</div>
    </div>
    <p class="anb-error" role="alert" hidden=${!invalid}>${invalid}</p></div>`;
}

/** The buttons that add a line to the plan. */
function adders({ words }, { lines: { buttons, others }, edits }, { value: plan, change }) {
  const add = (line) => line && change([...plan, line]);
  return html`<div class="anb-row anb-adders" role="group" aria-label=${words.add}>
    ${buttons.map((line) => button(`+ ${line === "forward" ? words.again : line}`, () => add(line)))}
    ${others.length > 0 && choice({ name: words.add, choices: [["", words.more], ...others.map((line) => [line, line])], change: add })}
    ${edits && button(words.clear, () => change([]))}</div>`;
}

// Calls whose argument has a switch: the name of the flag that shows the switch, the call, and the argument
const ARGUMENTS = [["retains", /^(.*\.backward\()(.*)\)$/, "retain_graph=True"], ["edits", /^(optimizer\.zero_grad\()(.*)\)$/, "set_to_none=False"]];

/** A line of the program, with switches and a button to remove it if it belongs to the plan. */
function line({ words }, { code, place }, number, shown, { value: plan, change }) {
  const [, call, argument] = (place !== null && ARGUMENTS.find(([control, form]) => shown[control] && form.test(code))) || [];
  const [, before, given] = (call && code.match(call)) || [null, code];
  const name = argument && fill(words.argument_of, { name: argument.split("=")[0], line: number });
  const give = (on) => change(plan.with(place, plan[place].replace(/\(.*\)/, `(${on ? argument : ""})`)));
  return html`<div class="anb-line"><code>${before}</code>
    ${argument && html`${toggle({ label: argument, name, value: given === argument, change: give })}<code>)</code>`}
    ${place !== null && shown.edits &&
      button("✕", () => change(plan.toSpliced(place, 1)), { "aria-label": fill(words.remove_line, { line: number }) })}</div>`;
}

/** A .grad after a line: a bar of the parts that made it, and the number. */
function gradient(words, { less, parts, text, precise, root } = {}) {
  const bar = parts?.length > 0 && html`<span class=${classes("anb-bar", less && "anb-less")} aria-hidden="true">${parts.map(([share, root, isNew]) =>
    html`<span class=${classes(`anb-root-${root % 3}`, isNew && "anb-new")} style=${{ width: `${share * 44}px` }} />`)}</span>`;
  return html`<td class="anb-grad">${bar}
    ${parts && html`<span class=${text === words.unset ? "anb-note" : "anb-code"} title=${precise}>${text}</span>`}
    ${root && html`<span class="anb-note">${root}</span>`}</td>`;
}

/** The program as a table: a row for each line, with every .grad after it and the text that it printed. */
function program(view, { box, now, go, isRevealed, pointed }) {
  const { words } = view;
  const shown = view.get("shown");
  const plan = bound(view, "plan");
  const titles = [words.program, ...shown.columns.map((name) => `${name}.grad`), shown.prints ? words.printed : ""];
  const rowOf = (row, index) => {
    const says = row.says.map(({ kind, text, who }) => html`<div class="anb-said anb-${kind}">${who}${text}</div>`);
    const loud = row.says.some(({ kind }) => kind !== "print");
    const marks = classes(index === now && "anb-chosen", !isRevealed(index) && "anb-hides", view.get("apart").rows.includes(index) && "anb-apart");
    const lit = pointed && pointed === row.name && "anb-lit";
    return html`<tr key=${index} data-row=${index} aria-current=${index === now ? "step" : null}
        class=${classes(`anb-part-${row.part} anb-${row.state.replace(" ", "-")}`, marks, lit)}>
      <th scope="row"><button type="button" class="anb-number-of-line" tabindex=${index === now ? 0 : -1} onkeydown=${press}
        aria-label=${fill(words.show_line, { line: index + 1, code: row.code })}>${index + 1}</button></th>
      <td>${line(view, row, index + 1, shown, plan)}</td>
      ${shown.columns.map((name) => gradient(words, row.cells[name] ?? undefined))}<td>${!loud && says}</td></tr>
      ${loud && html`<tr key="${index} says" data-row=${index} class="anb-loud ${marks}"><td /><td colspan=${shown.columns.length + 2}>${says}</td></tr>`}`;
  };
  const click = ({ target }) => {
    const chosen = target.closest("[data-row]");
    if (chosen && !target.closest("label, .anb-button")) go(Number(chosen.dataset.row));
  };
  const press = onKeys(arrows((way) => go(view.get("row") + way)));
  return html`<div ref=${box} class="anb-rows-box anb-scrolls" data-in-page="">
    <table class="anb-table anb-rows"><caption class="anb-hidden">${words.rows}</caption>
      <thead><tr><td />${titles.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
      <tbody onclick=${click}>${shown.rows.map(rowOf)}</tbody></table></div>`;
}

/** The hooks of a tensor: a chip for each, and a choice that adds one, perhaps an expression of its own. */
function Hooks({ view, name, isInput, hooks, handles }) {
  const { words } = view;
  const refused = view.get("refused");
  const mine = refused.name === name; // the text stays in the field and can be corrected
  const [open, opens] = useState(false);
  useLayoutEffect(() => opens(false), [refused, hooks.join()]);
  const set = (hooks) => view.ask("switch", { name, switch: "hooks", value: hooks });
  const elsewhere = isInput ? ["before", "after"] : ["accumulated"]; // a leaf has no node, and only a leaf has a .grad
  const add = (hook) => (hook === "own" ? opens(true) : hook && set([...hooks, hook]));
  const write = (hook) => (hook.trim() ? set([...hooks, hook.trim()]) : opens(false));
  return html`<div class="anb-hooks">
    <span class="anb-chips">${hooks.map((hook, place) => button(`${words.hooks[hook] ?? hook} ✕`, () => set(hooks.toSpliced(place, 1)),
      { title: handles[place], "aria-label": fill(words.remove_hook, { hook, name }) }))}</span>
    ${choice({ name: fill(words.add_hook, { name }), choices: Object.entries(words.hooks).filter(([kind]) => !elsewhere.includes(kind)), change: add })}
    ${(open || mine) && text({
      name: fill(words.own_hook, { name }), value: mine ? refused.text : "", invalid: mine ? refused.cause : "",
      focus: open, placeholder: "grad * 2", change: write,
    })}</div>`;
}

/** The switches of a tensor of these kinds, each with a mark if it makes a line fail. */
function switches(view, { name, input, causes, ...row }, kinds) {
  const { words } = view;
  const change = (kind) => (value) => view.ask("switch", { name, switch: kind, value });
  const simple = (kind) => toggle({ label: kind, name: fill(words.switch_name, { switch: kind, name }), value: row[kind], change: change(kind) });
  const controls = {
    requires_grad: simple,
    retain_grad: simple,
    hooks: () => html`<${Hooks} view=${view} name=${name} isInput=${input} ...${row} />`,
    cut: (kind) => choice({ name: fill(words.cut_name, { name }), choices: Object.entries(words.cuts), value: row.cut, change: change(kind) }),
  };
  const fails = (cause) =>
    html`<span class="anb-fails" role="status" hidden=${!cause} title=${cause?.text}>${cause && `✗ ${fill(words.fails, cause)}`}</span>`;
  return kinds.map((kind) => html`<div key=${name + kind} data-switch=${kind}>
    ${controls[kind](kind)}${fails(causes[kind])}</div>`);
}

/** The switches that stand at the tensors of the picture. */
const overlay = (view, { tensors, down }) => html`<div class=${classes("anb-overlay", down && "anb-down")}>${tensors.map((row) => {
  const [left, top] = row.at ?? [0, 0];
  return html`<div key=${row.name} class="anb-at" role="group" aria-label=${fill(view.words.switches, row)} hidden=${!row.at || !row.open.length}
    style=${{ left: `${left}px`, top: `${top}px` }}>${switches(view, row, row.open)}</div>`;
})}</div>`;

/** The other switches of the chosen tensor, below the picture. */
const strip = (view, row, close) => row && html`<div class="anb-row anb-strip" role="group" aria-label=${fill(view.words.switches, row)}>
  <span class="anb-name" title=${row.precise}>${row.name} = ${row.value}</span>${switches(view, row, row.more)}
  ${button("✕", close, { "aria-label": fill(view.words.close_switches, row) })}</div>`;

/** A button for each change since the lesson began; the button takes the change back. */
const changes = (view, { changed, than }) => html`<span class="anb-row anb-changed">
  ${changed.length > 0 && html`<span class="anb-note">${view.words[than]}</span>`}
  ${changed.map(({ text, value, name, switch: kind }) => button(`${text} ✕`, () => view.ask("switch", { name, switch: kind, value }),
    { "aria-label": fill(view.words.take_back, { what: text }) }))}</span>`;

/** The stepper for the same run, once the learner has asked for it: Python sends it as a module. */
function Stepping({ view }) {
  const code = view.get("stepper");
  const box = useRef();
  useLayoutEffect(() => {
    if (!code) return;
    const { current: { lastChild: place }, current: here } = box;
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const shown = import(url).finally(() => URL.revokeObjectURL(url)).then((module) => module.default.render({ el: place }));
    shown.then(() => here.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" }));
    return () => void shown.then((end) => {
      end();
      place.replaceChildren();
    });
  }, [code]);
  return html`<div ref=${box} class="anb-stepping" hidden=${!code}>
    ${button(`✕ ${view.words.close_stepper}`, () => view.ask("close_stepper"))}<div key=${code} /></div>`;
}

/** Buttons for the bench as a whole; the rare ones are behind "More". */
function Menu({ view, move }) {
  const { words } = view;
  const more = useRef();
  const { cell } = view.get("shown");
  const [first] = cell.split("\n");
  const large = view.get("large");
  const close = () => {
    const { current: menu } = more;
    menu.open = view.get("large");
    if (!menu.open && menu.matches(":focus-within")) menu.firstChild.focus();
  };
  // In a shadow tree only the path tells what was touched.
  useLayoutEffect(() => view.on(document, "pointerdown", (event) => event.composedPath().includes(more.current) || close()), []);
  const modes = (...traits) => traits.map((trait) => toggle({ label: words[trait], ...bound(view, trait) }));
  return html`<div class="anb-row anb-ends">
    ${large && html`<span data-in-page="">${button("◀", () => move(-1), { "aria-label": words.line_before })}
      ${button("▶", () => move(1), { "aria-label": words.line_after })}</span>`}
    ${button(`▷ ${words.step_it}`, () => view.ask("step_it"))}<${UndoMenu} view=${view} open />
    <details ref=${more} class="anb-more" open=${large} onchange=${close}><summary>${words.more_controls}</summary>
      <div>${copier({ label: words.copy_cell, text: cell, told: `${first} …` })}${modes("whole")}
        <span class="anb-modes" data-in-page="">${modes("large", "predict")}</span></div></details></div>`;
}

/** Make the program as high as possible with the whole bench in sight, and scroll it to a line. */
function useFit(view, { box, pictured, beside }, place) {
  const fit = () => {
    const { current: rows } = box;
    const bottom = ({ current: part }) => part.offsetTop + part.offsetHeight;
    const others = bottom(beside) - rows.offsetHeight;
    const narrow = view.root.clientWidth < NARROW; // then the whole bench is not in sight anyway
    rows.style.maxHeight = narrow ? "none" : `${Math.max(FEWEST, Math.max(IN_SIGHT, bottom(pictured)) - others)}px`;
    const line = rows.querySelector("[aria-current]");
    if (!line) return; // the line comes with the next message
    const { offsetTop: top, offsetHeight: height } = line;
    rows.scrollTop = Math.max(rows.scrollTop, top + height - rows.clientHeight);
    rows.scrollTop = Math.min(rows.scrollTop, top - rows.querySelector("thead").offsetHeight);
  };
  useLayoutEffect(fit, [view.get("shown"), view.get("story"), view.get("large"), place]);
  useLayoutEffect(() => {
    const resized = new ResizeObserver(([{ contentRect }]) => {
      const width = Math.round(contentRect.width) + 22; // with the border and the space inside it
      fit();
      if (width > 60 && Math.abs(width - view.get("width")) > 24) view.set({ width });
    });
    resized.observe(view.root);
    return () => resized.disconnect();
  }, []);
}

function Bench({ view }) {
  const { words } = view;
  const [shown, story, large, predict] = ["shown", "story", "large", "predict"].map((trait) => view.get(trait));
  const [pointed, point] = useState(null);
  const [chosen, choose] = useState(null);
  const [frame, box, pictured, beside] = [useRef(), useRef(), useRef(), useRef()];
  const guessed = useMemo(() => new Set(), [shown]); // lines whose numbers a learner has uncovered after a prediction
  const isRevealed = (place) => !predict || guessed.has(place);
  const count = shown.rows.filter((row) => row.state !== "not reached").length;
  const now = Math.min(view.get("row"), count - 1);
  const go = (place) => {
    const wanted = Math.max(0, Math.min(place, count - 1));
    if (wanted === view.get("row")) guessed.add(wanted);
    view.set({ row: wanted });
    view.redraw();
    box.current.querySelector(`[data-row="${wanted}"] button`)?.focus({ preventScroll: true });
  };
  const at = Math.min(now, story.steps.length - 1);
  const keysOf = (names) => shown.tensors.filter(({ name }) => names.includes(name)).map(({ key }) => key);
  const nameOf = (key) => shown.tensors.find((each) => each.key === plain(key))?.name;
  const marks = { "anb-lit": keysOf([pointed]), "anb-apart": keysOf(view.get("apart").names), "anb-now": story.steps[at]?.lit ?? [] };
  const open = (key) => {
    const name = nameOf(key);
    if (!isRevealed(now)) go(now);
    else if (name) choose(name === chosen ? null : name);
  };
  const { current: high } = useRef({ pixels: 0 }); // the picture does not become lower under the hand
  useMemo(() => {
    const look = ["expression", "width", "whole"].map((trait) => view.get(trait)).join();
    Object.assign(high, { look, pixels: Math.max(look === high.look ? high.pixels : 0, story.size[1]) });
  }, [story]);
  view.root.classList.toggle("anb-large", large);
  view.root.classList.toggle("anb-veiled", !isRevealed(now));
  useFit(view, { box, pictured, beside }, now);
  return html`${inputs(view)}<p class="anb-lead" hidden=${!view.get("note")}>${view.get("note")}</p>
    <div class="anb-holder"><div class=${classes("anb-parts", shown.down && "anb-beside")} style=${{ "--anb-wide": `${Math.max(260, story.size[0])}px` }}>
      <div ref=${pictured}>
        <${Story} view=${view} frame=${frame} story=${story} label=${words.graph} forms=${useMoment(story, at).forms} at=${at} marks=${marks}
          point=${(key) => point(nameOf(key) ?? null)} choose=${open} style=${{ minHeight: `${high.pixels}px` }}
          below=${legend(view, story.legend)}>${overlay(view, shown)}<//>
        <p class="anb-error" role="alert" hidden=${!view.get("refused").cause}>${view.get("refused").cause}</p>
        ${strip(view, shown.tensors.find(({ name }) => name === chosen), () => choose(null))}
      </div>
      <div ref=${beside}>
        ${adders(view, shown, bound(view, "plan"))}${program(view, { box, now, go, isRevealed, pointed })}
        <p class="anb-status anb-sentence" role="status" aria-live="polite" onclick=${() => isRevealed(now) || go(now)}>
          ${isRevealed(now) ? shown.rows[now]?.sentence : words.predict_now}</p>
        <${Menu} view=${view} move=${(way) => go(now + way)} />${changes(view, shown)}
      </div></div></div>
    <${Stepping} view=${view} />`;
}

export default defineWidget(Bench, ["row", "large", "predict"]);
