import { ask, follow } from './api.js';
import { el } from './dom.js';
import { Matrix } from './matrix.js';
import { sectionsOf } from './sections.js';
import { plain } from './table.js';

// showFolder is what the runs of a folder show: the matrix of policies or the sections of a what-if study, how each run
// stands, and all numbers. It is made again as runs come and end; the metric that was chosen stays.
export async function showFolder(key, signal, page) {
  const box = el('div');
  const matrix = new Matrix();
  await follow(key, async () => box.replaceChildren(await contentOf(key, page, matrix)), signal);
  return box;
}

async function contentOf(key, page, matrix) {
  const { data } = await ask(`api/folder/${key}`);
  page.title = `${data.path} – slurmlab`;
  page.trail = [data.path];
  matrix.load(data.matrix);
  const findings = data.findings.map((text) => el('p', {}, text));
  if (data.what_if) {
    return el('div', {}, el('h1', {}, 'What if'), ...findings, ...sectionsOf(data.sections, data.files), matrix.runs);
  }
  return el('div', {}, el('h1', {}, 'Comparison'), ...findings, matrix.node,
    data.comparison?.rows.length ? plain('Metrics by pairs', data.comparison) : null, data.runs ? plain('Metrics by run', data.runs) : null);
}
