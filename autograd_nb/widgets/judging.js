// Judges the answers on a card in a page without Python.  The rules are those of learner/answers.py and predict.py; one
// table of answers tests both.

function isClose(a, b, relative, absolute = 0) {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), absolute);
}

/** The key of what can be said of a wrong number: its sign is wrong, or it is rounded too much; else "other". */
function howWrong(given, right) {
  if (given && isClose(given, -right, 0.01)) return "sign";
  return right % 1 && isClose(given, right, 0.02) ? "nearly" : "other";
}

/** The key of the sentence on a text that is no number: None, a formula with letters in it, or anything else. */
function noNumber(text) {
  if (/^none$/i.test(text)) return "none";
  return LETTERS.test(spelled(text)) ? "letters" : "no_number";
}

/** A shape as learners write it, as its sizes joined by commas. */
function shapeIn(text) {
  const inside = text.replaceAll("×", "x").replace(/^\s*(torch\.)?Size|[()[\]]/g, " ").replace(/^\s+|[\s,]+$/g, "");
  const sizes = inside ? inside.split(/\s*[,x]\s*|\s+/) : [];
  if (!sizes.every((size) => /^[+-]?\d+(_\d+)*$/.test(size))) throw new SyntaxError();
  return sizes.map((size) => Number(size.replaceAll("_", ""))).join(",");
}

const READ = { choice: (text) => text, number: numberIn, shape: shapeIn };

/** The verdict on an answer: kind, heading, reason, and a note. */
function judgeAnswer({ asks: { kind, choices }, answers, tolerance, words }, text) {
  const none = (key) => ({ kind: "none", heading: fill(words[key], { text: text.trim() }), reason: "" });
  const written = text.trim();
  if (kind === "choice" && !choices.includes(written)) return none("nothing_chosen");
  if (!written) return none("nothing_written");
  const read = (each) => tryTo(READ[kind], each);
  const given = read(written);
  if (given === undefined) return none(kind === "number" ? noNumber(written) : "no_shape");
  const same = (other) => kind !== "number" ? given === other : other !== undefined &&
    (isClose(given, other, tolerance, tolerance) || (Number.isNaN(given) && Number.isNaN(other)));
  const right = answers.find(([, , isRight]) => isRight);
  if (same(read(right[0]))) return { kind: "right", heading: words.right, reason: right[1] };
  const key = kind === "number" ? howWrong(given, read(right[0])) : "other";
  const reason = answers.find(([each]) => same(read(each)))?.[1] ?? fill(words[key], { got: written });
  return { kind: "wrong", heading: words.wrong, reason, note: words.then };
}

/** The verdict on gradients that come one after the other: those that are right so far, and a verdict on the last. */
function judgeFields({ asks, answers, ...card }, text) {
  const done = [], plain = (written) => written.replace(/^\s*none\s*$/i, "nan");
  let verdict = {};
  for (const [place, part] of text.split(";").slice(0, answers.length).entries()) {
    const known = answers[place].map(([each, ...rest]) => [plain(each), ...rest]);
    verdict = judgeAnswer({ ...card, asks: { kind: "number" }, answers: known }, plain(part));
    if (verdict.kind !== "right") return { ...verdict, done };
    done.push([part.trim(), fill(card.words.answer_is, { answer: asks.fields[place][0], reason: verdict.reason })]);
  }
  return { ...verdict, kind: done.length === answers.length ? "right" : "none", reason: "", done };
}

/** A card whose answers, each with its reason and whether it is right, are in the page. */
function ask(el, { answers, tolerance, ...traits }) {
  const { asks, words } = traits;
  const several = asks.kind === "gradients";
  const judge = (text) => (several ? judgeFields : judgeAnswer)({ asks, answers, tolerance, words }, text);
  const model = still({ ...traits, chosen: "", verdict: {}, context: {}, heard: 0 }, (what) => {
    const checked = what === "check";
    let verdict = checked ? judge(model.get("chosen")) : { kind: "none", heading: words.passed, reason: "" };
    if (several && !checked) {
      const done = judge(model.get("chosen")).done.map(([given]) => given);
      const next = answers[done.length]?.find(([, , right]) => right)[0];
      model.put({ chosen: [...done, next ?? []].flat().join(";") });
      verdict = { ...judge(model.get("chosen")), heading: "" };
    }
    model.put({ verdict });
    if (!checked || verdict.kind !== "none") el.dispatchEvent(new Event("answered", { bubbles: true }));
  });
  const before = () => model.get("chosen").split(";").slice(0, -1).join(";");
  model.on("change:chosen", () => model.put({ verdict: several && before() ? { done: judge(before()).done } : {} }));
  el.replaceChildren();
  return { end: render({ model, el }) };
}
