"use strict";
// The state of a page's filters in its address, as `#?name=value&…`; what is as at first is left out.
const address = {
  read() {
    return location.hash.startsWith("#?") ? Object.fromEntries(new URLSearchParams(location.hash.slice(2))) : null;
  },
  write(state) {
    const kept = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined));
    const text = kept.toString();
    if (!text && !location.hash.startsWith("#?")) return;
    const next = text ? `#?${text}` : location.pathname + location.search;
    try { history.replaceState(null, "", next); } catch { /* a page that may not change its address */ }
  },
};
