import { ask, every } from './api.js';
import { button, colours, el, onTheme } from './dom.js';
import { Curves, valueAt } from './curves.js';
import { Gantt } from './gantt.js';
import { badge } from './list.js';
import { Nodes } from './nodes.js';
import { hands } from './hands.js';
import { Span } from './span.js';
import { JobPanel } from './jobpanel.js';
import { plain, sorted } from './table.js';
import { count, instant, number } from './words.js';

// showRun is the page of one run. It is read again while the run is under way.
export async function showRun(key, signal, page) {
  let { data: run, stamp } = await ask(`api/run/${key}`);
  page.title = `${run.name} – slurmlab`;
  page.trail = [run.path];
  const span = new Span(run.end, run.machine_of.nodes);
  const chart = makeChart(run, span);
  const head = el('div');
  const tables = el('div');

  function draw() {
    head.replaceChildren(...headOf(run));
    chart.load(run);
    tables.replaceChildren(...tablesOf(run, (job) => { chart.choose(job); chart.node.scrollIntoView({ block: 'start' }); }));
  }

  const box = el('div', { class: 'run' }, head, chart.node, tables);
  box.addEventListener('placed', () => {
    draw();
    new ResizeObserver(() => chart.ask()).observe(chart.node);
  });
  onTheme(() => { chart.load(run); }, signal);
  if (run.under_way) {
    every(2000, async () => {
      if (!run.under_way) return;
      const answer = await ask(`api/run/${key}`, stamp).catch(() => null);
      if (!answer || signal.aborted) return;
      ({ data: run, stamp } = answer);
      span.grow(run.end, run.machine_of.nodes);
      draw();
    }, signal);
  }
  return box;
}

function headOf(run) {
  const notes = [];
  if (run.basis === 'cycles') notes.push(`Read up to ${instant(run.now)} of virtual time, from what the agent released: the ends of jobs are those that their run times plan. Slurm’s accounting comes at the end of the run.`);
  if (run.basis === 'logs') notes.push(`Read up to ${instant(run.now)} of virtual time, from the starts and ends of jobs that Slurm has logged; the start of a running job may be a second off.${run.under_way ? ' Slurm’s accounting comes at the end of the run.' : ' The run ended without Slurm’s accounting.'}`);
  if (run.basis === 'nothing') notes.push(run.under_way ? 'Nothing is known of the jobs yet: the cluster starts.' : 'Nothing is known of the jobs: the run ended before its first job, or an old version of slurmlab made it.');
  if (run.basis === 'accounting' && run.status !== 'complete') notes.push('Only jobs that had ended are shown.');
  return [
    el('div', { class: 'bar' }, el('h1', {}, run.name), badge(run), el('span', { class: 'soft' }, `${run.policy}, ${count(run.jobs, 'job')}`)),
    el('dl', { class: 'facts' }, ...run.facts.map(({ name, value }) => el('div', {}, el('dt', {}, name), el('dd', {}, value)))),
    notes.length ? el('div', { class: 'note' }, ...notes.map((text) => el('p', {}, text))) : null,
    run.warnings.length ? el('details', { class: 'note', open: run.status !== 'complete' || run.warnings.length < 3 },
      el('summary', {}, `${count(run.warnings.length, 'warning')} about these numbers`), el('ul', {}, ...run.warnings.map((text) => el('li', {}, text)))) : null,
  ].filter(Boolean);
}

