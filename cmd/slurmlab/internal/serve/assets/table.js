import { button, el } from './dom.js';

const perPage = 100;

// value is what a cell is sorted by: the number that it begins with, or its words.
function value(text) {
  const plain = text.replaceAll('−', '-').replaceAll(',', '').replace(/^[[<>≥≤]+/, '');
  const n = Number.parseFloat(plain);
  return Number.isNaN(n) ? null : n;
}

function compare(a, b) {
  const x = value(a);
  const y = value(b);
  if (x !== null && y !== null) return x - y;
  if (x !== null || y !== null) return x !== null ? -1 : 1;
  return a.localeCompare(b);
}

// sorted makes a table whose headings sort it, in pages of a hundred rows.
//
// options: caption, titles, words (which columns hold words), rows of {cells, sort, link,
// pick}. sort are values to sort by in the place of the cells; link is where the first cell
// leads; pick is called when its row is chosen. csv is where the table is as data, extra
// stands beside that.
export function sorted({ caption, titles, words, rows, csv, filter, extra }) {
  const state = { by: -1, down: false, page: 0, text: '' };
  const body = el('tbody');
  const heads = titles.map((title, i) => el('th', { scope: 'col', class: words[i] ? null : 'number' },
    el('button', { type: 'button', onclick: () => sort(i) }, title)));
  const note = el('span', { class: 'soft', role: 'status' });
  const back = button('‹', 'Rows before', () => { state.page--; draw(); });
  const on = button('›', 'Rows after', () => { state.page++; draw(); });

  function sort(i) {
    state.down = state.by === i ? !state.down : !words[i];
    state.by = i;
    state.page = 0;
    heads.forEach((head, k) => {
      if (k === i) head.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    draw();
  }

  function chosen() {
    const words = state.text.toLowerCase();
    const list = words ? rows.filter((row) => row.cells.some((cell) => cell.toLowerCase().includes(words))) : rows.slice();
    if (state.by < 0) return list;
    const key = (row) => (row.sort ? row.sort[state.by] : row.cells[state.by]);
    list.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      const order = typeof x === 'number' && typeof y === 'number' ? x - y : compare(String(x), String(y));
      return state.down ? -order : order;
    });
    return list;
  }

  function draw() {
    const list = chosen();
    const pages = Math.max(1, Math.ceil(list.length / perPage));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const from = state.page * perPage;
    body.replaceChildren(...list.slice(from, from + perPage).map(line));
    back.disabled = state.page === 0;
    on.disabled = state.page === pages - 1;
    back.hidden = on.hidden = pages === 1;
    note.textContent = pages === 1 ? (state.text ? `${list.length} of ${rows.length}` : '') : `${from + 1}–${Math.min(from + perPage, list.length)} of ${list.length}`;
  }

  function line(row) {
    const cells = row.cells.map((text, i) => {
      let inside = text;
      if (i === 0 && row.link) inside = el('a', { href: row.link }, text);
      if (i === 0 && row.pick) inside = el('button', { type: 'button', class: 'link', onclick: row.pick }, text);
      const head = i === 0 && (row.link || row.pick);
      return el(head ? 'th' : 'td', { class: words[i] ? null : 'number', scope: head ? 'row' : null }, row.nodes?.[i] ?? inside);
    });
    return el('tr', {}, cells);
  }

  draw();
  const search = filter && el('label', { class: 'search' }, 'Filter ', el('input', { type: 'search', oninput: (e) => { state.text = e.target.value; state.page = 0; draw(); } }));
  return el('section', { class: 'table' },
    el('div', { class: 'bar' }, el('h2', {}, caption), search, el('span', { class: 'gap' }), note, back, on, extra,
      csv && el('a', { class: 'button', href: csv, download: true, 'aria-label': `${caption} as CSV` }, 'CSV')),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, el('table', {}, el('thead', {}, el('tr', {}, heads)), body)));
}

// plain is sorted for a table of the server, without the columns that no row fills.
export function plain(caption, of) {
  const filled = (list) => list.filter((_, i) => of.rows.length === 0 || of.rows.some((cells) => cells[i] !== ''));
  return sorted({ caption, titles: filled(of.titles), words: filled(of.words), csv: of.csv, rows: of.rows.map((cells) => ({ cells: filled(cells) })) });
}
