// Judges the answers on a card in a page without Python.  The rules are those of learner/answers.py and predict.py; one
// table of answers tests both.

const SIGNS = { "·": "*", "×": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "^": "**" };
// Any other sign is a token too, and no expression has one.
const TOKEN = /0x[\da-f]+|0b[01]+|0o[0-7]+|(?:\d+(?:_\d+)*\.?|\.\d)(?:\d+(?:_\d+)*)?(?:e[+-]?\d+)?|[a-z_]\w*|\*\*|\/\/|\S/gi;
const NUMBERS = { pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN };
const FUNCTIONS = "abs acos asin atan ceil cos cosh exp expm1 floor log log10 log1p log2 pow sin sinh sqrt tan tanh trunc".split(" ");
const LONGEST = 200; // characters of an expression, at most

/** A result, if Python computes one: it raises an error for a division by zero, an overflow and a complex number. */
function finite(result, ...given) {
  if (Number.isNaN(result) && !given.some(Number.isNaN)) throw new RangeError();
  if (!Number.isFinite(result) && given.every(Number.isFinite)) throw new RangeError();
  return result;
}

const OPERATIONS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / divisor(b),
  "//": (a, b) => Math.round((a - (a % divisor(b))) / b) - hasOtherSign(a, b),
  "%": (a, b) => (hasOtherSign(a, b) ? (a % b) + b : a % divisor(b)),
  "**": (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : finite(a ** b, a, b)),
};

const LEVELS = { "+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": 3 }; // the highest goes first

function divisor(b) {
  if (!b) throw new RangeError();
  return b;
}

/** Whether a remainder and the divisor have different signs: Python rounds a quotient down, not towards zero. */
function hasOtherSign(a, b) {
  return a % b < 0 ? b > 0 : a % b > 0 && b < 0;
}

function call(name, values) {
  const least = name === "pow" ? 2 : 1, most = name === "log" ? 2 : least;
  if (!FUNCTIONS.includes(name) || values.length < least || values.length > most) throw new SyntaxError();
  if (["ceil", "floor", "trunc"].includes(name) && !Number.isFinite(values[0])) throw new RangeError();
  if (name === "log" && values.length === 2) return OPERATIONS["/"](call("log", [values[0]]), call("log", [values[1]]));
  return name === "pow" ? OPERATIONS["**"](...values) : finite(Math[name](...values), ...values);
}

/** A number as people write or print it; an error for anything else. */
function numberIn(written) {
  let text = written.replace(/[\u200b\u200e\u2060\ufeff“”‘’]/g, "").replace(/[·×÷−–—^]/g, (sign) => SIGNS[sign]);
  text = text.replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
  text = text.trim().replace(/^["'`]+|["'`]+$/g, "").replace(/#.*/, "");
  text = text.replace(/^(?:.*:\s+)?[\w.]*(?:tensor|array|float\d+|int\d+)\(\[*([^=\]]*?)\]*(?:,\s+\w+=.*)?\)$/s, "$1");
  text = text.replace(/\b(?:math\.|torch\.)?(?:ln|log)\b/g, "log");
  text = text.replace(/(?<![\d.,])([1-9]\d{0,2}),(\d{3})(?![\d.,])/g, "$1$2");
  text = text.replace(/(?<![\d.,])(\d+),(\d+)(?![\d.,])/g, "$1.$2").trim();
  if (text.length > LONGEST) throw new SyntaxError();
  const tokens = text.match(TOKEN) ?? [];
  const need = (sign) => {
    if (tokens.shift() !== sign) throw new SyntaxError();
  };
  const expression = (level = 0) => {
    let value = operand();
    while (LEVELS[tokens[0]] > level) {
      const sign = tokens.shift();
      value = OPERATIONS[sign](value, expression(Math.min(LEVELS[sign], 2))); // an exponent may have a sign, and powers of its own
    }
    return value;
  };
  const operand = () => {
    const token = tokens.shift() ?? "";
    if (/^[+-]$/.test(token)) return Number(`${token}1`) * expression(2);
    if (token === "(") {
      const value = expression();
      need(")");
      return value;
    }
    if (/^0[\d_]*[1-9][\d_]*$/.test(token)) throw new SyntaxError(); // Python has no number 012
    if (/^\.?\d/.test(token)) return Number(token.replaceAll("_", ""));
    if (tokens[0] !== "(") {
      if (!Object.hasOwn(NUMBERS, token)) throw new SyntaxError();
      return NUMBERS[token];
    }
    const values = [];
    do {
      tokens.shift();
      if (tokens[0] !== ")") values.push(expression());
    } while (tokens[0] === ",");
    need(")");
    return call(token, values);
  };
  const value = expression();
  if (tokens.length) throw new SyntaxError();
  return value;
}

function isClose(a, b, relative, absolute = 0) {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), absolute);
}

/** The key of the sentence that says what is wrong with a number. */
function howWrong(given, right) {
  if (!Number.isFinite(given) || !Number.isFinite(right)) return "other";
  if (given * right < 0) return isClose(given, -right, 0.01) ? "sign" : "sign_too";
  if (isClose(given, right, 0.02)) return "nearly";
  const trivial = !given || !right || [given, right].some((each) => Math.abs(each) === 1);
  for (const [key, ratio] of trivial ? [] : [["multiple", given / right], ["part", right / given]])
    if ([2, 3, 4].some((times) => isClose(ratio, times, 1e-3))) return key;
  if (given > right) return right >= 0 ? "too_large" : "too_near_zero";
  return right > 0 ? "too_small" : "too_far_below";
}

/** A shape as learners write it, as its sizes joined by commas. */
function shapeIn(text) {
  const inside = text.replaceAll("×", "x").replace(/^(torch\.)?Size|[\s()[\]]/g, "");
  const sizes = inside ? inside.replace(/,+$/, "").split(/[,x]/) : [];
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
  const read = (each) => {
    try {
      return READ[kind](each);
    } catch {
      return undefined;
    }
  };
  const given = read(written);
  if (given === undefined) return none(`no_${kind}`);
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
  render({ model, el });
}
