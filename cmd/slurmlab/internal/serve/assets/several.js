import { ask, every } from './api.js';
import { el, onTheme } from './dom.js';
import { Curves } from './curves.js';
import { Span } from './span.js';

const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3]];

// showSeveral is the curves of several runs in one picture. They are read again while one of
// the runs is under way.
export async function showSeveral(keys, signal, page) {
  const { data: { lines } } = await ask('api/list');
  const address = (key) => `api/run/${encodeURIComponent(key)}`;
  const answers = await Promise.all(keys.split(',').slice(0, lines.length).map((key) => ask(address(key))));
  const runs = answers.map((answer) => answer.data);
  const topOf = (name, all) => Math.max(...runs.map((run) => (all ? run.machine_of[all] : Math.max(1, ...run.curves[name].map((p) => p[1])))));
  page.title = 'Curves – slurmlab';
  page.trail = ['curves of ' + runs.map((run) => run.name).join(', ')];
  const span = new Span(Math.max(...runs.map((run) => run.end)), 1);
  const pictures = [['cores', 'Cores in use', 'all_cores'], ['gpus', 'GPUs in use', 'all_gpus'], ['queue', 'Jobs waiting', null]].map(([name, title, all]) => {
    const canvas = el('canvas', { class: 'tall', role: 'img', 'aria-label': `${title} over time, of ${runs.map((run) => run.name).join(', ')}` });
    return { name, title, all, canvas, curves: new Curves(canvas, span, { title, axis: true }) };
  }).filter(({ name, all }) => topOf(name, all) > 0);
  const draw = () => pictures.forEach((p) => p.curves.load(runs.map((run, i) => ({ points: run.curves[p.name], colour: lines[i % lines.length], dash: dashes[i % dashes.length] })), topOf(p.name, p.all)));
  const legend = el('ul', { class: 'legend' }, ...runs.map((run, i) => {
    const mark = el('i', { class: 'stroke' });
    mark.style.background = lines[i % lines.length];
    return el('li', {}, mark, el('a', { href: `#/run/${run.key}` }, run.name), el('span', { class: 'soft' }, ` ${run.policy}`));
  }));
  const box = el('div', {}, el('h1', {}, 'Curves'), legend,
    ...pictures.map((p) => el('section', {}, el('h2', {}, p.title), p.canvas)));
  box.addEventListener('placed', () => {
    draw();
    new ResizeObserver(draw).observe(box);
  });
  onTheme(draw, signal);
  every(2000, async () => {
    const again = runs.map((run, i) => i).filter((i) => runs[i].under_way);
    const later = await Promise.all(again.map((i) => ask(address(runs[i].key), answers[i].stamp).catch(() => null)));
    if (signal.aborted || later.every((answer) => !answer)) return;
    later.forEach((answer, k) => {
      if (!answer) return;
      answers[again[k]] = answer;
      runs[again[k]] = answer.data;
    });
    span.grow(Math.max(...runs.map((run) => run.end)), 1);
    draw();
  }, signal);
  return box;
}
