// A widget in a page without Python: a model that keeps its state, and answers where that needs no engine.

/** A model like anywidget's, with traits that are in the page; asked(do, details) gets a view's requests to Python. */
function still(traits, asked = () => {}) {
  const events = new EventTarget();
  const put = (news) => {
    const changed = Object.keys(news).filter((name) => traits[name] !== news[name]);
    Object.assign(traits, news);
    for (const name of changed) events.dispatchEvent(new Event(`change:${name}`));
  };
  return {
    put,
    get: (name) => traits[name],
    set: (name, value) => put({ [name]: value }),
    on: (event, handler) => events.addEventListener(event, handler),
    off: (event, handler) => events.removeEventListener(event, handler),
    save_changes() {
      this.send(traits);
    },
    send({ log }) {
      const { turn, do: what, details } = log?.at(-1) ?? {};
      put({ heard: turn ?? traits.heard, log: [] });
      if (what) asked(what, details);
    },
  };
}

/** A stepper whose stories, in each detail, are in the page. */
function begin(el, { details, parts = [], ...traits }) {
  const first = { details, step: traits.step };
  const bytes = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const told = (detail) => ({ count: details[detail].count, stories: details[detail].stories.map(bytes) });
  const model = still({ ...traits, ...told(traits.detail), heard: 0 });
  let { ends } = details[traits.detail];
  model.on("change:detail", () => {
    const happened = ends[model.get("step")]; // the step shown next ends at least there
    ends = details[model.get("detail")].ends;
    model.put({ ...told(model.get("detail")), step: Math.max(0, ends.findIndex((end) => end >= happened)) });
  });
  model.on("change:view", () => {
    const part = parts[model.get("view")] ?? first;
    ({ details } = part);
    ({ ends } = details[model.get("detail")]);
    model.put({ ...told(model.get("detail")), step: part.step });
  });
  el.replaceChildren();
  return Object.assign(model, { end: render({ model, el }) });
}

/** Light or dark, like the reader's system. */
function followSystem() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.body.setAttribute("data-jp-theme-light", String(!dark.matches));
  dark.addEventListener("change", follow);
  follow();
}

/** Fill an element of a page that knows nothing of the course, perhaps in a shadow tree; dark where its text is light. */
function within(el, style, fill) {
  const [sheet, place] = ["style", "div"].map((tag) => el.appendChild(document.createElement(tag)));
  sheet.textContent = style;
  place.className = "anb-page";
  const follow = () => {
    const [red, green, blue] = getComputedStyle(el).color.match(/[\d.]+/g).map(Number);
    place.setAttribute("data-jp-theme-light", String(red + green + blue < 384));
  };
  const watch = new MutationObserver(follow);
  for (const each of [document.documentElement, document.body]) watch.observe(each, { attributes: true });
  follow();
  const { end } = fill(place);
  return () => {
    watch.disconnect();
    end();
  };
}
