// The slides' own script: reveal.js, and steppers that step as soon as their slide is near. S shows the speaker's notes.
"use strict";
const anb = {};

{
  const load = (file) => (load[file] ??= new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: file, onload: resolve, onerror: reject }));
  }));

  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };

  /** Make the steppers of a slide live, once. */
  const enliven = (slide) => slide.querySelectorAll(".live").forEach(async (element) => {
    const { kind, state } = element.dataset;
    element.classList.remove("live");
    await load(`${kind}.js`);
    anb[kind](element, await unpacked(state));
  });

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.setAttribute("data-jp-theme-light", String(!dark.matches));
  dark.addEventListener("change", follow);
  follow();

  Reveal.on("ready", ({ currentSlide }) => enliven(currentSlide));
  Reveal.on("slidechanged", ({ currentSlide }) => enliven(currentSlide));
  Reveal.initialize({
    width: 1120, height: 700, margin: 0.03, center: false, hash: true, slideNumber: "c/t", plugins: [RevealNotes],
    transition: matchMedia("(prefers-reduced-motion: reduce)").matches ? "none" : "slide",
  });
}
