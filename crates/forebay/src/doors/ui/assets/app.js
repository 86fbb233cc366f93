// Starts the page: shows what its address names, and listens to the keyboard.

import { announce, h, replace } from './dom.js';
import { NeedsToken, access, fail, keep } from './data.js';
import * as entry from './entry.js';
import * as formulas from './formulas.js';
import * as live from './live.js';
import * as memory from './memory.js';
import * as overview from './overview.js';
import * as rules from './rules.js';
import * as search from './search.js';
import * as sessions from './sessions.js';
import * as team from './team.js';

/**
 * A page shows itself in `place` until `signal` is aborted.
 * @typedef {{ place: HTMLElement, path: string[], fields: URLSearchParams, signal: AbortSignal }} Visit
 * @typedef {{ show: (visit: Visit) => Promise<string> | string }} Page
 */

/** @type {[string, string, string, Page][]} Name, title, key after `g`, and page, in order of the menu. */
let PAGES = [
  ['overview', 'Overview', 'o', overview],
  ['live', 'Live', 'l', live],
  ['sessions', 'Sessions', 's', sessions],
  ['search', 'Search', 'f', search],
  ['memory', 'Memory', 'm', memory],
  ['rules', 'Rules', 'r', rules],
];

/** A server shows no rules of its machine, but who works on it. @type {[string, string, string, Page]} */
const TEAM = ['team', 'Team', 'w', team];

/** @type {Record<string, [string, Page]>} Pages that belong to one of the menu. */
const INNER = { entry: ['search', entry], formulas: ['overview', formulas], session: ['sessions', { show: sessions.showOne }] };

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
let visit = new AbortController();

async function go() {
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  const [address, query] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name, ...path] = address.split('/').map(decoded);
  const inner = INNER[name];
  const menu = PAGES.find((page) => page[0] === (inner ? inner[0] : name)) ?? PAGES[0];
  const page = inner ? inner[1] : menu[3];
  for (const link of document.querySelectorAll('#pages a')) {
    const isCurrent = link.getAttribute('href') === `#/${menu[0]}`;
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const place = h('div', { class: `page page-${inner ? name : menu[0]}` });
  main.setAttribute('aria-busy', 'true');
  replace(main, place);
  try {
    const title = await page.show({ place, path, fields: new URLSearchParams(query ?? ''), signal });
    if (signal.aborted) return;
    document.title = `${title} · Forebay`;
    announce(title);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof NeedsToken) replace(place, tokenForm(error));
    else fail(place, error);
  }
  if (!signal.aborted) main.removeAttribute('aria-busy');
}

/** Asks for the token of a server. @param {NeedsToken} problem */
function tokenForm(problem) {
  const field = /** @type {HTMLInputElement} */ (h('input', { type: 'password', name: 'token', autocomplete: 'off', required: true }));
  return h('form', {
    class: 'ask token',
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      keep('token', field.value.trim());
      start();
    },
  }, h('h1', {}, 'A token opens this dashboard'), h('p', { class: 'hint' }, `${problem.message}. ${problem.hint ?? ''}`),
  h('label', { class: 'field' }, h('span', {}, 'Token'), field), h('button', {}, 'Open'),
  h('p', { class: 'hint' }, 'It stays in this tab and is sent to this server only.'));
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const THEMES = ['auto', 'light', 'dark'];

/** @param {string} theme */
function setTheme(theme) {
  const button = document.getElementById('theme');
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  if (button) button.textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // A browser that stores nothing follows the system.
  }
}

function storedTheme() {
  try {
    const theme = localStorage.getItem('theme');
    return theme && THEMES.includes(theme) ? theme : 'auto';
  } catch {
    return 'auto';
  }
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? 'auto';
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

const keys = () => [
  ['/', 'Search'],
  ...PAGES.map(([, title, key]) => [`g ${key}`, title]),
  ['j  k', 'Next, previous item'],
  ['Enter', 'Open the item'],
  ['u', 'Back'],
  ['t', 'Theme: system, light, dark'],
  ['?', 'This list'],
];

function showKeys() {
  const dialog = document.getElementById('shortcuts');
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}

/** Moves the focus to another item of the page. @param {number} step */
function step(step) {
  const items = [...main.querySelectorAll('.row > a, .row > button')];
  const at = items.findIndex((item) => item === document.activeElement || item.parentElement?.contains(document.activeElement));
  const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step];
  if (next instanceof HTMLElement) {
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  }
}

let isAfterG = false;

/** @param {KeyboardEvent} event */
function press(event) {
  const target = event.target;
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
  if (event.key === 'Escape' && isField) target.blur();
  if (isField || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (isAfterG) {
    isAfterG = false;
    const page = PAGES.find((one) => one[2] === event.key);
    if (page) location.hash = `#/${page[0]}`;
    return;
  }
  /** @type {Record<string, () => void>} */
  const actions = {
    '/': focusSearch,
    g: () => { isAfterG = true; },
    j: () => step(1),
    k: () => step(-1),
    u: () => history.back(),
    t: nextTheme,
    '?': showKeys,
  };
  const action = actions[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
}

function focusSearch() {
  const field = main.querySelector('input[type=search]');
  if (field instanceof HTMLElement) field.focus();
  else location.hash = '#/search';
}

/** Finds out where the page is, and shows it. */
async function start() {
  try {
    if ((await access()).is_server) PAGES = [...PAGES.filter((page) => page[0] !== 'rules' && page !== TEAM), TEAM];
  } catch {
    // The page that is shown says what is wrong.
  }
  drawMenu();
  go();
}

function drawMenu() {
  replace(/** @type {Element} */ (document.getElementById('pages')),
    PAGES.map(([name, title]) => h('li', {}, h('a', { href: `#/${name}` }, title))));
  replace(/** @type {Element} */ (document.getElementById('keys')),
    keys().map(([key, what]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, what))));
}

drawMenu();
setTheme(storedTheme());
document.getElementById('skip')?.addEventListener('click', () => main.focus());
document.getElementById('theme')?.addEventListener('click', nextTheme);
document.getElementById('help')?.addEventListener('click', showKeys);
document.addEventListener('keydown', press);
addEventListener('hashchange', () => {
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
  go();
});
start();
