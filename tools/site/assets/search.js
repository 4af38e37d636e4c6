// Search in all pages. The index is a script beside this one, which is loaded when somebody
// begins to search: a page that was opened from disk may load scripts, and no other files.
(() => {
  "use strict";
  const most = 12, around = 70;
  const root = document.currentScript.dataset.root;
  const input = document.getElementById("search"), found = document.getElementById("found");
  const menu = document.querySelector("nav .menu");
  let loading;

  // On a narrow screen the text comes first.
  if (matchMedia("(max-width: 52rem)").matches) menu.open = false;

  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = () => done(window.searchEntries);
    script.onerror = failed;
    document.head.append(script);
  });

  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // Each word has to be somewhere; where it is says how much it counts.
  const score = (entry, words) => {
    let sum = 0;
    for (const word of words) {
      const begins = new RegExp("(^|[^\\p{L}\\p{N}])" + escaped(word), "iu");
      const in_ = (text) => begins.test(text) ? 2 : text.toLowerCase().includes(word) ? 1 : 0;
      const one = 8 * in_(entry.h) + (entry.h ? 2 : 6) * in_(entry.p) + in_(entry.t);
      if (!one) return 0;
      sum += one;
    }
    return sum;
  };

  // The text around the first word, with all words marked.
  const excerpt = (text, words) => {
    const any = new RegExp(words.map(escaped).join("|"), "giu");
    const at = Math.max(0, text.search(any) - around);
    const part = text.slice(at, at + 3 * around), line = document.createElement("span");
    let last = 0;
    if (at > 0) line.append("… ");
    for (const hit of part.matchAll(any)) {
      const mark = document.createElement("mark");
      mark.textContent = hit[0];
      line.append(part.slice(last, hit.index), mark);
      last = hit.index + hit[0].length;
    }
    line.append(part.slice(last), at + 3 * around < text.length ? " …" : "");
    return line;
  };

  const show = (entries, words) => {
    const hits = entries.map((entry) => ({ entry, score: score(entry, words) })).filter((hit) => hit.score)
      .sort((a, b) => b.score - a.score);
    found.replaceChildren(...hits.slice(0, most).map(({ entry }) => {
      const link = document.createElement("a"), title = document.createElement("b");
      link.href = root + entry.u;
      title.textContent = entry.h ? `${entry.p} › ${entry.h}` : entry.p;
      link.append(title, excerpt(entry.t, words));
      return link;
    }));
    const count = document.createElement("p");
    count.textContent = hits.length === 0 ? "Nothing was found." : hits.length > most ? `${hits.length - most} more; add a word.` : "";
    if (count.textContent) found.append(count);
    found.hidden = false;
  };

  const search = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      found.hidden = true;
      return;
    }
    try {
      const entries = await load();
      if (input.value.toLowerCase().split(/\s+/).filter(Boolean).join() === words.join()) show(entries, words);
    } catch {
      found.textContent = "search-index.js is missing beside the pages.";
      found.hidden = false;
    }
  };

  input.addEventListener("focus", () => void load().catch(() => {}));
  input.addEventListener("input", search);
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  const close = () => { found.hidden = true; };
  document.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== input && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      close();
    } else if (!found.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp") && (at >= 0 || document.activeElement === input)) {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      (links[next] ?? input).focus();
    }
  });
  document.addEventListener("click", (event) => {
    if (!found.contains(event.target) && event.target !== input) close();
    else if (event.target.closest("a")) close();
  });
})();
