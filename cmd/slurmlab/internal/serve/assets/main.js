import { el } from './dom.js';
import { showFolder } from './folder.js';
import { showList } from './list.js';
import { showRun } from './run.js';
import { showSeveral } from './several.js';

let leave = new AbortController();

// show draws the page that the address names. What the page before had under way ends.
async function show() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const main = document.getElementById('main');
  const [, kind, key] = location.hash.split('/');
  const pages = { run: showRun, folder: showFolder, curves: showSeveral };
  const page = { title: 'slurmlab', trail: [] };
  try {
    const content = await (pages[kind] || showList)(key ? decodeURIComponent(key) : '', signal, page);
    if (signal.aborted) return;
    main.replaceChildren(content);
    // What is drawn needs the place that it has on the page.
    content.dispatchEvent(new Event('placed'));
  } catch (fault) {
    if (signal.aborted) return;
    main.replaceChildren(el('div', { class: 'fault', role: 'alert' }, el('h1', {}, 'This cannot be shown'), el('p', {}, fault.message),
      el('p', {}, el('a', { href: '#/' }, 'All runs'))));
  }
  document.title = page.title;
  const trail = [el('li', {}, el('a', { href: '#/' }, 'slurmlab')), ...page.trail.map((text) => el('li', {}, text))];
  document.getElementById('trail').replaceChildren(...trail);
}

addEventListener('hashchange', async () => {
  // The way past the head of the page is no page of its own.
  if (location.hash === '#main') return;
  await show();
  scrollTo(0, 0);
  document.getElementById('main').focus({ preventScroll: true });
});
show();
