import { el } from './dom.js';
import { sorted } from './table.js';

// Matrix is a folder at a glance: the places by policies and by the pairs that are compared, in a metric that
// the reader chooses, and the runs of each replica, linked. Whatever colour says is there in
// words.
export class Matrix {
  constructor() {
    this.choice = el('select', { onchange: () => this.draw() });
    this.note = el('span', { class: 'soft' });
    this.cells = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Places by policies' });
    this.runs = el('div');
    this.top = el('section', { class: 'table matrix', 'aria-label': 'Matrix' },
      el('div', { class: 'bar' }, el('h2', {}, 'Places by policies'), el('label', {}, 'Metric ', this.choice), this.note), this.cells);
    this.node = el('div', {}, this.top, this.runs);
  }

  // load takes over what the folder shows by now; the metric that was chosen stays.
  load(matrix) {
    const chosen = this.choice.value;
    this.matrix = matrix;
    this.choice.replaceChildren(...matrix.metrics.map(({ title }) => el('option', { selected: title === chosen }, title)));
    this.choice.parentElement.hidden = matrix.metrics.length === 0;
    this.draw();
    this.runs.replaceChildren(runsOf(matrix));
  }

  draw() {
    const { metrics, policies, pairs, places } = this.matrix;
    const at = Math.max(0, this.choice.selectedIndex);
    this.note.textContent = metrics.length ? `${metrics[at].better} is better` : 'No run is complete: there is nothing to compare yet.';
    const backends = new Set(places.map((place) => place.backend)).size > 1;
    const events = new Set(places.map((place) => place.events)).size > 1;
    const head = (text, under) => el('th', { scope: 'col' }, el('div', {}, text), under && el('div', { class: 'soft' }, under));
    const rows = places.map((place) => el('tr', {},
      el('th', { scope: 'row' }, el('div', {}, place.workload), el('div', { class: 'soft' }, `machine ${place.machine}${events ? `, ${place.events}` : ''}${backends ? `, ${place.backend}` : ''}`)),
      ...place.policies.map((cell) => el('td', {}, el('div', { class: 'mean' }, cell.means[at] ?? '–'), el('div', { class: 'soft' }, cell.states || 'no run'))),
      ...place.pairs.map((cell, i) => verdictOf(cell, at, pairs[i]))));
    this.cells.replaceChildren(el('table', {}, el('thead', {}, el('tr', {}, head('Workload'),
      ...policies.map((name) => head(name, 'mean of its complete runs')),
      ...pairs.map(([a, b]) => head(`${b} less ${a}`, 'difference within replicas, verdict')))), el('tbody', {}, ...rows)));
  }
}

// verdictOf is the cell of a pair: the difference, its interval, and which side is better.
function verdictOf({ elsewhere, replicas, verdicts }, at, [a, b]) {
  if (elsewhere) return el('td', { class: 'soft' }, '–');
  const verdict = verdicts[at];
  if (!verdict) return el('td', { class: 'soft' }, 'no replica is complete under both');
  const kind = verdict.better === b ? 'better' : verdict.better === a ? 'worse' : null;
  return el('td', {},
    el('div', { class: 'mean' }, verdict.difference, ' ', el('span', { class: 'soft' }, verdict.interval)),
    el('div', { class: kind && `verdict ${kind}` }, verdict.better ? 'better: ' : '', verdict.words),
    el('div', { class: 'soft' }, replicas));
}

// runsOf is a row for each replica of a place, with the state of its run under each policy.
function runsOf({ policies, places, runs }) {
  const rows = new Map();
  for (const run of runs) {
    const key = `${run.place} ${run.replica}`;
    if (!rows.has(key)) rows.set(key, { place: places[run.place], replica: run.replica, of: new Map() });
    rows.get(key).of.set(run.policy, run);
  }
  const broken = runs.filter((run) => run.why);
  const table = sorted({
    caption: 'Runs', filter: rows.size > 20, titles: ['Workload', 'Machine', 'Backend', 'Replica', ...policies],
    words: Array(4 + policies.length).fill(true),
    rows: [...rows.values()].map(({ place, replica, of }) => {
      const cells = policies.map((name) => of.get(name));
      return {
        cells: [place.workload, !place.events || place.events === 'no events' ? place.machine : `${place.machine}, ${place.events}`, place.backend, replica, ...cells.map(stateOf)],
        nodes: Object.fromEntries(cells.map((run, i) => [4 + i, badgeOf(run)])),
      };
    }),
  });
  return el('div', {}, table, broken.length ? el('ul', { class: 'soft' }, ...broken.map((run) => el('li', {}, `${run.name} is ${run.state}: ${run.why}`))) : null);
}

function stateOf(run) {
  if (!run) return '–';
  return run.disturbed ? `complete, disturbed: ${run.disturbed}` : run.state;
}

function badgeOf(run) {
  const text = stateOf(run);
  if (!run) return text;
  const badge = el('span', { class: `badge ${run.disturbed ? 'disturbed' : run.state}` }, text);
  return run.key ? el('a', { href: `#/run/${run.key}`, 'aria-label': `${run.name}: ${text}` }, badge) : badge;
}
