// Elements, made without markup in strings, so that no text of a run can become one.

// el makes an element. A property that begins with "on" is a listener, any other one an
// attribute; false, null and undefined leave it out, true makes it empty.
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function button(text, label, onclick) {
  return el('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
}

// fit gives a canvas the pixels of its place on the screen and returns its context, in
// which a unit is one pixel of CSS.
export function fit(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

// soon is a function that draws once before the next picture, however often it is called.
export function soon(draw) {
  let asked = 0;
  return () => { asked ||= requestAnimationFrame(() => { asked = 0; draw(); }); };
}

// colours are those of the style sheet, which knows light from dark.
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ink: of('ink'), soft: of('soft'), rule: of('rule'), ground: of('ground'), mark: of('mark'), cores: of('cores'), gpus: of('gpus'), queue: of('queue') };
}

// onTheme calls back when the user changes between light and dark.
export function onTheme(callback, signal) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback, { signal });
}