// makeChart is curves, Gantt chart, time cursor and the panel of a job, over one span.
function makeChart(first, span) {
  let run = first;
  const canvas = el('canvas', { class: 'bars' });
  const overlay = el('canvas', {
    class: 'over', tabindex: '0', role: 'application', 'aria-label': 'Gantt chart, nodes by time',
    'aria-describedby': 'keys', 'aria-roledescription': 'chart',
  });
  const gantt = new Gantt(canvas, overlay, span);
  gantt.names = run.machine_of.names;
  const strips = [['cores', 'Cores in use'], ['gpus', 'GPUs in use'], ['queue', 'Jobs waiting']].map(([name, title]) => {
    const place = el('canvas', { class: 'strip', 'aria-hidden': 'true' });
    const value = el('output');
    return { name, title, place, value, node: el('div', { class: 'curve' }, el('div', { class: 'name' }, title, ' ', value), place), curves: new Curves(place, span, { title }) };
  });
  const beside = el('canvas', { class: 'nodes', 'aria-hidden': 'true' });
  const nodes = new Nodes(beside, span);
  const instantly = el('p', { class: 'soft keys', id: 'instant' });
  const slider = el('input', { type: 'range', min: 0, max: 1000, step: 1, value: 0, 'aria-label': 'Time' });
  const clock = el('output', { class: 'clock' });
  const panel = new JobPanel({ step, clear: () => choose(null) });
  let order = [];

  function setTime(t) {
    gantt.cursor = t;
    gantt.askOverlay();
    clock.textContent = t === null ? '' : instant(t);
    nodes.show(t === null ? [] : gantt.runningAt(t), run.machine_of);
    instantly.textContent = t === null ? 'Point at the chart, or move the time, to see what each node has in use.' : nodes.words(t);
    slider.setAttribute('aria-valuetext', t === null ? instant(0) : instantly.textContent);
    if (document.activeElement !== slider) slider.value = t === null ? 0 : Math.round((1000 * t) / span.to);
    for (const strip of strips) {
      strip.curves.cursor = t;
      strip.curves.ask();
      strip.value.textContent = t === null ? '' : number(valueAt(run.curves[strip.name], t));
    }
  }

  function choose(job) {
    gantt.selected = job;
    gantt.askOverlay();
    panel.show(run, job, true);
    if (job?.rects?.length) span.reveal(job.start, job.finish, job.rects[0][0], job.rects[job.rects.length - 1][1]);
  }

  function hover(job, t) {
    if (job !== gantt.hovered) {
      gantt.hovered = job;
      overlay.classList.toggle('hit', Boolean(job));
      if (!gantt.selected) panel.show(run, job, false);
    }
    setTime(t);
  }

  function step(by) {
    if (!order.length) return;
    const at = gantt.selected ? order.indexOf(gantt.selected) + by : order.findIndex((j) => j.finish >= span.t0);
    choose(order[(at + order.length) % order.length]);
  }

  hands(overlay, gantt, span, { choose, hover, step });
  slider.addEventListener('input', () => setTime((slider.value / 1000) * span.to));

  const legend = el('div', { class: 'legend' });
  const tools = el('div', { class: 'bar tools' },
    button('−', 'Zoom out (−)', () => span.zoom(1.5, 1)), button('+', 'Zoom in (+)', () => span.zoom(1 / 1.5, 1)),
    button('↕−', 'More nodes', () => span.zoom(1, 1.5)), button('↕+', 'Fewer nodes', () => span.zoom(1, 1 / 1.5)),
    button('Whole', 'Whole run (0)', () => span.reset()), el('label', { class: 'time' }, 'Time ', slider, clock), el('span', { class: 'gap' }), legend);
  const help = el('p', { class: 'soft keys', id: 'keys' },
    'Drag to move; the wheel zooms time once the chart has been clicked (Ctrl: always; Shift: nodes). Keys: arrows move, + and − zoom, 0 shows all, N and P go from job to job, Escape lets go.');
  const node = el('section', { class: 'chart', 'aria-label': 'Schedule' },
    el('div', { class: 'left' }, tools, ...strips.map((s) => s.node), el('div', { class: 'gantt' }, canvas, overlay, beside), instantly, help), panel.node);

  return {
    node,
    choose,
    ask() { gantt.ask(); nodes.ask(); for (const strip of strips) strip.curves.ask(); },
    load(now) {
      const chosen = gantt.selected?.id;
      run = now;
      order = now.jobs_of.filter((j) => j.start !== undefined).sort((a, b) => a.start - b.start || a.id - b.id);
      gantt.load(now.jobs_of, now.families.flatMap((f) => f.colours));
      gantt.selected = now.jobs_of.find((j) => j.id === chosen) || null;
      const tops = { cores: now.machine_of.all_cores, gpus: now.machine_of.all_gpus, queue: Math.max(1, ...now.curves.queue.map((p) => p[1])) };
      const ink = colours();
      for (const strip of strips) {
        strip.node.hidden = tops[strip.name] === 0;
        strip.curves.load([{ points: now.curves[strip.name], colour: ink[strip.name], area: true }], tops[strip.name]);
      }
      legend.replaceChildren(...now.families.map((f) => el('span', {}, ...f.colours.map((colour) => swatch(colour)), f.label)));
      setTime(gantt.cursor);
    },
  };
}

function swatch(colour) {
  const node = el('i');
  node.style.background = colour;
  return node;
}

function tablesOf(run, choose) {
  const complete = run.status === 'complete';
  const value = (v) => (v === undefined ? -1 : v);
  return [
    run.metrics ? plain('Metrics', run.metrics) : null,
    sorted({
      caption: 'Jobs', csv: `api/run/${run.key}/${complete ? 'jobs' : 'jobs-so-far'}.csv`, filter: true,
      titles: ['Job', 'State', 'Submitted', 'Started', 'Ended', 'Waited', 'Slowdown', 'Cores', 'GPUs', 'Nodes', 'Where', 'Type', 'User'],
      words: [false, true, false, false, false, false, false, false, false, false, true, true, true],
      rows: run.jobs_of.map((j) => ({
        cells: [String(j.id), j.state.toLowerCase(), instant(j.submit), instant(j.start), instant(j.finish), instant(j.wait), number(j.slowdown), number(j.cores), number(j.gpus), number(j.nodes), j.list || '', j.class || '', j.user || ''],
        sort: [j.id, j.state, j.submit, value(j.start), value(j.finish), value(j.wait), value(j.slowdown), j.cores, j.gpus, j.nodes, j.list || '', j.class || '', j.user || ''],
        pick: () => choose(j),
      })),
    }),
    complete ? el('p', { class: 'bar' }, el('a', { class: 'button', href: `api/run/${run.key}/series.csv`, download: true }, 'Curves as CSV')) : null,
  ].filter(Boolean);
}
