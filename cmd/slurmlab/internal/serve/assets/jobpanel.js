import { ask } from './api.js';
import { button, el } from './dom.js';
import { count, duration, instant, number } from './words.js';

// JobPanel is the panel beside the chart that tells of one job.
export class JobPanel {
  constructor({ step, clear }) {
    this.title = el('h2', {}, 'No job chosen');
    this.facts = el('dl');
    this.turns = el('div', { class: 'turns' });
    this.words = el('div', { class: 'words' });
    this.live = el('p', { class: 'unseen', role: 'status' });
    this.node = el('aside', { class: 'jobpanel', 'aria-label': 'Panel of a job' },
      el('div', { class: 'bar' }, this.title, el('span', { class: 'gap' }),
        button('‹', 'Job before (P)', () => step(-1)), button('›', 'Next job (N)', () => step(1)), button('×', 'No job (Escape)', clear)),
      this.facts, this.turns, this.words, this.live);
    this.hint();
  }

  hint() {
    this.facts.replaceChildren();
    this.turns.replaceChildren();
    this.words.replaceChildren(el('p', { class: 'soft' },
      'Point at a job, or choose one by a click, in the table of jobs below, or with the keys N and P on the chart.'));
  }

  // show tells of a job; chosen stays until another one is, and is explained.
  show(run, job, chosen) {
    if (!job) {
      this.title.textContent = 'No job chosen';
      this.hint();
      return;
    }
    this.title.textContent = `Job ${job.id}`;
    const at = (t) => (t === undefined ? '–' : `${instant(t)}`);
    const facts = [
      ['state', job.state.toLowerCase()], ['submitted', at(job.submit)], ['eligible', at(job.eligible)],
      ['started', at(job.start)], ['ended', at(job.finish)],
      ['waited', duration(job.wait)], ['ran', job.start === undefined || job.finish === undefined ? '–' : duration(job.finish - job.start)],
      ['time limit', job.limit ? duration(job.limit) : '–'], ['slowdown', number(job.slowdown)],
      ['cores', number(job.cores)], ['GPUs', number(job.gpus)], ['nodes', job.list ? `${number(job.nodes)}: ${job.list}` : number(job.nodes)],
      ['type', job.class || '–'], ['user', job.user || '–'], ['Slurm’s id', job.slurm ? String(job.slurm) : '–'],
    ];
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
    this.turns.replaceChildren(...turnsOf(job));
    if (!chosen) {
      this.words.replaceChildren();
      return;
    }
    this.live.textContent = `Job ${job.id}, ${job.state.toLowerCase()}, waited ${duration(job.wait)}, ${number(job.cores)} cores, ${number(job.gpus)} GPUs, ${number(job.nodes)} nodes`;
    this.explain(run, job);
  }

  async explain(run, job) {
    if (!run.explained) {
      this.words.replaceChildren(el('p', { class: 'soft' }, 'Why it waited is not recorded in this run.'));
      return;
    }
    this.words.replaceChildren(el('p', { class: 'soft' }, 'Asking why it waited…'));
    const asked = job.id;
    this.asked = asked;
    const answer = await ask(`api/run/${run.key}/explain/${job.id}`).catch((fault) => ({ fault }));
    if (this.asked !== asked) return;
    if (answer.fault) {
      this.words.replaceChildren(el('h3', {}, 'Why it waited'), el('p', { class: 'soft' }, answer.fault.message));
      return;
    }
    const { text, outcomes } = answer.data;
    this.words.replaceChildren(outcomes.length ? el('h3', {}, 'In the cycles while it waited') : '',
      outcomes.length ? el('dl', { class: 'outcomes' }, ...outcomes.flatMap(({ name, cycles }) => [el('dt', {}, name), el('dd', {}, count(cycles, 'cycle'))])) : '',
      el('h3', {}, 'Why it waited'), el('pre', { tabindex: '0', 'aria-label': `Why job ${job.id} waited` }, text));
  }
}

// turnsOf says what the cycles of the agent have decided on the job, in Slurm’s words where it has any.
function turnsOf(job) {
  if (!job.turns) return [];
  return [el('h3', {}, 'Decisions'), el('ol', {}, ...job.turns.map(({ what, why, from, to, cycles }) => el('li', {},
    cycles === 1 ? `${instant(from)}: ${what}` : `${instant(from)} to ${instant(to)}, ${count(cycles, 'cycle')}: ${what}`, why ? el('span', { class: 'soft' }, ` – ${why}`) : null)))];
}
