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

  const search = async (field, found) => {
    await load("search.js");
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const score = ([, , heading, text]) => wanted.reduce((sum, word) => {
      const inHeading = heading.toLowerCase().includes(word);
      return sum && (inHeading || text.toLowerCase().includes(word)) ? sum + (inHeading ? 10 : 0) : 0;
    }, 1);
    const hits = anb.index.map((entry) => [score(entry), entry]).filter(([points]) => points).sort((a, b) => b[0] - a[0]).slice(0, 20);
    found.hidden = !wanted.length;
    found.replaceChildren(...(hits.length ? hits : [[0, null]]).map(([, entry]) => {
      const line = document.createElement("p");
      if (!entry) return Object.assign(line, { textContent: found.dataset.nothing });
      const [page, place, heading, text] = entry;
      const at = Math.max(0, text.toLowerCase().indexOf(wanted[0]) - 40);
      line.append(Object.assign(document.createElement("a"), { href: `${page}#${place}`, textContent: heading }), ` ${text.slice(at, at + 140)}`);
      return line;
    }));
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      const light = document.documentElement.getAttribute("data-jp-theme-light") === "true";
      try { localStorage.setItem("anb-theme", light ? "dark" : "light"); } catch { /* it is not kept then */ }
      document.documentElement.setAttribute("data-jp-theme-light", String(!light));
    });
    const field = document.getElementById("search"), found = document.getElementById("found");
    field.form.addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("input", () => search(field, found));
    found.addEventListener("click", (event) => { if (event.target.closest("a")) found.hidden = true; });
    const near = new IntersectionObserver((seen) => seen.filter((each) => each.isIntersecting).forEach(({ target }) => {
      near.unobserve(target);
      enliven(target);
    }), { rootMargin: "600px" });
    const scroll = () => document.querySelectorAll(".output, .formula").forEach((each) => each.toggleAttribute("tabindex", false) ||
      (each.scrollWidth > each.clientWidth && each.setAttribute("tabindex", "0"))); // so that keys can scroll it
    addEventListener("resize", scroll);
    addEventListener("load", scroll);
    document.querySelectorAll(".live").forEach((each) => near.observe(each));
  });
}
