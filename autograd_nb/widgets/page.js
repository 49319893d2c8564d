// A widget in a page without Python: a model that keeps its state, and answers where that needs no engine.

/** A model as anywidget's, of traits that stand in the page; asked(do, details) is told what a view asks Python for. */
function still(traits, asked = () => {}) {
  const listening = new Map();
  const of = (event) => listening.get(event) ?? listening.set(event, new Set()).get(event);
  const put = (news) => {
    const changed = Object.keys(news).filter((name) => traits[name] !== news[name]);
    Object.assign(traits, news);
    for (const name of changed) for (const handler of [...of(`change:${name}`)]) handler();
  };
  return {
    put,
    get: (name) => traits[name],
    set: (name, value) => put({ [name]: value }),
    on: (event, handler) => of(event).add(handler),
    off: (event, handler) => of(event).delete(handler),
    save_changes() {},
    send({ log }) {
      const { turn, do: what, details } = log?.at(-1) ?? {};
      put({ heard: turn ?? traits.heard, log: [] });
      if (what) asked(what, details);
    },
  };
}

/** A stepper whose stories, in each detail, are in the page. */
function begin(el, { details, ...traits }) {
  const bytes = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const told = (detail) => ({ count: details[detail].count, stories: details[detail].stories.map(bytes) });
  const model = still({ ...traits, ...told(traits.detail), heard: 0 });
  let { ends } = details[traits.detail];
  model.on("change:detail", () => {
    const happened = ends[model.get("step")]; // as much is to have happened after the step that is shown then
    ends = details[model.get("detail")].ends;
    model.put({ ...told(model.get("detail")), step: Math.max(0, ends.findIndex((end) => end >= happened)) });
  });
  el.replaceChildren();
  render({ model, el });
}

/** A card whose answers, each with its reason and whether it is right, are in the page. */
function ask(el, { answers, tolerance, ...traits }) {
  const { kind } = traits.asks;
  const words = traits.words;
  const read = (text) => {
    if (kind === "choice") return text;
    if (kind === "shape") return text.replace(/^(torch\.)?Size|[\s()[\]]/g, "").replace(/[×x]/g, ",").replace(/,$/, "");
    const [above, below = 1] = text.replace(/tensor|[()\s]/g, "").replace("−", "-").replace(",", ".").split("/").map(Number);
    return { nan: NaN, inf: Infinity, "-inf": -Infinity }[text.trim()] ?? (text.trim() ? above / below : NaN);
  };
  const same = (given, other) => kind === "choice" || kind === "shape" ? given === other : Object.is(given, other) ||
    Math.abs(given - other) <= tolerance * Math.max(1, Math.abs(given), Math.abs(other));
  const judged = (text, answers) => {
    if (!text.trim() && kind !== "shape") return { kind: "none", heading: words[kind === "choice" ? "nothing_chosen" : "nothing_written"], reason: "" };
    const given = read(text);
    if (kind !== "choice" && kind !== "shape" && Number.isNaN(given) && text.trim() !== "nan") return { kind: "none", heading: fill(words.no_number, { text }), reason: "" };
    const [, reason, right] = answers.find(([each]) => same(given, read(each))) ?? [];
    if (right) return { kind: "right", heading: words.right, reason };
    return { kind: "wrong", heading: words.wrong, reason: reason ?? fill(words.other, { got: text.trim() }), note: words.then };
  };
  /** Of a graph whose gradients are filled in one after the other: what was right so far, and what is said of the last. */
  const filled = (text) => {
    const done = [];
    let verdict = {};
    for (const [place, part] of text.split(";").slice(0, answers.length).entries()) {
      verdict = judged(part, answers[place]);
      if (verdict.kind !== "right") return { ...verdict, done };
      done.push([part.trim(), fill(words.answer_is, { answer: traits.asks.fields[place][0], reason: verdict.reason })]);
    }
    return { ...verdict, kind: done.length === answers.length ? "right" : "none", reason: "", done };
  };
  const several = kind === "gradients";
  const model = still({ ...traits, chosen: "", verdict: {}, context: {}, heard: 0 }, (what) => {
    const checked = what === "check";
    let verdict = checked ? (several ? filled : judged)(model.get("chosen"), answers) : { kind: "none", heading: words.passed, reason: "" };
    if (several && !checked) {
      const done = filled(model.get("chosen")).done.map(([given]) => given);
      const next = answers[done.length]?.find(([, , right]) => right)[0];
      model.put({ chosen: [...done, next ?? []].flat().join(";") });
      verdict = { ...filled(model.get("chosen")), heading: "" };
    }
    model.put({ verdict });
    if (!checked || verdict.kind !== "none") el.dispatchEvent(new Event("answered", { bubbles: true }));
  });
  const before = () => model.get("chosen").split(";").slice(0, -1).join(";");
  model.on("change:chosen", () => model.put({ verdict: several && before() ? { done: filled(before()).done } : {} }));
  el.replaceChildren();
  render({ model, el });
}

/** Light or dark, as the reader's system is. */
function followSystem() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.body.setAttribute("data-jp-theme-light", String(!dark.matches));
  dark.addEventListener("change", follow);
  follow();
}

/** Fill an element of a page that knows nothing of the course, perhaps in a shadow tree; dark where its text is light. */
function within(el, style, fill) {
  const place = make("div", { class: "anb-page" });
  el.append(make("style", {}, style), place);
  const follow = () => {
    const [red, green, blue] = getComputedStyle(el).color.match(/[\d.]+/g).map(Number);
    place.setAttribute("data-jp-theme-light", String(red + green + blue < 384));
  };
  const watch = new MutationObserver(follow);
  for (const each of [document.documentElement, document.body]) watch.observe(each, { attributes: true });
  follow();
  fill(place);
  return () => watch.disconnect();
}
