import { colours, fit, soon } from './dom.js';
import { instant, timeTicks, valueTicks } from './words.js';

// A chart that takes longer to draw than smooth is moved as a picture of itself, and drawn
// anew when the hand rests. In milliseconds.
const smooth = 20;
const rest = 120;

// The margins of the chart, in pixels, which curves above it share.
export const left = 52;
export const right = 10;
export const bottom = 22;

// Gantt draws jobs over nodes and time. Jobs are on one canvas; what follows the pointer is
// on a second one above it, so that hovering does not draw thousands of jobs again.
export class Gantt {
  constructor(canvas, overlay, span) {
    Object.assign(this, { canvas, overlay, span, jobs: [], palette: [], selected: null, hovered: null, cursor: null });
    this.ask = soon(() => this.show());
    this.askOverlay = soon(() => this.drawOverlay());
    span.onChange(this.ask);
  }

  load(jobs, palette) {
    this.palette = palette;
    // By start, so that what is seen is found by halves; longest says how far back to look.
    this.jobs = jobs.filter((j) => j.rects?.length).sort((a, b) => a.start - b.start || a.id - b.id);
    this.longest = this.jobs.reduce((most, j) => Math.max(most, j.finish - j.start), 0);
    this.ask();
  }

  get width() { return Math.max(1, this.canvas.clientWidth - left - right); }

  get height() { return Math.max(1, this.canvas.clientHeight - bottom); }

  x(t) { return left + ((t - this.span.t0) / (this.span.t1 - this.span.t0)) * this.width; }

  // Nodes go upwards, as in the pictures of reports.
  y(n) { return this.height - ((n - this.span.n0) / (this.span.n1 - this.span.n0)) * this.height; }

  time(x) { return this.span.t0 + ((x - left) / this.width) * (this.span.t1 - this.span.t0); }

  node(y) { return this.span.n0 + ((this.height - y) / this.height) * (this.span.n1 - this.span.n0); }

  // seen are the jobs that overlap the part of time that is seen.
  seen() {
    const first = firstFrom(this.jobs, this.span.t0 - this.longest);
    const list = [];
    for (let i = first; i < this.jobs.length && this.jobs[i].start <= this.span.t1; i++) {
      if (this.jobs[i].finish >= this.span.t0) list.push(this.jobs[i]);
    }
    return list;
  }

  // runningAt are the jobs that run at an instant.
  runningAt(t) {
    const list = [];
    for (let i = firstFrom(this.jobs, t - this.longest); i < this.jobs.length && this.jobs[i].start <= t; i++) {
      if (this.jobs[i].finish > t) list.push(this.jobs[i]);
    }
    return list;
  }

  // show draws the jobs, or moves their picture where that would take too long: what comes
  // into sight is filled in after a rest, or at the latest after a few times that long.
  show() {
    clearTimeout(this.later);
    if (!this.pictures() || this.took <= smooth || performance.now() - this.drawn > Math.max(4 * rest, 8 * this.took)) {
      this.draw();
      return;
    }
    const [context, c] = this.begin();
    const { t0, t1, n0, n1 } = this.pictured;
    const [x, y] = [this.x(t0), this.y(n1)];
    const scale = this.canvas.width / this.canvas.clientWidth;
    context.drawImage(this.picture, left * scale, 0, this.width * scale, this.height * scale, x, y, this.x(t1) - x, this.y(n0) - y);
    context.restore();
    this.axes(context, c);
    this.drawOverlay();
    const same = t0 === this.span.t0 && t1 === this.span.t1 && n0 === this.span.n0 && n1 === this.span.n1;
    this.canvas.dataset.drawn = same ? 'whole' : 'moved';
    if (!same) this.later = setTimeout(() => this.draw(), rest);
  }

  // pictures says whether there is a picture of the same jobs and size.
  pictures() {
    return this.pictured?.jobs === this.jobs && this.picture.width === this.canvas.width && this.picture.height === this.canvas.height;
  }

  // begin clears the chart and lets only its inside be drawn on.
  begin() {
    const context = fit(this.canvas);
    const c = colours();
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    context.fillStyle = c.ground;
    context.fillRect(left, 0, this.width, this.height);
    context.save();
    context.beginPath();
    context.rect(left, 0, this.width, this.height);
    context.clip();
    return [context, c];
  }

  // keep takes the picture that show moves.
  keep() {
    this.picture ||= document.createElement('canvas');
    this.picture.width = this.canvas.width;
    this.picture.height = this.canvas.height;
    if (this.canvas.width && this.canvas.height) this.picture.getContext('2d').drawImage(this.canvas, 0, 0);
    const { t0, t1, n0, n1 } = this.span;
    this.pictured = { t0, t1, n0, n1, jobs: this.jobs };
  }

  draw() {
    const began = performance.now();
    const [context, c] = this.begin();
    const byColour = this.palette.map(() => []);
    for (const job of this.seen()) byColour[job.colour].push(job);
    byColour.forEach((jobs, colour) => {
      context.fillStyle = this.palette[colour];
      for (const job of jobs) this.fill(context, job);
    });
    this.labels(context, byColour.flat());
    context.restore();
    this.keep();
    this.axes(context, c);
    this.drawOverlay();
    this.drawn = performance.now();
    this.took = this.drawn - began;
    Object.assign(this.canvas.dataset, { drawn: 'whole', took: Math.round(this.took) });
  }

