// The site's own script: the search, the cards' answers, and the widgets, which are put in place of their pictures.
"use strict";

{
  // -- the search: MiniSearch's, over the words' stems --------------------------------------------------------------

  const PARTICLES = /(?<=\p{L}{2})(으로|에서|에게|부터|까지|처럼|이란|이라|은|는|이|가|을|를|의|에|와|과|로|도|만|란)$/u;
  const HANGUL = /[가-힣]/;
  const EMPTY = new Set("a am an and are at be by can could did do does for from had has have how i in is it its me my of on or our should that the there this to was we were what which with would you your 무엇 뭐 뭔가요 뭐예요 어떻게 왜 만드는 법 방법".split(" "));
  const stem = (word) => (HANGUL.test(word) ? word.replace(PARTICLES, "") : anb.stemmer(word));
  const forms = (word) => {
    const low = word.toLowerCase();
    return EMPTY.has(low) ? [] : [...new Set([low, stem(low)])];
  };
  const wordsOf = (text) => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const partsOf = (word) => word.split(/_+|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
  const tokenize = (text) => wordsOf(text).flatMap((word) => {
    const parts = partsOf(word);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
  const LONGEST = 300; // letters of a query

  /** The index, once it is loaded and made; and how often it has each of its words. */
  const index = async () => {
    await anb.load("search.js");
    if (anb.search) return anb.search;
    if (document.documentElement.lang !== "en") { // what is not translated is found in English
      const own = anb.index, pages = new Set(own.map(({ page }) => page));
      await anb.load("../search.js");
      const others = anb.index.filter(({ page }) => !pages.has(page));
      anb.index = [...own, ...others.map((each) => ({ ...each, page: `../${each.page}`, weight: each.weight / 2 }))];
    }
    const known = (anb.known = new Map());
    const processTerm = (word) => {
      const made = forms(word);
      made.forEach((form) => known.set(form, (known.get(form) ?? 0) + 1));
      return made;
    };
    const search = new MiniSearch({ fields: ["heading", "chapter", "asked", "text", "shown"], idField: "place", tokenize, processTerm });
    search.addAll(anb.index.map((entry, place) => ({ ...entry, place })));
    return (anb.search = search);
  };

  /** How many letters have to be changed, put in, left out, or swapped with the next, from one word to another. */
  const distance = (one, two) => {
    let before, above = [...two, ""].map((_, column) => column);
    for (let row = 1; row <= one.length; row += 1) {
      const line = [row];
      for (let column = 1; column <= two.length; column += 1) {
        const swapped = one[row - 1] === two[column - 2] && one[row - 2] === two[column - 1];
        line.push(Math.min(above[column] + 1, line[column - 1] + 1, above[column - 1] + (one[row - 1] !== two[column - 1]),
          swapped ? before[column - 2] + 1 : Infinity));
      }
      [before, above] = [above, line];
    }
    return above.at(-1);
  };

  /** The known word that one meant who wrote another: the first letter is right, and one is amiss, or in longer ones two. */
  const nearest = (word) => {
    let best = [word.length < 4 ? 0 : word.length < 8 ? 1 : 2, 0, word];
    for (const [term, count] of anb.known) {
      if (term[0] !== word[0] || Math.abs(term.length - word.length) > best[0]) continue;
      const far = distance(word, term);
      if (far < best[0] || (far === best[0] && count > best[1])) best = [far, count, term];
    }
    return best[2];
  };

  const isKnown = (word) => anb.known.has(stem(word));

  /** A word of a query as it should be spelt; what is being typed, and what Korean writes as one word, as it is. */
  const spelt = (word, place, all) => {
    const low = word.toLowerCase(), typing = place === all.length - 1 && [...anb.known.keys()].some((term) => term.startsWith(low));
    if (EMPTY.has(low) || isKnown(low) || typing || anb.known.has(beginning(low))) return word;
    const near = nearest(low);
    return near === low ? word : near;
  };

  /** The longest known beginning of a Korean word, which has an ending or no space behind it. */
  const beginning = (word) => {
    let end = HANGUL.test(word) ? word.length - 1 : 0;
    while (end > 1 && !anb.known.has(word.slice(0, end))) end -= 1;
    return word.slice(0, end);
  };

  /** What a word of a query is looked for as: stems, which are kept beside the words. */
  const meant = (word) => {
    const low = word.toLowerCase(), parts = partsOf(word), begin = beginning(low);
    if (EMPTY.has(low)) return [];
    if (isKnown(low)) return [stem(low)];
    if (parts.length > 1) return parts.flatMap(meant);
    return anb.known.has(begin) ? [begin, low.slice(begin.length)].filter(isKnown) : [low];
  };

  const OPTIONS = {
    boost: { heading: 3, asked: 3, chapter: 1.5, shown: 0.5 },
    tokenize: (text) => {
      const told = wordsOf(text), pairs = told.slice(1).flatMap((word, place) => [told[place] + word, `${told[place]}_${word}`]);
      return [...pairs.map((pair) => pair.toLowerCase()).filter(isKnown).map(stem), ...told.flatMap(meant)];
    },
    processTerm: (term) => term,
    prefix: (term, place, terms) => place === terms.length - 1,
    boostDocument: (place) => anb.index[place].weight,
  };

  /** Words of an entry around those that were found, which are marked. */
  const snippet = ({ text, shown }, terms) => {
    const isHit = (word) => tokenize(word).some((token) => forms(token).some((form) => terms.has(form)));
    let best = { count: -1 };
    for (const [words, less] of [[text.split(" "), 0], [shown.split(" "), 1]]) { // what is said rather than code
      const hits = words.map(isHit);
      for (let at = 0; at === 0 || at + 12 <= words.length; at += 6) {
        const count = new Set(words.slice(at, at + 24).filter((_, place) => hits[at + place]).map((word) => word.toLowerCase())).size;
        if (count - less > best.count) best = { count, words, hits, at };
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
    if (page.startsWith("../")) line.lang = "en";
    link.href = `${page}#${anchor}`;
    link.textContent = heading === chapter ? chapter : `${chapter} › ${heading}`;
    line.append(link, document.createElement("br"), ...snippet(texts, new Set(terms)));
    return line;
  };

  const MESSAGE = /^.*\b(\w+(?:Error|Warning): .*)/s; // the last in a pasted traceback
  const CLINIC = "92_error_clinic.html", GLOSSARY = "91_glossary.html"; // which cures it; which explains words

  const rarity = (term) => Math.log(1 + anb.index.length / (anb.known.get(term) ?? 0.5));

  /** The share of a query's words, rare ones weighing more, that an entry has: alone, or as one with a neighbour. */
  const covered = (told, { queryTerms }) => {
    const held = new Set(queryTerms);
    const joined = told.slice(1).map((word, place) =>
      [told[place] + word, `${told[place]}_${word}`].some((pair) => held.has(stem(pair.toLowerCase()))));
    let all = 0, had = 0;
    told.forEach((word, place) => meant(word).forEach((term) => {
      all += rarity(term);
      had += held.has(term) || joined[place] || joined[place - 1] ? rarity(term) : 0;
    }));
    return had / all;
  };

  /** What MiniSearch finds; first what is headed or asked as the query reads, or holds its words side by side, as a message. */
  const ranked = (made, text) => {
    const told = wordsOf((MESSAGE.exec(text)?.[1] ?? text).slice(0, LONGEST)).map(spelt), wanted = told.join(" ");
    const spaced = (text) => ` ${wordsOf(text).join(" ").toLowerCase()} `;
    const pairs = told.slice(1).map((word, place) => ` ${told[place]} ${word} `.toLowerCase());
    const terms = new Set(OPTIONS.tokenize(wanted));
    const share = ({ text, shown, asked }) => {
      const held = spaced(text) + spaced(shown) + spaced(asked);
      return pairs.filter((pair) => held.includes(pair)).length / (pairs.length || 1);
    };
    const likeness = (title) => {
      const own = new Set(wordsOf(title).flatMap((word) => forms(word).slice(-1)));
      return 2 * [...own].filter((term) => terms.has(term)).length / (own.size + terms.size);
    };
    const enough = HANGUL.test(wanted) ? 0.4 : 0.5; // endings hide some words of Korean
    const hits = made.search(wanted, OPTIONS).filter((each) => covered(told, each) >= enough).slice(0, 200);
    for (const each of hits) {
      const entry = anb.index[each.id], { page, heading, chapter, asked } = entry;
      const held = share(entry), cures = pairs.length > 4 && held > 0.6 && page.endsWith(CLINIC) && heading !== chapter;
      const titles = [heading, ...asked.split("; ")];
      each.score *= (1 + (cures ? 8 : 2) * held) * (1 + 2 * Math.max(...titles.map(likeness)));
      const explained = page.endsWith(GLOSSARY) ? titles : titles.slice(1); // a word there, or a question
      if (explained.some((title) => title.toLowerCase() === wanted.toLowerCase())) each.score *= 4;
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, 12);
  };

  const search = async (field, found) => {
    const wanted = field.value, made = await index();
    if (wanted !== field.value) return; // the reader typed on
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
    field.value = new URLSearchParams(location.search).get("search") ?? ""; // the page `play` asks so
    if (field.value) search(field, found);
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

  /** The other language opens at the reader's place: between which headings and blocks of code, which are the same in both. */
  const languages = () => {
    const marks = () => [0, ...[...document.querySelectorAll("main :is(h1, h2, h3, h4, pre):not(details *, .live *)")].map((each) =>
      each.getBoundingClientRect().top + scrollY - 56), document.documentElement.scrollHeight]; // 56 pixels: the page's header
    document.querySelectorAll("header a[hreflang]:not([href$='index.html'])").forEach((link) => link.addEventListener("click", () => {
      const all = marks(), last = all.slice(0, -1).findLastIndex((top) => top <= scrollY + 1);
      link.hash = `at=${(last + (scrollY - all[last]) / (all[last + 1] - all[last])).toFixed(3)}`;
    }));
    const at = Number(location.hash.match(/^#at=([\d.]+)$/)?.[1]), all = marks(), last = Math.floor(at);
    if (last + 1 < all.length) scrollTo(0, all[last] + (at - last) * (all[last + 1] - all[last]));
  };

  document.addEventListener("DOMContentLoaded", () => {
    searching();
    answers();
    addEventListener("load", languages);
    const near = new IntersectionObserver((seen) => seen.filter((each) => each.isIntersecting).forEach(({ target }) => {
      near.unobserve(target);
      anb.enliven(target);
    }), { rootMargin: "600px" });
    const scroll = () => document.querySelectorAll(".output, .formula, .prose table").forEach((each) => each.toggleAttribute("tabindex", false) ||
      (each.scrollWidth > each.clientWidth && each.setAttribute("tabindex", "0"))); // so that keys can scroll it
    addEventListener("resize", scroll);
    addEventListener("load", scroll);
    addEventListener("toggle", scroll, true); // of what was folded
    document.querySelectorAll(".live").forEach((each) => near.observe(each));
  });
}
