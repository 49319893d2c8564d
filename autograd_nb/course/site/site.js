// The site's own script: light and dark, the search, and the widgets, which are put in place of their pictures.
"use strict";
const anb = {};

{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("anb-theme"); } catch { return null; } };
  const follow = () => document.documentElement.setAttribute("data-jp-theme-light", String((kept() ?? (dark.matches ? "dark" : "light")) === "light"));
  dark.addEventListener("change", follow);
  follow();

  const load = (file) => (load[file] ??= new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: file, onload: resolve, onerror: reject }));
  }));

  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };

  const enliven = async (element) => {
    const { kind, state } = element.dataset;
    await load(`${kind}.js`);
    anb[kind](element, await unpacked(state));
  };

  // -- the search: MiniSearch's, over the words' stems --------------------------------------------------------------

  const PARTICLES = /(?<=\p{L}{2})(으로|에서|에게|부터|까지|처럼|이란|이라|은|는|이|가|을|를|의|에|와|과|로|도|만|란)$/u;
  const EMPTY = new Set("a an and are be by do does for from how i in is it its my of on or that the this to was what with".split(" "));
  const forms = (word) => {
    const low = word.toLowerCase();
    if (EMPTY.has(low)) return [];
    return [...new Set([low, /[가-힣]/.test(low) ? low.replace(PARTICLES, "") : anb.stemmer(low)])];
  };
  const tokenize = (text) => (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/_+|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
  const LONGEST = 300; // letters of a query

  /** The index, once it is loaded and made. */
  const index = async () => {
    await load("search.js");
    if (anb.search) return anb.search;
    const search = new MiniSearch({ fields: ["heading", "chapter", "asked", "text", "shown"], idField: "place", tokenize, processTerm: forms });
    search.addAll(anb.index.map((entry, place) => ({ ...entry, place })));
    return (anb.search = search);
  };

  const OPTIONS = {
    boost: { heading: 3, asked: 3, chapter: 1.5, shown: 0.5 },
    processTerm: (word) => forms(word).at(-1), // what is typed is looked for as its stem, what is there is kept as both
    prefix: (term, place, terms) => place === terms.length - 1,
    fuzzy: (term) => (term.length > 5 ? 0.15 : 0),
    boostDocument: (place) => anb.index[place].weight,
  };

  /** Words of an entry around those that were found, which are marked. */
  const snippet = ({ text, shown }, terms) => {
    const isHit = (word) => tokenize(word).some((token) => forms(token).some((form) => terms.has(form)));
    let best = { count: -1 };
    for (const words of [text.split(" "), shown.split(" ")]) {
      const hits = words.map(isHit);
      for (let at = 0; at === 0 || at + 12 <= words.length; at += 6) {
        const count = new Set(words.slice(at, at + 24).filter((_, place) => hits[at + place]).map((word) => word.toLowerCase())).size;
        if (count > best.count) best = { count, words, hits, at };
      }
    }
    const { words, hits, at } = best;
    const parts = words.slice(at, at + 24).flatMap((word, place) =>
      [hits[at + place] ? Object.assign(document.createElement("mark"), { textContent: word }) : word, " "]);
    return [at ? "… " : "", ...parts, at + 24 < words.length ? "…" : ""];
  };

  const hit = ({ id: place, terms }) => {
    const { page, anchor, heading, chapter, ...texts } = anb.index[place];
    const line = document.createElement("p"), link = document.createElement("a");
    link.href = `${page}#${anchor}`;
    link.textContent = heading === chapter ? chapter : `${chapter} › ${heading}`;
    line.append(link, document.createElement("br"), ...snippet(texts, new Set(terms)));
    return line;
  };

  /** What MiniSearch finds; first what holds the query's words side by side, as a pasted error message has them. */
  const ranked = (made, wanted) => {
    const spaced = (text) => ` ${tokenize(text).join(" ").toLowerCase()} `;
    const words = spaced(wanted).trim().split(" ");
    const pairs = words.slice(1).map((word, place) => ` ${words[place]} ${word} `);
    const share = ({ text, shown, asked }) => {
      const held = spaced(text) + spaced(shown) + spaced(asked);
      return pairs.filter((pair) => held.includes(pair)).length / (pairs.length || 1);
    };
    const hits = made.search(wanted, OPTIONS).slice(0, 40);
    for (const each of hits) each.score *= 1 + 2 * share(anb.index[each.id]);
    return hits.sort((a, b) => b.score - a.score).slice(0, 12);
  };

  const search = async (field, found) => {
    const wanted = field.value.slice(0, LONGEST), made = await index();
    if (wanted !== field.value.slice(0, LONGEST)) return; // the reader typed on
    const hits = wanted.trim() ? ranked(made, wanted) : [];
    const told = document.createElement("p");
    told.setAttribute("role", "status");
    told.textContent = hits.length ? `${found.getAttribute("aria-label")}: ${hits.length}` : found.dataset.nothing;
    found.replaceChildren(told, ...hits.map(hit));
    found.hidden = !wanted.trim();
    found.scrollTop = 0;
  };

  const searching = () => {
    const field = document.getElementById("search"), found = document.getElementById("found");
    const links = () => [...found.querySelectorAll("a")];
    const close = () => { found.hidden = true; };
    field.addEventListener("input", () => search(field, found));
    field.addEventListener("click", () => field.value && search(field, found));
    field.form.addEventListener("submit", async (event) => {
      event.preventDefault();
      await search(field, found);
      links()[0]?.click();
    });
    field.form.addEventListener("keydown", (event) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") {
        close();
        field.focus();
      } else if (way && !found.hidden) {
        event.preventDefault();
        const all = [field, ...links()];
        (all[all.indexOf(document.activeElement) + way] ?? field).focus();
      }
    });
    found.addEventListener("click", (event) => event.target.closest("a") && close());
    document.addEventListener("click", (event) => field.form.contains(event.target) || close());
    field.form.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !field.form.contains(relatedTarget) && close());
  };

  /** What answers a card, folded by the page, opens when all cards before it are answered. */
  const answers = () => {
    const all = [...document.querySelectorAll(".live[data-kind=ask], details.answer")];
    document.addEventListener("answered", ({ target }) => {
      const next = all.slice(all.indexOf(target) + 1).findIndex((each) => each.matches("details"));
      target.dataset.answered = "";
      const place = all.indexOf(target) + 1 + next;
      for (let before = place - 1; all[before]?.matches(".live"); before -= 1) if (!("answered" in all[before].dataset)) return;
      if (next >= 0) all[place].open = true;
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      const light = document.documentElement.getAttribute("data-jp-theme-light") === "true";
      try { localStorage.setItem("anb-theme", light ? "dark" : "light"); } catch { /* it is not kept then */ }
      document.documentElement.setAttribute("data-jp-theme-light", String(!light));
    });
    searching();
    answers();
    const near = new IntersectionObserver((seen) => seen.filter((each) => each.isIntersecting).forEach(({ target }) => {
      near.unobserve(target);
      enliven(target);
    }), { rootMargin: "600px" });
    const scroll = () => document.querySelectorAll(".output, .formula, .prose table").forEach((each) => each.toggleAttribute("tabindex", false) ||
      (each.scrollWidth > each.clientWidth && each.setAttribute("tabindex", "0"))); // so that keys can scroll it
    addEventListener("resize", scroll);
    addEventListener("load", scroll);
    addEventListener("toggle", scroll, true); // of what was folded
    document.querySelectorAll(".live").forEach((each) => near.observe(each));
  });
}
