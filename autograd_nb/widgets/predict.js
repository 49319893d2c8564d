// A card with a question.  What is right, and why, comes from Python after "Check".

/** Text with code between backticks, as elements. */
function marked(text) {
  return text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
}

/** The verdict on an exercise, and its buttons. */
function exercise({ model, el }) {
  const view = new View({ model, el }, model.get("words").title);
  const cards = ["verdict", "more"].map(() => make("div", { class: "anb-verdict", role: "status", "aria-live": "polite" }));
  const button = (name, act) => view.on(make("button", { type: "button", class: "anb-button" }, view.words[name]), "click", act);
  const again = () => runCell(view.root) || view.ask("check");
  const row = make("div", { class: "anb-row" }, button("check", again), button("hint", () => view.ask("hint")),
    button("solution", () => view.ask("solution")), button("reset", () => view.ask("again")));
  view.watch("shown", (shown) => [shown.verdict, shown.more].forEach((card, place) => {
    cards[place].className = `anb-verdict anb-verdict-${card.kind ?? "open"}`;
    const heading = card.heading ? [make("p", {}, make("strong", {}, card.heading))] : [];
    const said = (card.paragraphs ?? []).map((text) => (text.endsWith("\n") ? make("pre", {}, text.trimEnd()) : make("p", {}, ...marked(text))));
    cards[place].replaceChildren(...heading, ...said);
  }));
  let done = model.get("cell").number;
  view.watch("cell", ({ number, text }) => {
    if (number === done) return;
    done = number;
    const editor = editorOf(view.root);
    editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  });
  view.root.append(cards[0], row, cards[1]);
  return () => view.end();
}

/** The text of the cell that an output belongs to, as JupyterLab's editor holds it. */
function contentOf(root) {
  return root.closest(".jp-Notebook .jp-Cell")?.querySelector(".cm-content");
}

function editorOf(root) {
  const content = contentOf(root);
  return (content?.cmView ?? content?.cmTile)?.view;
}

/** Run the cell as Ctrl+Enter in it does; false where there is no such cell. */
function runCell(root) {
  const content = contentOf(root);
  if (!content) return false;
  content.focus();
  const key = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
  setTimeout(() => content.dispatchEvent(new KeyboardEvent("keydown", key)), 50);
  return true;
}

function render({ model, el }) {
  if (model.get("shown")) return exercise({ model, el });
  const view = new View({ model, el }, fill(model.get("words").title, { question: model.get("question") }));
  const { kind, choices } = view.get("asks");
  const form = make("form", { class: "anb-predict", novalidate: true });
  const about = make("div", { class: "anb-about" });
  const title = make("p", { class: "anb-question" }, make("strong", {}, `${view.words.predict}: `), ...marked(view.get("question")));
  const verdict = make("div", { class: "anb-verdict", role: "status", "aria-live": "polite" });
  const answers = kind === "choice" ? chosenFrom(view, choices) : kind === "gradients" ? blanks(view) : written(view, view.words[kind]);
  const check = make("button", { type: "submit", class: "anb-button" }, view.words.check);
  view.on(form, "submit", (event) => {
    event.preventDefault();
    view.ask("check");
  });
  const pass = make("button", { type: "button", class: "anb-button" }, view.words.pass);
  view.on(pass, "click", () => view.ask("pass"));
  form.append(title, answers.element, make("div", { class: "anb-row" }, check, pass));
  view.watch("chosen", answers.show);
  view.watch("verdict", ({ kind, heading, reason, note, done }) => {
    answers.lock?.(done ?? []);
    verdict.className = `anb-verdict anb-verdict-${kind ?? "open"}`;
    verdict.replaceChildren(...(kind ? [make("p", {}, make("strong", {}, heading), " ", ...marked(reason))] : []));
    if (note) verdict.append(make("p", { class: "anb-note" }, note));
  });
  view.watch("context", ({ title, code }) => {
    about.replaceChildren(...(code ? [make("p", { class: "anb-note" }, title), make("pre", {}, code)] : []));
  });
  view.root.append(about, form, verdict);
  return () => view.end();
}

/** A graph with a field at each of its blanks, open one after the other; what was right stays, with its reason. */
function blanks(view) {
  const { picture, fields } = view.get("asks");
  const drawn = make("div", { class: "anb-blanks" });
  const told = make("ul", { class: "anb-done" });
  drawn.append(document.importNode(new DOMParser().parseFromString(picture, "image/svg+xml").documentElement, true));
  const places = [...drawn.querySelectorAll("text")].filter((each) => /^_+$/.test(each.textContent));
  const named = (text) => fields.findIndex(([label]) => `${label} =` === text.previousElementSibling.textContent);
  let done = [];
  const inputs = fields.map(([label], number) => {
    const text = places.find((each) => named(each) === number);
    const input = make("input", { class: "anb-blank", "aria-label": label, autocomplete: "off", size: "6" });
    input.style.left = `${text.getAttribute("x")}px`;
    input.style.top = `${text.getAttribute("y")}px`;
    view.on(input, "input", () => view.set({ chosen: [...done.map(([given]) => given), input.value.replaceAll(";", ",")].join(";") }));
    drawn.append(input);
    return input;
  });
  return {
    element: make("div", {}, make("div", { class: "anb-scroll" }, drawn), make("div", { role: "status", "aria-live": "polite" }, told)),
    show: (value) => value.split(";").forEach((text, number) => {
      if (inputs[number] && inputs[number].value !== text) inputs[number].value = text;
    }),
    lock(right) {
      const onward = inputs[done.length]?.matches(":focus") && right.length > done.length;
      done = right;
      inputs.forEach((input, number) => {
        input.readOnly = number < done.length;
        input.disabled = number > done.length;
      });
      told.replaceChildren(...done.map(([, reason]) => make("li", {}, ...marked(reason))));
      if (onward) inputs[done.length]?.focus();
    },
  };
}

/** The choices as radio buttons; those of one form belong together. */
function chosenFrom(view, choices) {
  const inputs = choices.map((text) => make("input", { type: "radio", name: "answer", value: text }));
  inputs.forEach((input) => view.on(input, "change", () => view.set({ chosen: input.value })));
  const rows = inputs.map((input, place) => make("label", { class: "anb-option" }, input, make("span", {}, ...marked(choices[place]))));
  return {
    element: make("div", { role: "radiogroup", "aria-label": view.words.choices }, ...rows),
    show: (value) => inputs.forEach((input) => (input.checked = input.value === value)),
  };
}

/** A field to write the answer into. */
function written(view, label) {
  const field = text(view, { label, value: view.get("chosen"), change: (value) => view.set({ chosen: value }) });
  return { element: field.element, show: field.show };
}

export default { render };
