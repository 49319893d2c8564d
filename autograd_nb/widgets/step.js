// The stepper's front end: the picture, the code and the values of a story, step by step.

/** A story that Python packed: deflated JSON. */
const unpack = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();

const [HIGH, BESIDE] = [360, 560]; // pixels: a picture so high, and at most so wide, has the sentence beside it
const COLUMN = 420; // pixels of the space beside something else

/** The code of a story: pointing at a line lights up its boxes and rows, choosing it jumps to its first step. */
function Code({ view, story, at, pointed, point, jump }) {
  const box = useRef();
  const stepsOf = useMemo(() => story.code.map((_, line) => [...story.steps.keys()].filter((step) => story.steps[step].line === line)), [story]);
  const keysOf = useMemo(() => stepsOf.map((steps) => steps.flatMap((step) => story.steps[step].lit.map(plain))), [story]);
  const now = story.steps[at]?.line;
  useLayoutEffect(() => keepInSight(box.current, box.current.querySelectorAll("[aria-current]")), [now]);
  const lineOf = ({ target }) => target.closest("[data-line]")?.dataset.line;
  const choose = (line) => stepsOf[line]?.length && jump(stepsOf[line][0]);
  const isLit = (line) => (pointed.line === undefined ? keysOf[line].some((key) => pointed.keys.includes(key)) : String(line) === pointed.line);
  const move = (way) => {
    let line = now + way;
    while (stepsOf[line]?.length === 0) line += way;
    choose(line);
  };
  const press = onKeys({ ArrowUp: () => move(-1), ArrowDown: () => move(1) });
  const several = new Set(story.code.map(({ file }) => file)).size > 1;
  return html`<div ref=${box} class="anb-code-box anb-scrolls" role="group" aria-label=${view.words.code} tabindex="0" onkeydown=${press}>
    <ol class="anb-lines" onclick=${(event) => choose(lineOf(event))} onpointerleave=${() => point([])}
      onpointerover=${(event) => point(keysOf[lineOf(event)] ?? [], lineOf(event))}>
      ${story.code.map(({ file, number, text }, line) => html`
        ${several && file !== story.code[line - 1]?.file && html`<li class="anb-file">${file}</li>`}
        <li data-line=${line} tabindex="-1" value=${number} class=${classes(isLit(line) && "anb-lit")} aria-current=${line === now ? "step" : null}>
          <code>${text || " "}</code></li>`)}
    </ol></div>`;
}

/** One story on a stage: picture, code and values after a step, and children between picture and texts. */
function Stage({ view, story, title, at, several, jump, children }) {
  const { words } = view;
  const [pointed, setPointed] = useState({ keys: [] });
  const box = useRef();
  const step = story.steps[at];
  const { forms, rows } = useMoment(story, at);
  useLayoutEffect(() => keepInSight(box.current, [...box.current.querySelectorAll(".anb-new")].slice(0, 1)), [step]);
  const point = (keys, line) => setPointed({ keys, line });
  const pointKey = (key) => point(key ? [plain(key)] : []);
  const [width, height] = story.size;
  const high = isHigh(story);
  const wide = width > COLUMN || width > 2 * height; // it needs the whole width, not a column
  const values = Object.keys(story.names).filter((key) => rows[key]).map((key) => {
    const [value, grad, uses, precise, preciseGrad] = rows[key];
    const marks = [key in (step?.rows ?? {}) && "new", pointed.keys.includes(key) && "lit"].filter(Boolean);
    return { key, cells: [story.names[key], [value, precise], [grad, preciseGrad], uses], marks };
  });
  return html`<div class="anb-panel anb-holder" role="group" aria-label=${title}><p class="anb-title" aria-hidden="true">${title}</p>
    <div class=${classes("anb-stage", (high || !wide) && "anb-beside", high && "anb-high")} style=${{ "--anb-wide": `${width + 2}px` }}>
      ${children}
      <div class="anb-graph">
        <${Story} view=${view} story=${story} label="${words.graph}: ${title}" forms=${forms} at=${at} point=${pointKey}
          marks=${{ "anb-lit": pointed.keys, "anb-now": step?.lit ?? [] }} spoken=${step?.sentence} below=${legend(view, story.legend)} /></div>
      <div class="anb-texts"><${Code} view=${view} story=${story} at=${at} pointed=${pointed} point=${point} jump=${jump} />
        <div ref=${box} class="anb-values-box anb-scrolls" role="group" aria-label=${words.values} tabindex="0">
          <${Table} caption=${words.values} columns=${words.columns} point=${pointKey} rows=${values} /></div></div>
    </div>
    ${several && html`<p class="anb-sentence">${sentence(words, story, at)}</p>`}
    ${story.notice && html`<p class="anb-note">${story.notice}</p>`}</div>`;
}

const isHigh = ({ size: [width, height] }) => height > HIGH && width <= BESIDE;
const sentence = (words, { steps }, at) => steps[Math.min(at, steps.length - 1)]?.sentence ?? words.empty;

const [A_WORD, SHORTEST] = [300, 1500]; // milliseconds: a word, at 200 words a minute; a step, at least

