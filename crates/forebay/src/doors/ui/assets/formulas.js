// The formulas of the numbers: the page of the documentation, which is part of the program.

import { h, replace } from './dom.js';
import { ask } from './data.js';

/** @param {import('./app.js').Visit} visit */
export async function show({ place, fields, signal }) {
  const response = await ask('assets/savings.md', signal);
  replace(place, h('article', { class: 'doc' }, blocks((await response.text()).split('\n'))));
  const named = document.getElementById(`formula-${fields.get('at')}`);
  if (named) {
    named.scrollIntoView();
    named.focus({ preventScroll: true });
  }
  return 'Formulas';
}

/** What the address of a heading ends with: the-holdout. @param {string} heading */
const slug = (heading) => heading.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');

/**
 * Only the Markdown of that page: headings, paragraphs, lists, tables and code.
 * @param {string[]} lines
 */
function blocks(lines) {
  /** @type {HTMLElement[]} */
  const all = [];
  for (let at = 0; at < lines.length;) {
    /** The lines from here on that belong together. @param {(line: string) => boolean} belongs */
    const take = (belongs) => {
      const from = at;
      while (at < lines.length && belongs(lines[at])) at += 1;
      return lines.slice(from, at);
    };
    const line = lines[at];
    const heading = /^(#+) (.*)$/.exec(line);
    if (line.trim() === '') {
      at += 1;
    } else if (heading) {
      all.push(h(`h${Math.min(heading[1].length, 3)}`, { id: `formula-${slug(heading[2])}`, tabindex: '-1' }, inline(heading[2])));
      at += 1;
    } else if (line.startsWith('```')) {
      at += 1;
      all.push(h('pre', { class: 'quote', role: 'region', tabindex: '0', 'aria-label': 'Example' }, take((one) => !one.startsWith('```')).join('\n')));
      at += 1;
    } else if (line.startsWith('|')) {
      all.push(table(take((one) => one.startsWith('|'))));
    } else if (line.startsWith('- ')) {
      const items = take((one) => one.trim() !== '').join('\n').slice(2).split('\n- ');
      all.push(h('ul', {}, items.map((item) => h('li', {}, inline(item.replace(/\n\s*/g, ' '))))));
    } else {
      at += 1;
      const rest = take((one) => one.trim() !== '' && !/^([#|]|- |```)/.test(one));
      all.push(h('p', {}, inline([line, ...rest].join(' '))));
    }
  }
  return all;
}

/** @param {string[]} lines */
function table(lines) {
  const [head, , ...rows] = lines.map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()));
  return h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': head.join(', ') }, h('table', {},
    h('thead', {}, h('tr', {}, head.map((cell) => h('th', { scope: 'col' }, inline(cell))))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell) => h('td', {}, inline(cell))))))));
}

/**
 * Code, emphasis, and links as their text: they lead out of the program.
 * @param {string} text @returns {(HTMLElement | string)[]}
 */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\)|\*[^*\s]+\*)/).map((part) => {
    if (part.startsWith('`')) return h('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return h('strong', {}, part.slice(2, -2));
    if (/^\*\S+\*$/.test(part)) return h('em', {}, part.slice(1, -1));
    const link = /^\[([^\]]+)\]\(/.exec(part);
    return link ? inline(link[1]).at(0) ?? '' : part;
  });
}
