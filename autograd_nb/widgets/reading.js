// Reads numbers as people write or print them.  The rules are those of learner/answers.py; one table of texts tests both.

const SIGNS = { "·": "*", "×": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "^": "**", "²": "**2", "³": "**3", "½": ".5", "¼": ".25", "¾": ".75" };
// A number right before a name or a bracket is a factor: 2pi, 3(1 + 1); but 1e5, 0xff, 2j and 1or 2 are Python's.
const FACTOR = /(?<![\w.])(\d+\.?\d*|\.\d+)(?=[a-z(])(?!e\b|e[+-]?\d|x[\da-f]|b[01]|o[0-7]|j\b|or\b|and\b|i[fns]\b)/gi;
// Any other sign is a token too, and no expression has one.
const TOKEN = /0x[\da-f]+|0b[01]+|0o[0-7]+|(?:\d+(?:_\d+)*\.?|\.\d)(?:\d+(?:_\d+)*)?(?:e[+-]?\d+)?|[a-z_]\w*|\*\*|\/\/|\S/gi;
const NUMBERS = { pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN };
const FUNCTIONS = "abs acos asin atan ceil cos cosh exp expm1 floor log log10 log1p log2 pow sin sinh sqrt tan tanh trunc".split(" ");
const TIMES = { once: "1", twice: "2", thrice: "3" };
// What people write around a number: "z = 3", "input 2", "about 8", "8 times", "30%".
const BEFORE = /^(?:[^=<>!]*\p{L}[^=<>!]*=|(?:about|roughly|input|output|element|row|column|line|layer)\b|[~≈=])\s*/u;
const AFTER = /(?<=\d)\s*(?:times?|(%))$/i;
const LETTERS = /^(?!.*[a-z]{2})(?=.*[a-z])(?=.*[\d+*/-])[\w\s.+*/()-]+$/i; // a formula's
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

/** A text with Python's signs in the place of those that people write. */
function spelled(written) {
  const text = written.replace(/[\u200b\u200e\u2060\ufeff“”‘’]/g, "").replace(/[·×÷−–—^½¼¾²³]/g, (sign) => SIGNS[sign]);
  return text.replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0)).trim();
}

/** A number as people write or print it; an error for anything else. */
function numberIn(written) {
  let text = spelled(written).replace(/^["'`]+|["'`]+$/g, "").replace(/#.*/, "");
  text = text.replace(/^(?:.*:\s+)?[\w.]*(?:tensor|array|float\d+|int\d+)\(\[*([^=\]]*?)\]*(?:,\s+\w+=.*)?\)$/s, "$1");
  text = (TIMES[text.toLowerCase()] ?? text).replace(BEFORE, "").replace(AFTER, (_, percent) => (percent ? "/100" : ""));
  text = text.replace(/\b(?:math|torch|np|numpy)\.(?=[a-z])/g, "").replace(FACTOR, "$1*").replace(/\bln\b/g, "log");
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

/** What a reader makes of a text; `otherwise` if it can read nothing. */
function tryTo(read, text, otherwise) {
  try {
    return read(text);
  } catch {
    return otherwise;
  }
}
