// All pages share this, and the slides: light and dark, files that load when they are needed, and widgets made live.
"use strict";
const anb = {};

{
  const { documentElement: root } = document, dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("anb-theme"); } catch { return null; } };
  const show = (theme) => root.setAttribute("data-jp-theme-light", String((theme ?? (dark.matches ? "dark" : "light")) === "light"));
  dark.addEventListener("change", () => show(kept()));
  show(kept());
  document.addEventListener("DOMContentLoaded", () => document.getElementById("theme")?.addEventListener("click", () => {
    const chosen = root.dataset.jpThemeLight === "true" ? "dark" : "light";
    try { localStorage.setItem("anb-theme", chosen); } catch { /* it is not kept then */ }
    show(chosen);
  }));

  anb.load = (file) => (anb.load[file] ??= new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: file, onload: resolve, onerror: reject }));
  }));

  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };

  /** Put a widget in the place of its picture. */
  anb.enliven = async (element) => {
    const { kind, state } = element.dataset;
    await anb.load(`${kind}.js`);
    anb[kind](element, await unpacked(state));
  };
}
