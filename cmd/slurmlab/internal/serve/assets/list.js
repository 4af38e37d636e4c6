import { ask, every } from './api.js';
import { el } from './dom.js';
import { sorted } from './table.js';
import { count } from './words.js';

const mostCurves = 6;

// showList is the page of all runs, folder by folder. It asks again as runs come and go.
export async function showList(_, signal, page) {
  page.title = 'Runs – slurmlab';
  page.trail = ['runs'];
  const picked = new Set();
  const box = el('div');
  const compare = el('a', { class: 'button', 'aria-disabled': 'true', role: 'link' }, 'Curves of the chosen runs');
  const note = el('span', { class: 'soft', role: 'status' }, `choose up to ${mostCurves}`);
  let before = '';

  function choose(key, input) {
    if (input.checked && picked.size >= mostCurves) input.checked = false;
    if (input.checked) picked.add(key);
    else picked.delete(key);
    note.textContent = picked.size ? `${picked.size} of up to ${mostCurves} chosen` : `choose up to ${mostCurves}`;
    if (picked.size) {
      compare.href = `#/curves/${[...picked].join(',')}`;
      compare.removeAttribute('aria-disabled');
    } else {
      compare.removeAttribute('href');
      compare.setAttribute('aria-disabled', 'true');
    }
  }

  function row(run) {
    const box = el('input', { type: 'checkbox', 'aria-label': `choose ${run.name}`, disabled: Boolean(run.unreadable) });
    box.checked = picked.has(run.key);
    box.addEventListener('change', () => choose(run.key, box));
    const why = run.unreadable || run.reason || '';
    return {
      link: `#/run/${run.key}`,
      cells: [run.name, run.policy, run.machine, run.workload, run.replica, run.backend, run.jobs ? String(run.jobs) : '', run.under_way ? 'running' : run.status, why, ''],
      nodes: { 7: badge(run), 9: box },
    };
  }

  function draw({ version, folders }) {
    document.getElementById('version').textContent = version;
    const all = folders.flatMap((folder) => folder.runs);
    const tables = folders.map((folder) => sorted({
      caption: folder.path,
      titles: ['Run', 'Policy', 'Machine', 'Workload', 'Seed', 'Backend', 'Jobs', 'State', 'Why', 'Curves'],
      words: [true, true, true, true, true, true, false, true, true, true],
      rows: folder.runs.map(row), filter: folder.runs.length > 20, csv: `api/folder/${folder.key}/list.csv`,
      extra: el('a', { class: 'button', href: `#/folder/${folder.key}`, 'aria-label': `Compare the runs of ${folder.path}` }, 'Compare'),
    }));
    box.replaceChildren(
      el('div', { class: 'bar' }, el('h1', {}, count(all.length, 'run')), el('span', { class: 'gap' }), note, compare), ...tables);
  }

  async function read() {
    const { data } = await ask('api/list');
    const text = JSON.stringify(data);
    if (text === before) return;
    before = text;
    draw(data);
  }

  await read();
  every(3000, () => read().catch(() => {}), signal);
  return box;
}

export function badge(run) {
  const word = run.under_way ? 'running' : run.status;
  return el('span', { class: `badge ${word}` }, word);
}