/** Plays the steps: next() makes one, true if there was one.  Each sentence stays as long as it takes to read. */
function usePlayer(view, { step, said, next, rewind }) {
  const [playing, play] = useState(false);
  const { current: own } = useRef({});
  own.next = next;
  useLayoutEffect(() => void (own.since = performance.now()), [step]);
  useLayoutEffect(() => {
    const wait = said.split(/\s+/).length * A_WORD / view.get("speed") - (performance.now() - own.since);
    if (playing) return view.later(Math.max(SHORTEST / view.get("speed"), wait), () => own.next() || play(false));
  }, [playing, step, said]);
  const pause = () => play(false);
  useLayoutEffect(pause, [view.get("detail")]);
  const toggle = () => {
    if (!playing) rewind();
    play(!playing);
  };
  return { playing, pause, toggle };
}

/** The buttons and the slider for the steps; user(step) goes to one. */
function bar(view, { step, user, last, player, places }) {
  const { words } = view;
  const way = (sign, label, target) => button(sign, () => user(target), { "aria-label": label, title: label });
  const said = fill(words.of, { step: step + 1, count: view.get("count") });
  const detail = view.get("detail");
  const link = view.get("link"); // to a page that runs the program and steps through it, at this step
  const views = view.get("views") ?? [];
  return html`<div class="anb-row anb-bar-of-steps">
    ${views.length > 1 && viewChoice(view, words.view, views)}
    <div class="anb-in-page" data-in-page="">
      ${way("|◀", words.first, 0)}${way("◀", words.back, step - 1)}
      ${button(player.playing ? `❚❚ ${words.pause}` : `▶ ${words.play}`, player.toggle, { "aria-pressed": player.playing })}
      ${way("▶", words.on, step + 1)}${way("▶|", words.last, last)}
      <input type="range" min="0" max=${last} step="1" value=${step} aria-label=${words.position} aria-valuetext=${said}
        oninput=${({ target }) => user(Number(target.value))} />
      <span class="anb-note anb-counter">${said}</span></div>
    <details class="anb-history"><summary>${words.more}</summary><div class="anb-row">
      ${choice({
        label: words.speed, choices: Object.entries(words.speeds), value: String(view.get("speed")), "data-in-page": "",
        change: (value) => view.set({ speed: Number(value) }),
      })}
      ${choice({ label: words.detail, choices: Object.entries(words.details), ...bound(view, "detail") })}
    </div></details>
    ${link && copier({ label: words.link, text: link + (detail === "fast" ? `&step=${step}` : "") })}
    ${places?.length > 0 && choice({
      label: words.go, choices: [["", "…"], ...places.map(([text, place]) => [place, text])], change: (place) => place && user(Number(place)),
    })}</div>`;
}

/** The stories of a view, unpack, once a reader comes near it or prints the page. */
function useStories(view) {
  const [near, setNear] = useState(false);
  const [stories, setStories] = useState([]);
  const packed = view.get("stories");
  useLayoutEffect(() => {
    const come = () => setNear(true);
    // JupyterLab's panels allow no margin
    const sight = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && come(), { rootMargin: "600px" });
    sight.observe(view.root);
    view.on(window, "beforeprint", come);
    return () => sight.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!near) return;
    if (!packed.length) return view.ask("tell");
    let over = false;
    Promise.all(packed.map(unpack)).then((told) => over || setStories(told));
    return () => void (over = true);
  }, [packed, near]);
  return stories;
}

function Stepper({ view }) {
  const { words } = view;
  const stories = useStories(view);
  const titles = view.get("titles");
  const step = view.get("step");
  const last = Math.max(0, view.get("count") - 1);
  const go = (wanted) => view.set({ step: Math.max(0, Math.min(wanted, last)) });
  const next = () => {
    if (step < last) go(step + 1);
    return step < last;
  };
  const several = stories.length > 1;
  const sentences = stories.map((story) => sentence(words, story, step));
  const said = several ? sentences.map((each, place) => `${titles[place]}: ${each}`).join("\n") : sentences[0] ?? "";
  const player = usePlayer(view, { step, said, next, rewind: () => step >= last && go(0) });
  const user = (wanted) => {
    player.pause();
    go(wanted);
  };
  const press = onKeys({
    ArrowLeft: () => user(step - 1), ArrowRight: () => user(step + 1), Home: () => user(0), End: () => user(last), " ": player.toggle,
  });
  const status = html`<p class=${classes("anb-status anb-sentence", several && "anb-hidden")} role="status" aria-live="polite">${said}</p>`;
  const inside = stories.length === 1 && isHigh(stories[0]);
  return html`<div onkeydown=${press}>
    ${bar(view, { step, user, last, player, places: stories[0]?.places })}${!inside && status}
    <div class="anb-stages">${stories.length ? stories.map((story, place) => html`
      <${Stage} view=${view} story=${story} title=${titles[place]} at=${Math.min(step, story.steps.length - 1)} several=${several} jump=${user}>
        ${inside && status}<//>`) : html`<p class="anb-note">${words.loading}</p>`}</div>
    <p class="anb-note">${words.keys} ${words.leave}</p></div>`;
}

export default defineWidget(Stepper, ["step", "speed"]);
