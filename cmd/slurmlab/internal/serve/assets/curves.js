import { left, right } from './gantt.js';
import { colours, fit, soon } from './dom.js';
import { instant, number, timeTicks, valueTicks } from './words.js';

// valueAt is the value of a step function at a time.
export function valueAt(points, t) {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= t) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : points[low - 1][1];
}

// Curves draws step functions over the time of a span. Each line has points, a colour and
// whether its area is filled; top is the value at the upper edge.
export class Curves {
  constructor(canvas, span, { title, axis = false }) {
    Object.assign(this, { canvas, span, title, axis, lines: [], top: 1, cursor: null });
    this.ask = soon(() => this.draw());
    span.onChange(this.ask);
  }

  load(lines, top) {
    this.lines = lines;
    this.top = Math.max(1, top);
    this.ask();
  }

  draw() {
    const context = fit(this.canvas);
    const c = colours();
    const width = Math.max(1, this.canvas.clientWidth - left - right);
    const all = this.canvas.clientHeight;
    const height = all - (this.axis ? 22 : 6);
    const { t0, t1 } = this.span;
    const x = (t) => left + ((t - t0) / (t1 - t0)) * width;
    const y = (v) => height - (v / (this.top * 1.06)) * (height - 2);
    context.clearRect(0, 0, this.canvas.clientWidth, all);
    context.fillStyle = c.ground;
    context.fillRect(left, 0, width, height);
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.strokeStyle = c.rule;
    for (const v of valueTicks(0, this.top, height / 26, 1)) {
      const level = Math.round(y(v)) + 0.5;
      context.beginPath();
      context.moveTo(left, level);
      context.lineTo(left + width, level);
      context.stroke();
      context.fillStyle = c.soft;
      context.fillText(number(v), left - 6, Math.max(6, Math.min(level, height - 4)));
    }
    context.save();
    context.beginPath();
    context.rect(left, 0, width, height + 1);
    context.clip();
    for (const one of this.lines) this.line(context, one, x, y, height);
    if (this.cursor !== null) {
      context.strokeStyle = c.mark;
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(x(this.cursor), 0);
      context.lineTo(x(this.cursor), height);
      context.stroke();
    }
    context.restore();
    if (!this.axis) return;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    context.fillStyle = c.soft;
    for (const t of timeTicks(t0, t1, width / 90)) {
      if (x(t) < left + width - 24) context.fillText(instant(t), Math.max(x(t), 20), height + 6);
    }
  }

  line(context, { points, colour, area, dash }, x, y, height) {
    // Of the points that share a pixel the least and the most are drawn.
    context.beginPath();
    let value = valueAt(points, this.span.t0);
    context.moveTo(x(this.span.t0), y(value));
    let pixel = -1;
    let low = value;
    let high = value;
    for (const [t, v] of points) {
      if (t <= this.span.t0) continue;
      if (t > this.span.t1) break;
      const at = x(t);
      if (Math.floor(at) !== pixel) {
        if (pixel >= 0 && low !== high) { context.lineTo(pixel + 0.5, y(low)); context.lineTo(pixel + 0.5, y(high)); context.lineTo(pixel + 0.5, y(value)); }
        context.lineTo(at, y(value));
        context.lineTo(at, y(v));
        pixel = Math.floor(at);
        low = high = value;
      }
      low = Math.min(low, v);
      high = Math.max(high, v);
      value = v;
    }
    if (pixel >= 0) context.lineTo(pixel + 0.5, y(value));
    context.lineTo(x(this.span.t1), y(value));
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash(dash || []);
    context.stroke();
    context.setLineDash([]);
    if (!area) return;
    context.lineTo(x(this.span.t1), height);
    context.lineTo(x(this.span.t0), height);
    context.globalAlpha = 0.22;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
  }
}
