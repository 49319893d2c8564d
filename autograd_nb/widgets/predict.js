// A card with a question.  The right answer and its reason come from Python after "Check".

/** Text with code between backticks. */
const withCode = (text) => text.split("`").map((part, place) => (place % 2 ? html`<code>${part}</code>` : part));

/** The verdict on an answer. */
const verdict = ({ kind = "open", heading, reason, paragraphs = [], note }) =>
  html`<div class="anb-verdict anb-verdict-${kind}" role="status" aria-live="polite">
    ${(heading || reason) && html`<p><strong>${heading}</strong>${reason && [" ", ...withCode(reason)]}</p>`}
    ${paragraphs.map((text) => (text.endsWith("\n") ? html`<pre>${text.trimEnd()}</pre>` : html`<p>${withCode(text)}</p>`))}
    ${note && html`<p class="anb-note">${note}</p>`}</div>`;

/** The verdict on an exercise, and its buttons. */
function Exercise({ view }) {
  const { words } = view;
  const shown = view.get("shown");
  const { number, text } = view.get("cell");
  const asks = { check: "check", hint: "hint", solution: "solution", reset: "again" };
  const ask = (what) => () => (what === "check" && runCell(view.root)) || view.ask(what);
  const { current: own } = useRef({ number });
  useLayoutEffect(() => {
    if (number === own.number) return;
    own.number = number;
    const content = contentOf(view.root);
    const editor = (content?.cmView ?? content?.cmTile)?.view;
    editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [number]);
  return html`${verdict(shown.verdict)}${row(Object.entries(asks).map(([name, what]) => button(words[name], ask(what))))}${verdict(shown.more)}`;
}

/** The text of an output's cell in JupyterLab's editor. */
function contentOf(root) {
  return root.closest(".jp-Notebook .jp-Cell")?.querySelector(".cm-content");
}

/** Run the cell as Ctrl+Enter does; false if there is no such cell. */
function runCell(root) {
  const content = contentOf(root);
  if (!content) return false;
  content.focus();
  const key = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
  setTimeout(() => content.dispatchEvent(new KeyboardEvent("keydown", key)), 50);
  return true;
}

/** A graph with a field at each of its blanks, open one after the other; a right answer stays, with its reason. */
function Blanks({ view, asks: { picture, fields }, value, change }) {
  const drawn = useMemo(() => parseSvg(picture), []);
  const box = useRef();
  const { done = [] } = view.get("verdict");
  const { current: own } = useRef({ count: done.length });
  useLayoutEffect(() => box.current.firstChild.append(drawn), []);
  useLayoutEffect(() => {
    const inputs = box.current.querySelectorAll("input");
    if (done.length > own.count && inputs[own.count].matches(":focus")) inputs[done.length]?.focus();
    own.count = done.length;
  }, [done.length]);
  const blanks = [...drawn.querySelectorAll("text")].filter((each) => /^_+$/.test(each.textContent));
  const texts = value.split(";");
  const write = ({ target }) => change([...done.map(([given]) => given), target.value.replaceAll(";", ",")].join(";"));
  return html`<div>
    <div class="anb-scroll"><div class="anb-blanks" ref=${box}><div />${fields.map(([label], number) => {
      const blank = blanks.find((each) => each.previousElementSibling.textContent === `${label} =`);
      return html`<input class="anb-blank" aria-label=${label} autocomplete="off" size="6" value=${texts[number]} oninput=${write}
        readonly=${number < done.length} disabled=${number > done.length}
        style=${{ left: `${blank.getAttribute("x")}px`, top: `${blank.getAttribute("y")}px` }} />`;
    })}</div></div>
    <div role="status" aria-live="polite"><ul class="anb-done">${done.map(([, reason]) => html`<li>${withCode(reason)}</li>`)}</ul></div></div>`;
}

/** The choices as radio buttons; those in the same form are one group. */
const options = (words, { choices }, { value, change }) => html`<div role="radiogroup" aria-label=${words.choices}>${choices.map((each) =>
  html`<label class="anb-option"><input type="radio" name="answer" value=${each} checked=${value === each} onchange=${() => change(each)} />
    <span>${withCode(each)}</span></label>`)}</div>`;

/** A question whose answer the learner predicts. */
function Prediction({ view }) {
  const { words } = view;
  const asks = view.get("asks");
  const answer = bound(view, "chosen");
  const { title, code } = view.get("context");
  const { kind, heading } = view.get("verdict");
  const invalid = kind === "none" && heading !== words.passed && heading; // it cannot be read
  const check = (event) => {
    event.preventDefault();
    view.ask("check");
  };
  const field = { choice: () => options(words, asks, answer), gradients: () => html`<${Blanks} view=${view} asks=${asks} ...${answer} />` };
  return html`<div class="anb-about">${code && html`<p class="anb-note">${title}</p><pre>${code}</pre>`}</div>
    <form class="anb-predict" novalidate onsubmit=${check}>
      <p class="anb-question"><strong>${words.predict}: </strong>${withCode(view.get("question"))}</p>
      ${field[asks.kind]?.() ?? text({ label: words[asks.kind], ...answer, invalid: invalid || "" })}
      ${row(button(words.check, undefined, { type: "submit" }), button(words.pass, () => view.ask("pass")))}
    </form>${verdict(view.get("verdict"))}`;
}

const Card = ({ view }) => h(view.get("shown") ? Exercise : Prediction, { view });

export default defineWidget(Card);
