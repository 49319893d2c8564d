// A story in the browser: all forms of a picture stand in the page from the beginning; a step shows some, hides others.

// what belongs together: a tensor's key may be followed by "@" and the node that changed it
const plain = (key) => (key ?? "").split("@")[0].split(":")[0];

/** All forms of a story in a picture, hidden; show(now) shows one of each slot. */
function picturedForms(graph, story, title) {
  const markup = story.slots.map(({ keys, kind, forms }, slot) =>
    forms.map((form) => `<g data-key="${escaped(keys[0])}" data-end="${escaped(keys[1] ?? "")}" data-kind="${kind}" data-slot="${slot}" display="none">${form}</g>`).join("")).join("");
  const [width, height] = story.size;
  graph.show(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="Helvetica, Arial, sans-serif" font-size="12" text-anchor="middle" fill="none"><title>${escaped(title)}</title>` +
    `<rect width="${width}" height="${height}" fill="#FFFFFF"/>${markup}</svg>`);
  const forms = story.slots.map(() => []);
  for (const group of graph.svg.querySelectorAll(":scope > g")) forms[group.dataset.slot].push(group);
  const drawn = story.slots.map(() => -1);
  return {
    light: (keys) => {
      for (const group of forms.flat()) group.classList.toggle("anb-lit", group.dataset.kind === "box" && keys.includes(plain(group.dataset.key)));
    },
    /** Show these forms, and which boxes are those of what happens now. */
    show: (shown, lit) => {
      shown.forEach((form, slot) => {
        if (drawn[slot] === form) return;
        if (drawn[slot] >= 0) forms[slot][drawn[slot]].setAttribute("display", "none");
        if (form >= 0) forms[slot][form].removeAttribute("display");
        drawn[slot] = form;
      });
      forms.forEach((all, slot) => {
        const now = story.slots[slot].kind === "box" && lit.has(plain(story.slots[slot].keys[0]));
        for (const group of all) group.classList.toggle("anb-now", now);
      });
      keepInSight(graph.element, forms.flat().filter((group) => group.classList.contains("anb-now") && !group.hasAttribute("display")));
    },
  };
}

/** A story followed: to(place) gives `{forms, rows}` after that step. */
function followed(story) {
  let at, forms, rows;
  const begin = () => ([at, forms, rows] = [-1, story.slots.map(() => -1), { ...story.first }]);
  begin();
  return {
    at: () => at,
    to: (place) => {
      if (place < at) begin();
      while (at < place) {
        const step = story.steps[++at];
        for (const [slot, form] of Object.entries(step.picture)) forms[slot] = form;
        Object.assign(rows, step.rows);
      }
      return { forms, rows };
    },
  };
}

/** Scroll a box, and nothing around it, so that elements in it can be seen, the first of them at least. */
function keepInSight(box, elements) {
  if (!elements.length || (box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth)) return;
  const frame = box.getBoundingClientRect();
  const places = elements.map((each) => each.getBoundingClientRect());
  const missing = (low, high, from, to) => (low < from ? low - from - 12 : high > to ? Math.min(high - to + 12, low - from - 12) : 0);
  const ends = (low, high, size) => {
    const [first, last] = [Math.min(...places.map((each) => each[low])), Math.max(...places.map((each) => each[high]))];
    return last - first < size ? [first, last] : [places[0][low], places[0][high]];
  };
  box.scrollBy({
    left: missing(...ends("left", "right", box.clientWidth), frame.left, frame.left + box.clientWidth),
    top: missing(...ends("top", "bottom", box.clientHeight), frame.top, frame.top + box.clientHeight),
    behavior: reducedMotion() ? "auto" : "smooth",
  });
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
