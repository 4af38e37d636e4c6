import { el } from './dom.js';
import { sorted } from './table.js';

// sectionsOf are the sections of a report: words, warnings, pictures and tables. files are the tables as CSV.
export function sectionsOf(sections, files) {
  const links = (files ?? []).map(({ name, address }) => el('a', { class: 'button', href: address, download: true }, name));
  return sections.map((section, i) => el('section', { 'aria-label': section.title },
    el('div', { class: 'bar' }, el('h2', {}, section.title), i === 0 && el('span', { class: 'gap' }), i === 0 && links),
    ...section.words.map((text) => el('p', {}, text)),
    section.warnings.length ? el('div', { class: 'note' }, el('ul', {}, ...section.warnings.map((text) => el('li', {}, text)))) : null,
    ...section.pictures.map(({ address, caption }) => el('figure', {}, el('img', { src: address, alt: caption }), el('figcaption', {}, caption))),
    ...section.tables.map((table) => tableOf(section, table))));
}

function tableOf(section, { caption, titles, words, rows, note }) {
  return el('div', {}, sorted({ caption: caption || section.title, titles, words, rows: rows.map((cells) => ({ cells })) }),
    note ? el('p', { class: 'soft' }, note) : null);
}
