"use strict";
// Light, dark, or as the system says; remembered where the browser allows it.
(() => {
  const kinds = ["auto", "light", "dark"];
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const stored = () => { try { return localStorage.getItem("tracepact-theme"); } catch { return null; } };
  const store = (kind) => { try { localStorage.setItem("tracepact-theme", kind); } catch { /* a page without storage */ } };
  const show = (kind) => {
    if (kind === "auto") delete root.dataset.theme; else root.dataset.theme = kind;
    button.textContent = `theme: ${kind}`;
    button.dataset.kind = kind;
  };
  show(kinds.includes(stored()) ? stored() : "auto");
  button.addEventListener("click", () => {
    const next = kinds[(kinds.indexOf(button.dataset.kind) + 1) % kinds.length];
    store(next);
    show(next);
  });
})();
