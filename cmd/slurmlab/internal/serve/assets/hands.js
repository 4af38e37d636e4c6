// hands lets pointer, wheel and keys move a chart.
export function hands(target, gantt, span, { choose, hover, step }) {
  let drag = null;
  const place = (event) => {
    const box = target.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  target.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    drag = { x, y, moved: false };
    target.setPointerCapture(event.pointerId);
    target.focus({ preventScroll: true });
  });
  target.addEventListener('pointermove', (event) => {
    const [x, y] = place(event);
    if (!drag) {
      hover(gantt.at(x, y), Math.max(0, gantt.time(x)));
      return;
    }
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4) return;
    span.pan((drag.x - x) / gantt.width, (y - drag.y) / gantt.height);
    drag = { x, y, moved: true };
    target.classList.add('dragged');
  });
  const drop = (event) => {
    const click = drag && !drag.moved;
    drag = null;
    target.classList.remove('dragged');
    if (click && event.type === 'pointerup') choose(gantt.at(...place(event)));
  };
  target.addEventListener('pointerup', drop);
  target.addEventListener('pointercancel', drop);
  target.addEventListener('pointerleave', () => { if (!drag) hover(null, gantt.cursor); });
  target.addEventListener('dblclick', () => span.reset());
  target.addEventListener('wheel', (event) => {
    // A page that is scrolled past the chart goes on scrolling.
    if (document.activeElement !== target && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [x, y] = place(event);
    const away = event.deltaY || event.deltaX;
    const factor = Math.exp(Math.max(-1, Math.min(1, away / 240)));
    const [atX, atY] = [(gantt.time(x) - span.t0) / (span.t1 - span.t0), (gantt.node(y) - span.n0) / (span.n1 - span.n0)];
    if (event.shiftKey) span.zoom(1, factor, atX, atY);
    else span.zoom(factor, 1, atX, atY);
  }, { passive: false });

  const keys = {
    ArrowLeft: () => span.pan(-0.1, 0), ArrowRight: () => span.pan(0.1, 0), ArrowUp: () => span.pan(0, 0.1), ArrowDown: () => span.pan(0, -0.1),
    '+': () => span.zoom(1 / 1.5, 1), '=': () => span.zoom(1 / 1.5, 1), '-': () => span.zoom(1.5, 1), '0': () => span.reset(), Home: () => span.reset(),
    n: () => step(1), p: () => step(-1), Escape: () => choose(null),
  };
  target.addEventListener('keydown', (event) => {
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}
