// What widgets show: tables that change in place, and pictures of which only what differs is drawn again.

const SVG = "http://www.w3.org/2000/svg";
const COLUMN = 420; // pixels that there are beside something else

/** A table whose cells change in place.  columns: texts; show(rows): each {key, cells: [text, element or [text, its
 *  tooltip]], marks: []}. */
export function table(view, { caption, columns, point }) {
  const body = make("tbody");
  const head = make("tr", {}, ...columns.map((each) => make("th", { scope: "col" }, each)));
  const element = make("table", { class: "anb-table" }, make("caption", {}, caption), make("thead", {}, head), body);
  const known = new Map();
  const show = (rows) => {
    const keys = new Set(rows.map((row) => row.key));
    for (const [key, line] of known) {
      if (!keys.has(key)) {
        line.remove();
        known.delete(key);
      }
    }
    rows.forEach((row, place) => {
      let line = known.get(row.key);
      if (!line) {
        line = make("tr", { "data-key": row.key });
        row.cells.forEach((_, column) => line.append(make(column ? "td" : "th", column ? {} : { scope: "row" })));
        known.set(row.key, line);
      }
      if (body.children[place] !== line) body.insertBefore(line, body.children[place] ?? null);
      row.cells.forEach((cell, column) => {
        const box = line.children[column];
        if (cell instanceof Node) {
          if (box.firstChild !== cell) box.replaceChildren(cell);
          return;
        }
        const [text, title] = [cell, ""].flat();
        if (box.textContent !== String(text)) box.textContent = text;
        if (box.title !== title) box.title = title;
      });
      line.className = (row.marks ?? []).map((mark) => `anb-${mark}`).join(" ");
    });
  };
  if (point) linked(view, body, point);
  return { element, show, mark: (keys) => known.forEach((line, key) => line.classList.toggle("anb-lit", keys.includes(key))) };
}

/** Call point(key) when the pointer or focus comes to something with a data-key in a container, point(null) after. */
export function linked(view, container, point) {
  const key = (event) => event.target.closest?.("[data-key]")?.dataset.key ?? null;
  view.on(container, "pointerover", (event) => point(key(event)));
  view.on(container, "pointerleave", () => point(null));
  view.on(container, "focusin", (event) => point(key(event)));
  view.on(container, "focusout", () => point(null));
}

/** Make an element what another is and touch only what differs, for the rest need not be drawn again; gives it. */
function become(element, wish) {
  if (element.nodeName !== wish.nodeName || element.childNodes.length !== wish.childNodes.length) {
    const fresh = wish.cloneNode(true);
    element.replaceWith(fresh);
    return fresh;
  }
  if (element.nodeType === Node.TEXT_NODE) {
    if (element.data !== wish.data) element.data = wish.data;
    return element;
  }
  const names = element.getAttributeNames().filter((name) => name !== "class"); // marks of the view
  for (const name of names) if (!wish.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of wish.attributes) if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  for (const [place, child] of [...element.childNodes].entries()) become(child, wish.childNodes[place]);
  return element;
}

/** The legend of a picture: a list that opens. */
export function legend(view, texts) {
  const list = make("ul", {}, ...texts.map((each) => make("li", {}, each)));
  const element = make("details", { class: "anb-legend anb-note" }, make("summary", {}, view.words.legend), list);
  return { element, show: (texts) => list.replaceChildren(...texts.map((each) => make("li", {}, each))) };
}

/** Let the pointer and the arrow keys go from box to box of a picture, and tell what each is; gives a function that goes
 *  to the first box whose key fits. */
function pointing(view, frame, told, { point, choose, boxes }) {
  linked(view, frame, point);
  const titleOf = (group) => group?.querySelector("title")?.textContent ?? "";
  const tell = (group) => (told.textContent = titleOf(group) || view.words.point_at);
  const tellable = () => [...boxes()].filter((group) => !group.hasAttribute("display") && titleOf(group));
  let place = -1;
  const go = (group) => {
    tell(group);
    point(group?.dataset.key ?? null);
    group?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  tell(null);
  view.on(frame, "pointerover", (event) => {
    let group = event.target.closest("g");
    while (group && !group.querySelector(":scope > title")) group = group.parentElement.closest("g");
    tell(group);
  });
  view.on(frame, "pointerleave", () => tell(null));
  view.on(frame, "focusout", () => {
    place = -1;
    tell(null);
  });
  view.on(frame, "keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1, Enter: 0 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const groups = tellable();
    if (!way) return choose && groups[place] && choose(groups[place].dataset.key);
    place = (place + way + groups.length) % Math.max(1, groups.length);
    go(groups[place]);
  });
  return (test) => {
    const groups = tellable();
    const found = groups.findIndex((group) => test(group.dataset.key));
    if (found >= 0) place = found;
    go(groups[place]);
  };
}

