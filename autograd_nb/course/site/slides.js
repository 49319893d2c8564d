// The slides' own script: reveal.js, and steppers that step as soon as their slide is near. S shows the speaker's notes.
"use strict";

{
  /** Make the steppers of a slide live, once. */
  const enliven = (slide) => slide.querySelectorAll(".live").forEach((element) => {
    element.classList.remove("live");
    anb.enliven(element);
  });

  Reveal.on("ready", ({ currentSlide }) => enliven(currentSlide));
  Reveal.on("slidechanged", ({ currentSlide }) => enliven(currentSlide));
  Reveal.initialize({
    width: 1120, height: 700, margin: 0.03, center: false, hash: true, slideNumber: "c/t", plugins: [RevealNotes],
    transition: matchMedia("(prefers-reduced-motion: reduce)").matches ? "none" : "slide",
  });
}
