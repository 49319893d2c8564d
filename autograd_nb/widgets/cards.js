// A card with a question.  What is right, and why, comes from Python after "Check".

/** Text with code between backticks, as elements. */
function marked(text) {
  return text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
}

function render({ model, el }) {
  const view = new View({ model, el }, fill(model.get("words").title, { question: model.get("question") }));
  const { kind, choices } = view.get("asks");
  const form = make("form", { class: "anb-predict", novalidate: true });
  const title = make("p", { class: "anb-question" }, make("strong", {}, `${view.words.predict}: `), ...marked(view.get("question")));
  const verdict = make("div", { class: "anb-verdict", role: "status", "aria-live": "polite" });
  const answers = kind === "choice" ? chosenFrom(view, choices) : written(view, view.words[kind]);
  const check = make("button", { type: "submit", class: "anb-button" }, view.words.check);
  view.on(form, "submit", (event) => {
    event.preventDefault();
    view.ask("check");
  });
  form.append(title, answers.element, check);
  view.watch("chosen", answers.show);
  view.watch("verdict", ({ kind, heading, reason, note }) => {
    verdict.className = `anb-verdict anb-verdict-${kind ?? "open"}`;
    verdict.replaceChildren(...(kind ? [make("p", {}, make("strong", {}, heading), " ", ...marked(reason))] : []));
    if (note) verdict.append(make("p", { class: "anb-note" }, note));
  });
  view.root.append(form, verdict);
  return () => view.end();
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
