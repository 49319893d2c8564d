// Tables, and pictures, which draw anew only those groups that differ.

const SVG = "http://www.w3.org/2000/svg";
const SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

const keyOf = ({ target }) => target.closest("[data-key]")?.dataset.key;

/** A table.  columns: texts; rows: each {key, cells: [text, or [text, its tooltip]], marks: []}.  point(key) is called when
 *  the pointer comes to a row, point() when it leaves. */
function Table({ caption, columns, rows, point }) {
  const cellOf = (cell, column) => {
    const [text, title] = [cell, ""].flat();
    return column ? html`<td title=${title}>${text}</td>` : html`<th scope="row" title=${title}>${text}</th>`;
  };
  return html`<table class="anb-table"><caption>${caption}</caption>
    <thead><tr>${columns.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
    <tbody onpointerover=${(event) => point?.(keyOf(event))} onpointerleave=${() => point?.()}>${rows.map(({ key, cells, marks = [] }) =>
      html`<tr key=${key} data-key=${key} class=${marks.map((mark) => `anb-${mark}`).join(" ")}>${cells.map(cellOf)}</tr>`)}</tbody></table>`;
}

/** The legend of a picture: a list that opens. */
const legend = (view, texts) => html`<details class="anb-legend anb-note"><summary>${view.words.legend}</summary>
  <ul>${texts.map((each) => html`<li>${each}</li>`)}</ul></details>`;

/** A choice of the views that a widget has. */
const viewChoice = (view, label, views) => choice({
  label, choices: [...views.entries()].map(([place, name]) => [String(place), name]),
  value: String(view.get("view")), change: (place) => view.set({ view: Number(place) }),
});

const titleOf = (group) => group?.querySelector("title")?.textContent ?? "";
// What our pictures consist of. A picture may come from a file or from a program of somebody's, so nothing else passes.
const SHAPES = /^(svg|title|desc|g|rect|circle|polygon|path|text)$/;
const LOOKS = /^(x|y|r|d|cx|cy|rx|points|width|height|viewBox|role|class|display|fill|(stroke|font|text)-\w+|stroke|data-\w+)$/;

/** A picture, or a part of one, made anew from its markup. */
function parseSvg(markup) {
  const copy = (from) => {
    const to = document.createElementNS(SVG, SHAPES.test(from.nodeName) ? from.nodeName : "g");
    if (to.nodeName !== from.nodeName) return to;
    for (const { name, value } of from.attributes) if (LOOKS.test(name)) to.setAttribute(name, value);
    for (const each of from.childNodes) to.append(each.nodeType === Node.TEXT_NODE ? each.data : each.attributes ? copy(each) : "");
    return to;
  };
  return copy(new DOMParser().parseFromString(markup, "image/svg+xml").documentElement);
}

/** A picture: those of its groups, the markup of an element each, that differ are drawn anew in `frame`, a ref.  marks: by
 *  class, the keys of the boxes that have it.  With a `point`, the pointer and the arrow keys go from box to box, call point(key), and a sentence beside `below` says what each
 *  box is.  Enter and a click call choose(key), without a key if no box is there.  Below `smallest` times its size the
 *  picture scrolls.  The ref `goTo` gets a function that goes to the first box whose key fits; if none does, to the box
 *  that is now at the same place. */
