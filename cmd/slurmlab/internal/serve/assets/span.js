// Span is the part of time and nodes that is seen. Everything that is drawn over the same
// time shares one.
export class Span {
  constructor(end, nodes) {
    this.listeners = [];
    this.grow(end, nodes);
    this.reset();
  }

  // grow takes over how long a run is by now. Who sees the whole keeps seeing it.
  grow(end, nodes) {
    const whole = this.t1 === undefined || (this.t0 === this.from && this.t1 === this.to);
    this.from = 0;
    this.to = Math.max(1, end) * 1.01;
    this.nodes = nodes;
    if (whole && this.t1 !== undefined) this.reset();
  }

  reset() {
    Object.assign(this, { t0: this.from, t1: this.to, n0: 0, n1: this.nodes });
    this.tell();
  }

  onChange(listener) { this.listeners.push(listener); }

  tell() { for (const listener of this.listeners) listener(); }

  // zoom changes the lengths of both axes by factors; what is at the fractions x and y stays.
  zoom(factorT, factorN, x = 0.5, y = 0.5) {
    const t = this.t0 + x * (this.t1 - this.t0);
    const n = this.n0 + y * (this.n1 - this.n0);
    const lengthT = clamp((this.t1 - this.t0) * factorT, 1, this.to - this.from);
    const lengthN = clamp((this.n1 - this.n0) * factorN, Math.min(1, this.nodes), this.nodes);
    this.show(t - x * lengthT, lengthT, n - y * lengthN, lengthN);
  }

  // pan moves by fractions of what is seen.
  pan(x, y) {
    const lengthT = this.t1 - this.t0;
    const lengthN = this.n1 - this.n0;
    this.show(this.t0 + x * lengthT, lengthT, this.n0 + y * lengthN, lengthN);
  }

  // reveal moves as little as needed for the job to be seen.
  reveal(from, to, low, high) {
    const lengthT = this.t1 - this.t0;
    const lengthN = this.n1 - this.n0;
    let { t0, n0 } = this;
    if (to > this.t1) t0 = to - lengthT * 0.9;
    if (from < t0 || from > t0 + lengthT) t0 = from - lengthT * 0.1;
    if (high > this.n1 || low < this.n0) n0 = (low + high) / 2 - lengthN / 2;
    this.show(t0, lengthT, n0, lengthN);
  }

  show(t0, lengthT, n0, lengthN) {
    this.t0 = clamp(t0, this.from, this.to - lengthT);
    this.t1 = this.t0 + lengthT;
    this.n0 = clamp(n0, 0, this.nodes - lengthN);
    this.n1 = this.n0 + lengthN;
    this.tell();
  }
}

function clamp(v, low, high) { return Math.min(Math.max(v, low), Math.max(low, high)); }