/** Where in a picture a pointer is that went down there: move(across, up), in shares of its axes. *axis* is what a
 *  chart tells of its sides, in pixels: from left to right, from bottom to top. */
export function dragged(view, chart, axis, move) {
  const at = (event) => {
    const [across, up] = axis();
    const box = chart.svg.getBoundingClientRect();
    const scale = chart.svg.viewBox.baseVal.width / box.width;
    const share = (place, [from, to]) => Math.min(1, Math.max(0, (place * scale - from) / (to - from)));
    move(share(event.clientX - box.left, across), share(event.clientY - box.top, up));
  };
  chart.frame.classList.add("anb-draggable");
  view.on(chart.frame, "pointerdown", (event) => {
    chart.frame.setPointerCapture(event.pointerId);
    at(event);
  });
  view.on(chart.frame, "pointermove", (event) => chart.frame.hasPointerCapture(event.pointerId) && at(event));
}

/** A picture: SVG text comes in once; then groups (by place or data-key) change, and classes on them.  point(key) is
 *  called as arrow keys or the pointer come to a box, choose(key) on a click or Enter.  Below `smallest` times its size
 *  it scrolls. */
export function picture(view, { label, point, choose, smallest = 1 }) {
  const frame = make("div", { class: "anb-picture", role: "img", "aria-label": label, tabindex: "0" });
  const spoken = make("div", { class: "anb-hidden" });
  const element = make("figure", { class: "anb-figure" }, frame, spoken);
  const told = make("p", { class: "anb-note anb-pointed", role: "status" });
  const parser = new DOMParser();
  const parse = (markup) => document.importNode(parser.parseFromString(markup, "image/svg+xml").documentElement, true);
  let svg = null;
  let groups = []; // what stands in the page
  let first = []; // what they were in the base
  let applied = {};
  let number = null;
  const show = (text) => {
    svg = parse(text);
    svg.setAttribute("aria-hidden", "true");
    svg.style.minWidth = `${Math.round(svg.width.baseVal.value * smallest)}px`;
    frame.replaceChildren(svg);
    groups = [...svg.children].slice(svg.querySelector(":scope > desc") ? 3 : 2);
    first = groups.map((each) => each.cloneNode(true));
    applied = {};
  };
  /** Make the groups at these places what the markup says, and all others what they were at first. */
  const patch = (changes) => {
    const places = Object.keys(changes).filter((place) => changes[place] !== applied[place]);
    const fresh = [...parse(`<svg xmlns="${SVG}">${places.map((place) => changes[place]).join("")}</svg>`).children];
    const wanted = places.map((place, index) => [place, fresh[index]]);
    for (const place of Object.keys(applied)) if (!(place in changes)) wanted.push([place, first[place]]);
    applied = changes;
    return wanted.map(([place, wish]) => (groups[place] = become(groups[place], wish)));
  };
  const reach = point ? pointing(view, frame, told, { point, choose, boxes: () => svg.querySelectorAll(":scope > g[data-key]") }) : () => {};
  if (choose) {
    view.on(frame, "click", (event) => {
      const key = event.target.closest("[data-key]")?.dataset.key;
      if (key) choose(key);
    });
  }
  return {
    element,
    told,
    frame,
    show,
    patch,
    get svg() {
      return svg;
    },
    /** Whether it wants the whole width rather than a column. */
    get wide() {
      return svg.width.baseVal.value > COLUMN || svg.width.baseVal.value > 2 * svg.height.baseVal.value;
    },
    /** Show what a Board drew: (base, patch); gives the groups that changed. */
    follow(base, changes) {
      if (base.number !== changes.number) return [];
      const fresh = base.number !== number;
      if (fresh) show(base.svg);
      number = base.number;
      if (spoken.textContent !== changes.text) spoken.textContent = changes.text;
      const touched = patch(changes.groups);
      return fresh ? [] : touched;
    },
    /** Go to the first box whose key fits, as the arrow keys do; where none does, to what now stands at the same place. */
    reach,
    speak(text) {
      spoken.textContent = text;
    },
    /** Give a class to the groups with these keys, and take it from all others. */
    mark(name, keys) {
      const wanted = new Set(keys);
      for (const group of groups) group?.classList.toggle(name, wanted.has(group.dataset.key));
    },
  };
}
