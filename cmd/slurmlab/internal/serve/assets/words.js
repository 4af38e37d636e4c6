// Numbers and times in words.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0, useGrouping: true });

export function count(n, noun) {
  return `${whole.format(n)} ${noun}${n === 1 ? '' : 's'}`;
}

export function number(v) {
  if (v === undefined || v === null) return '–';
  if (Number.isInteger(v)) return whole.format(v).replace('-', '−');
  return v.toFixed(Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : 2).replace('-', '−');
}

// instant writes virtual seconds as a clock does, "2 d 3:04:05" or "0:36:25".
export function instant(seconds) {
  if (seconds === undefined || seconds === null) return '–';
  const s = Math.round(Math.abs(seconds));
  const two = (n) => String(n).padStart(2, '0');
  const days = Math.floor(s / 86400);
  const clock = `${Math.floor((s % 86400) / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
  return `${seconds < 0 ? '−' : ''}${days > 0 ? `${days} d ` : ''}${clock}`;
}

// duration writes seconds as a reader says them: "45 s", "12 min 5 s", "3 h 20 min".
export function duration(seconds) {
  if (seconds === undefined || seconds === null) return '–';
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 172800) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 1728000, 4320000];

// timeTicks are round instants between two, at most so many.
export function timeTicks(from, to, most) {
  const step = timeSteps.find((s) => (to - from) / s <= most) || timeSteps[timeSteps.length - 1];
  return ticks(from, to, step);
}

// valueTicks are round numbers between two, at most so many.
export function valueTicks(from, to, most, least = 0) {
  const raw = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw && s >= least) || power * 10;
  return ticks(from, to, Math.max(step, least));
}

function ticks(from, to, step) {
  const list = [];
  for (let t = Math.ceil(from / step) * step; t <= to + step * 1e-9; t += step) list.push(t);
  return list;
}
