// Builds elements. Text only ever becomes a text node, so nothing that is stored can become markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Properties */

/**
 * An element with attributes, listeners (`onclick`) and children.
 * @param {string} name
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(name, properties, ...children) {
  const element = document.createElement(name);
  return fill(element, properties, children);
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * The same for SVG.
 * @param {string} name
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(name, properties, ...children) {
  return fill(/** @type {SVGElement} */ (document.createElementNS(SVG, name)), properties, children);
}

/**
 * @template {Element} T
 * @param {T} element
 * @param {Properties | undefined} properties
 * @param {(Child | Child[])[]} children
 * @returns {T}
 */
function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value != null) element.setAttribute(key, String(value));
  }
  append(element, children);
  return element;
}

/**
 * @param {Node} parent
 * @param {(Child | Child[])[]} children
 */
export function append(parent, children) {
  for (const child of children.flat()) {
    if (child == null || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function replace(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/**
 * The address of a page: `#/entry/k3v9m2a1xq?view=digest`.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [fields]
 */
export function to(path, fields) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value != null && value !== '') query.set(key, String(value));
  }
  const text = query.toString();
  return `#/${path}${text ? `?${text}` : ''}`;
}

/** @param {string} reference @param {Record<string, string | number | null | undefined>} [fields] */
export function toEntry(reference, fields) {
  return to(`entry/${encodeURIComponent(reference)}`, fields);
}

/**
 * Text in which references are links to their entries.
 * @param {string} text
 * @returns {Child[]}
 */
export function linked(text) {
  return text.split(/(\[ctx:[a-z0-9]{10}\])/).map((part) => {
    const found = /^\[ctx:([a-z0-9]{10})\]$/.exec(part);
    return found ? h('a', { href: toEntry(found[1]) }, part) : part;
  });
}

const NUMBER = new Intl.NumberFormat('en');

/** @param {number} number */
export const count = (number) => NUMBER.format(number);

/** @param {number} number @param {string} word @param {string} [plural] */
export const counted = (number, word, plural) =>
  `${count(number)} ${number === 1 ? word : (plural ?? `${word}s`)}`;

/** @param {number} number */
export function size(number) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) {
    number /= 1000;
    unit += 1;
  }
  return `${unit && number < 10 ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}

/** A signed number with a minus sign that is as wide as a plus. @param {number} number */
export const signed = (number) => (number < 0 ? `−${count(-number)}` : count(number));

const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** @param {number} millis */
export const day = (millis) => DAY.format(millis);

/** @param {number} millis */
export const clock = (millis) => TIME.format(millis);

/**
 * A time, relative as text and whole as its title.
 * @param {number} millis
 * @param {string} [shown]
 */
export function time(millis, shown) {
  const date = new Date(millis);
  return h('time', { datetime: date.toISOString(), title: DATE.format(date) }, shown ?? DATE.format(date));
}

/** @param {string} text @param {string} [kind] */
export const chip = (text, kind) => h('span', { class: `chip ${kind ?? ''}` }, text);

/**
 * A line of facts; each is an element of its own, so that gaps show.
 * @param {...Child} facts
 */
export const meta = (...facts) => h('p', { class: 'meta' },
  facts.map((fact) => (typeof fact === 'string' || typeof fact === 'number' ? h('span', {}, fact) : fact)));

/** @param {string} text */
export const hint = (text) => h('p', { class: 'hint' }, text);

/**
 * Links between the views of a page.
 * @param {string} label
 * @param {{ text: string, href: string, current: boolean }[]} views
 */
export function tabs(label, views) {
  return h('nav', { class: 'tabs', 'aria-label': label },
    views.map((view) => h('a', { href: view.href, 'aria-current': view.current ? 'page' : null }, view.text)));
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string} value
 * @param {[string, string][]} options
 */
export function select(label, name, value, options) {
  return h('label', { class: 'field' }, h('span', {}, label),
    h('select', { name }, options.map(([key, text]) => h('option', { value: key, selected: key === value }, text))));
}

/** Tells a screen reader what happened. @param {string} text */
export function announce(text) {
  const status = document.getElementById('status');
  if (status) status.textContent = text;
}