  fill(context, job) {
    const x = this.x(job.start);
    const width = Math.max(0.75, this.x(job.finish) - x - this.hairline);
    for (const [low, high] of job.rects) {
      if (high < this.span.n0 || low > this.span.n1) continue;
      const top = this.y(high);
      context.fillRect(x, top, width, Math.max(0.3, this.y(low) - top));
    }
  }

  // hairline keeps jobs apart that follow each other, where there is room for it.
  get hairline() { return this.width / (this.span.t1 - this.span.t0) > 0.05 ? 0.5 : 0; }

  labels(context, jobs) {
    if (jobs.length > 400) return;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    for (const job of jobs) {
      const [low, high] = job.rects.reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a));
      const from = Math.max(left, this.x(job.start));
      const to = Math.min(left + this.width, this.x(job.finish));
      const top = Math.max(0, this.y(high));
      const under = Math.min(this.height, this.y(low));
      const text = String(job.id);
      if (to - from < 7 * text.length + 6 || under - top < 13) continue;
      context.fillStyle = isLight(this.palette[job.colour]) ? '#111' : '#fff';
      context.fillText(text, (from + to) / 2, (top + under) / 2 + 0.5);
    }
  }

  axes(context, c) {
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = c.soft;
    context.strokeStyle = c.rule;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const n of valueTicks(this.span.n0, this.span.n1, this.height / 40, 1)) {
      if (n >= this.span.nodes) continue;
      const y = this.y(n + 0.5);
      if (y > 6 && y < this.height) context.fillText(this.names?.[n] ?? `n${n + 1}`, left - 6, y, left - 8);
    }
    context.textBaseline = 'top';
    context.textAlign = 'center';
    for (const t of timeTicks(this.span.t0, this.span.t1, this.width / 90)) {
      const x = Math.round(this.x(t)) + 0.5;
      line(context, x, this.height, x, this.height + 4);
      if (x < left + this.width - 24 && x > left + 10 || t === 0) context.fillText(instant(t), Math.max(x, 20), this.height + 7);
    }
    context.strokeRect(left + 0.5, 0.5, this.width - 1, this.height - 1);
  }

  drawOverlay() {
    const context = fit(this.overlay);
    const c = colours();
    context.clearRect(0, 0, this.overlay.clientWidth, this.overlay.clientHeight);
    context.save();
    context.beginPath();
    context.rect(left, 0, this.width, this.height);
    context.clip();
    if (this.cursor !== null) {
      context.strokeStyle = c.mark;
      context.setLineDash([3, 3]);
      line(context, this.x(this.cursor), 0, this.x(this.cursor), this.height);
      context.setLineDash([]);
    }
    for (const job of [this.hovered, this.selected]) {
      if (!job?.rects?.length) continue;
      // The wait, at the level of the first nodes, and the outline of the job.
      context.strokeStyle = c.mark;
      context.lineWidth = job === this.selected ? 2 : 1.25;
      const level = (this.y(job.rects[0][0]) + this.y(job.rects[0][1])) / 2;
      line(context, this.x(job.submit), level, this.x(job.start), level);
      line(context, this.x(job.submit), level - 4, this.x(job.submit), level + 4);
      const x = this.x(job.start);
      const width = Math.max(2, this.x(job.finish) - x);
      for (const [low, high] of this.outlines(job.rects)) {
        const top = this.y(high);
        context.strokeRect(x, top, width, Math.max(2, this.y(low) - top));
      }
    }
    context.restore();
  }

  // outlines are the rows of a job with those of neighbouring nodes as one where a node has so few pixels that lines
  // around each would hide what is between them.
  outlines(rects) {
    if (this.height / (this.span.n1 - this.span.n0) >= 10) return rects;
    const merged = [];
    for (const [low, high] of rects) {
      const last = merged[merged.length - 1];
      if (last && low - last[1] < 1) last[1] = high;
      else merged.push([low, high]);
    }
    return merged;
  }

  // at is the job at a place on the canvas, the thinnest of those nearest.
  at(x, y) {
    if (x < left || y > this.height) return null;
    const t = this.time(x);
    const n = this.node(y);
    const slackT = (1.5 * (this.span.t1 - this.span.t0)) / this.width;
    const slackN = (1 * (this.span.n1 - this.span.n0)) / this.height;
    let best = null;
    let nearest = Infinity;
    for (const job of this.seen()) {
      if (job.start > t + slackT || job.finish < t - slackT) continue;
      const offT = Math.max(0, job.start - t, t - job.finish) / slackT;
      for (const [low, high] of job.rects) {
        if (low > n + slackN || high < n - slackN) continue;
        const off = offT + Math.max(0, low - n, n - high) / slackN;
        if (off < nearest) { nearest = off; best = job; }
      }
    }
    return best;
  }
}

// firstFrom is the index of the first job that starts at t or later.
function firstFrom(jobs, t) {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (jobs[middle].start < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function isLight(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140;
}
