// A slider with its number field.

/** A slider and a number field for the same value; the field also takes numbers outside the slider's range, unless it is
 *  `closed`.  With `log` the slider moves over powers of ten; if `signed` it sets the size, and the field the sign. */
function Slider({ label, name = label, min, max, step = "any", value, change, log, signed, whole, closed, disabled, ...more }) {
  const view = useContext(Viewed);
  const { words } = view;
  const sign = signed && value < 0 ? -1 : 1;
  const [to, from] = log ? [Math.log10, (place) => 10 ** place] : [Number, Number];
  const place = to(sign * value);
  const { current: own } = useRef({});
  if (!view.gesture.held) own.place = place; // no end moves under the hand
  // A value beyond an end needs a place, or the first touch would throw it away; in whole steps the others keep theirs.
  const beyond = (far) => (far > 0 ? Math.ceil(far / (step === "any" ? far : step)) * (step === "any" ? far : step) : 0);
  const ends = [to(min) - beyond(to(min) - own.place), to(max) + beyond(own.place - to(max))];
  // The shortest number within half a hundredth of the way: a hand reaches 0.05, and not only its neighbours.
  const numberAt = (at) => [1, 2, 3, 12].map((digits) => Number(from(at).toPrecision(log ? digits : 12)))
    .find((near, tried) => tried === 3 || Math.abs(to(near) - at) <= (ends[1] - ends[0]) / 200);
  const [answer, say] = useState({ why: "" });
  useLayoutEffect(() => say({ why: "" }), [value, view.drafts]);
  const refusal = (written, number) => {
    if (!written.trim()) return words.empty_field;
    if (!Number.isFinite(number)) return words.not_a_number;
    if (whole && !Number.isInteger(number)) return words.not_whole;
    if ((closed || whole) && (number < min || number > max)) return words.outside;
    return log && (signed ? !number : number <= 0) ? words[signed ? "zero" : "not_above"] : "";
  };
  const read = (written) => {
    const number = tryTo(numberIn, written, NaN);
    const why = refusal(written, number);
    say({ why: why && fill(why, { text: written.trim(), label: name, value: format(value), min: format(min), max: format(max) }) });
    if (!why && number !== value) change(number);
  };
  return html`<div class="anb-slider"><span class="anb-name" aria-hidden="true">${label}</span>
    <input type="range" min=${ends[0]} max=${ends[1]} step=${step} value=${Number.isFinite(place) ? place : undefined} aria-label=${name}
      aria-valuetext=${format(value)} disabled=${disabled} oninput=${({ target }) => change(sign * numberAt(Number(target.value)))} />
    <span class="anb-field">
      <${TextField} name=${fill(words.value_of, { label: name })} value=${format(value)} change=${read} invalid=${answer.why} answer=${answer}
        class="anb-number" inputmode="decimal" disabled=${disabled} ...${more} />
      <span class="anb-error" role="alert" hidden=${!answer.why}>${answer.why}</span>
    </span></div>`;
}
