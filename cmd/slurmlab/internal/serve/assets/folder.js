import { ask } from './api.js';
import { el } from './dom.js';
import { plain } from './table.js';

// showFolder is what the runs of a folder show: the policies compared, and each run.
export async function showFolder(key, _, page) {
  const { data } = await ask(`api/folder/${key}`);
  page.title = `${data.path} – slurmlab`;
  page.trail = [data.path];
  return el('div', {}, el('h1', {}, 'Comparison'), ...data.findings.map((text) => el('p', {}, text)),
    data.comparison.rows.length ? plain('Metrics by pairs of policies', data.comparison) : null, plain('Metrics by run', data.runs));
}
