import { bottom } from './gantt.js';
import { colours, fit, soon } from './dom.js';
import { count, instant, number } from './words.js';

// Nodes is what each node has in use at an instant, beside the Gantt chart and over its nodes: bars
// for cores and for GPUs, as long as the part of them that is in use.
export class Nodes {
  constructor(canvas, span) {
    Object.assign(this, { canvas, span, cores: [], gpus: [], running: 0, machine: { nodes: 0, all_cores: 0, all_gpus: 0 } });
    this.ask = soon(() => this.draw());
    span.onChange(this.ask);
  }

  // show takes the jobs that run at the instant. The rows of a job in the chart say what part of each node's cores
  // it has; its GPUs are the same on each of its nodes.
  show(jobs, machine) {
    this.machine = machine;
    this.running = jobs.length;
    this.cores = new Float64Array(machine.nodes);
    this.gpus = new Float64Array(machine.nodes);
    for (const job of jobs) {
      const perNode = job.nodes ? job.gpus / job.nodes : 0;
      let counted = -1;
      for (const [low, high] of job.rects) {
        for (let n = Math.floor(low + 1e-3); n < high - 1e-3; n++) {
          this.cores[n] += Math.min(high, n + 1) - Math.max(low, n);
          if (n !== counted) this.gpus[n] += perNode;
          counted = n;
        }
      }
    }
    this.ask();
  }

  draw() {
    const context = fit(this.canvas);
    const c = colours();
    const height = Math.max(1, this.canvas.clientHeight - bottom);
    const { all_gpus: gpus, nodes } = this.machine;
    const columns = [['cores', c.cores, (n) => this.cores[n]]];
    if (gpus) columns.push(['GPUs', c.gpus, (n) => (this.gpus[n] * nodes) / gpus]);
    const gap = 6;
    const width = (this.canvas.clientWidth - gap * columns.length) / columns.length;
    const row = height / (this.span.n1 - this.span.n0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'top';
    columns.forEach(([name, colour, part], i) => {
      const x = i * (width + gap) + gap;
      context.fillStyle = c.ground;
      context.fillRect(x, 0, width, height);
      context.fillStyle = colour;
      const last = Math.min(this.cores.length, Math.ceil(this.span.n1));
      for (let n = Math.floor(this.span.n0); n < last; n++) {
        const top = Math.max(0, height - (n + 1 - this.span.n0) * row);
        const under = Math.min(height, height - (n - this.span.n0) * row);
        context.fillRect(x, top, width * Math.min(1, part(n)), under - top);
      }
      context.strokeStyle = c.rule;
      context.strokeRect(x + 0.5, 0.5, width - 1, height - 1);
      context.fillStyle = c.soft;
      context.fillText(name, x + width / 2, height + 7);
    });
  }

  // words say the same to those who do not see it.
  words(t) {
    const { nodes, all_cores: cores, all_gpus: gpus } = this.machine;
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    const busy = this.cores.filter((part) => part > 0).length;
    const full = this.cores.filter((part) => part > 0.999).length;
    return `At ${instant(t)}: ${number(busy)} of ${count(nodes, 'node')} have jobs, ${number(full)} of them no free core; ` +
      `${number(Math.round((sum(this.cores) * cores) / nodes))} of ${number(cores)} cores${gpus ? ` and ${number(Math.round(sum(this.gpus)))} of ${number(gpus)} GPUs` : ''} are in use by ${count(this.running, 'job')}.`;
  }
}