function Picture({ view, frame = useRef(), size: [width, height], groups, label, spoken, marks = {}, point, choose, smallest = 1, kind, below, goTo, children, ...more }) {
  const [told, tell] = useState("");
  const { current: own } = useRef({ place: -1 });
  useLayoutEffect(() => {
    const drawn = parseSvg(`<svg xmlns="${SVG}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-size="12" ` +
      `font-family="${SANS}" text-anchor="middle" fill="none"><rect width="${width}" height="${height}" fill="#FFFFFF"/></svg>`);
    drawn.setAttribute("aria-hidden", "true");
    drawn.style.minWidth = `${Math.round(width * smallest)}px`;
    frame.current.replaceChildren(drawn);
    own.drawn = [];
  }, [width, height]);
  useLayoutEffect(() => {
    const { firstChild: svg } = frame.current;
    const [, ...before] = svg.children;
    const others = [...groups.keys()].filter((place) => groups[place] !== own.drawn[place]);
    const { children } = parseSvg(`<svg xmlns="${SVG}">${others.map((place) => groups[place]).join("")}</svg>`);
    for (const [at, fresh] of [...children].entries()) (before[others[at]] ? before[others[at]].replaceWith(fresh) : svg.append(fresh));
    for (const each of before.slice(groups.length)) each.remove();
    own.drawn = groups;
  }, [groups, width, height]);
  useLayoutEffect(() => {
    for (const [name, keys] of Object.entries(marks)) {
      const wanted = new Set(keys.map(plain));
      for (const { classList, dataset } of frame.current.querySelectorAll("g[data-key]:not([data-kind=lane])")) classList.toggle(name, wanted.has(plain(dataset.key)));
    }
  });
  const boxes = () => [...frame.current.querySelectorAll("svg > g[data-key]:not([display])")].filter(titleOf);
  const go = (group) => {
    tell(titleOf(group));
    point(group?.dataset.key);
    group?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const move = (way) => {
    const all = boxes();
    own.place = (own.place + way + all.length) % Math.max(1, all.length);
    go(all[own.place]);
  };
  if (goTo) {
    goTo.current = (fits) => {
      const found = boxes().findIndex((group) => fits(group.dataset.key));
      if (found >= 0) own.place = found;
      go(boxes()[own.place]);
    };
  }
  const handlers = point && {
    onpointerover(event) {
      point(keyOf(event));
      tell(titleOf(event.target.closest("g:has(> title)")));
    },
    onpointerleave: () => go(),
    onfocusout() {
      own.place = -1;
      go();
    },
    onkeydown: onKeys({ ArrowUp: () => move(-1), ArrowDown: () => move(1), Enter: () => choose?.(boxes()[own.place]?.dataset.key) }),
  };
  const click = choose && ((event) => choose(keyOf(event)));
  return html`<figure class="anb-figure">
      <div ref=${frame} class=${classes("anb-picture", kind)} role="img" aria-label=${label} tabindex="0" onclick=${click} ...${handlers} ...${more} />
      <div class="anb-hidden">${spoken}</div>${children}
    </figure>
    ${below && html`<div class="anb-row anb-below"><p class="anb-note anb-pointed" role="status">${told || view.words.point_at}</p>${below}</div>`}`;
}

/** Handlers by which a pointer sets traits, across and up.  A chart describes its axes: the pixels of their sides, from
 *  left to right and from bottom to top, and the values there. */
function dragging(traits, { sides, ends }, set) {
  const at = ({ currentTarget: { firstChild: svg }, clientX, clientY }) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const pixels = [(clientX - box.left) * scale, (clientY - box.top) * scale];
    set(Object.fromEntries(traits.map((trait, axis) => {
      const [[side, other], [from, to]] = [sides[axis], ends[axis]];
      const share = Math.min(1, Math.max(0, (pixels[axis] - side) / (other - side)));
      return [trait, Number((from + share * (to - from)).toPrecision(4))];
    })));
  };
  return {
    onpointerdown(event) {
      event.currentTarget.setPointerCapture(event.pointerId);
      at(event);
    },
    onpointermove: (event) => event.currentTarget.hasPointerCapture(event.pointerId) && at(event),
  };
}

// -- a story: a run, step by step ----------------------------------------------------------------------------------------

/** The key of a tensor, without "@" and the node that changed it. */
const plain = (key) => (key ?? "").split("@")[0].split(":")[0];

const escapeMarkup = (text) => String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

const PHONE = 480; // pixels: where a screen is narrower, a whole picture, which fingers enlarge, says more than a part

/** A story after a step: the form of each part of its picture, and the rows of its table. */
function useMoment(story, at) {
  return useMemo(() => {
    const [forms, rows] = [story.slots.map(() => -1), { ...story.first }];
    for (const step of story.steps.slice(0, at + 1)) {
      for (const [slot, form] of Object.entries(step.picture)) forms[slot] = form;
      Object.assign(rows, step.rows);
    }
    return { forms, rows };
  }, [story, at]);
}

/** The picture of a story, in which `forms` says which form of each part is shown; the marked boxes of this step are scrolled
 *  into sight. */
function Story({ story, forms, at, frame = useRef(), ...more }) {
  const { current: looks } = useRef({}); // how each part looked before
  const groups = useMemo(() => story.slots.map(({ keys, kind, forms: all }, slot) => {
    const [form, name] = [all[forms[slot]], `${keys} ${kind}`];
    const fresh = (looks[name] ?? form) !== form && "anb-fresh";
    const [key, end = ""] = keys.map(escapeMarkup);
    looks[name] = form ?? looks[name];
    return form ? `<g class="${classes(fresh)}" data-key="${key}" data-end="${end}" data-kind="${kind}" data-slot="${slot}">${form}</g>` : '<g display="none"/>';
  }), [forms]);
  useLayoutEffect(() => {
    for (const each of frame.current.querySelectorAll("text")) each.classList.toggle("anb-number-told", /(^|[\s:[(])[-−]?\d|None/.test(each.textContent));
  }, [forms]);
  useLayoutEffect(() => {
    keepInSight(frame.current.parentElement, frame.current.querySelectorAll(".anb-now"));
  }, [story, at]);
  return html`<${Picture} frame=${frame} size=${story.size} groups=${groups} smallest=${innerWidth < PHONE ? 0.5 : 1} ...${more} />`;
}

/** Scroll a box, and nothing around it, so that elements in it can be seen, the first of them at least. */
function keepInSight(box, elements) {
  if (!elements.length || (box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth)) return;
  const frame = box.getBoundingClientRect();
  const places = [...elements].map((each) => each.getBoundingClientRect());
  const missing = (low, high, size) => {
    const ends = [Math.min(...places.map((each) => each[low])), Math.max(...places.map((each) => each[high]))];
    const [first, last] = ends[1] - ends[0] < size ? ends : [places[0][low], places[0][high]];
    const [from, to] = [frame[low], frame[low] + size];
    return first < from ? first - from - 12 : last > to ? Math.min(last - to + 12, first - from - 12) : 0;
  };
  box.scrollBy({
    left: missing("left", "right", box.clientWidth),
    top: missing("top", "bottom", box.clientHeight),
    behavior: reducedMotion() ? "auto" : "smooth",
  });
}
