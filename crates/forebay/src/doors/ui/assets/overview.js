// What was saved and spent, by day and by tool, and what is stored. Each part is a function of the data.

import { count, counted, h, hint, replace, signed, size, tabs, to } from './dom.js';
import { get } from './data.js';
import { savedChart } from './chart.js';

const DAY = 24 * 60 * 60 * 1000;

/** The parts of the page, in order. @type {((data: any, days: number) => (Node | null)[])[]} */
const PARTS = [numbers, overTime, byTool, requests, store];

/** @param {import('./app.js').Visit} visit */
export async function show({ place, fields, signal }) {
  const days = [7, 30, 90].find((one) => String(one) === fields.get('days')) ?? 30;
  const midnight = new Date();
  midnight.setHours(24, 0, 0, 0);
  const from = midnight.getTime() - days * DAY;
  const data = await get('overview', { from, period: DAY, periods: days }, signal);
  replace(place,
    h('h1', {}, data.project ? `Overview of ${data.project}` : 'Overview'),
    tabs('Time', [7, 30, 90].map((one) => ({ text: `${one} days`, href: to('overview', { days: one }), current: one === days }))),
    ...PARTS.flatMap((part) => part(data, days)));
  return 'Overview';
}

/** @typedef {import('./chart.js').Period} Period */

/** @param {any} data */
function sum(data) {
  const periods = /** @type {Period[]} */ (data.usage.periods);
  /** @param {(one: Period) => number} number */
  const all = (number) => periods.reduce((total, one) => total + number(one), 0);
  return {
    answers: all((one) => one.answers),
    host_tokens: all((one) => one.host_tokens),
    delivered_tokens: all((one) => one.delivered_tokens),
    saved_tokens: all((one) => one.saved_tokens),
  };
}

/** @param {any} data @param {number} days */
function numbers(data, days) {
  const total = sum(data);
  if (!total.answers) {
    return [h('p', { class: 'empty' }, `No answer was counted in the last ${days} days. Commands at a terminal are not counted: nothing is saved there.`)];
  }
  const share = total.host_tokens ? ` (${Math.round((100 * total.saved_tokens) / total.host_tokens)} % of what hosts would have shown)` : '';
  return [h('dl', { class: 'numbers' },
    figure('Saved, net', `${signed(total.saved_tokens)}`, `tokens${share}`),
    figure('Hosts would have shown', count(total.host_tokens), 'tokens'),
    figure('Delivered', count(total.delivered_tokens), 'tokens'),
    figure('Answers', count(total.answers), `in ${days} days`))];
}

/** @param {string} name @param {string} value @param {string} unit */
function figure(name, value, unit) {
  return h('div', { class: 'card' }, h('dt', {}, name), h('dd', {}, h('strong', {}, value), h('span', { class: 'hint' }, unit)));
}

/** @param {any} data */
function overTime(data) {
  if (!sum(data).answers) return [];
  return [h('h2', {}, 'Saved by day'), savedChart(data.usage.periods),
    hint('Saved = what the host would have shown, at most 30,000 characters of each output, less what was delivered. The tool list and added context count as delivered, so a day may be negative. 1 token = 4 bytes.')];
}

/** @param {any} data */
function byTool(data) {
  const tools = [...data.usage.tools].sort((one, other) => other.saved_tokens - one.saved_tokens);
  if (!tools.length) return [];
  const rows = tools.map((tool) => h('tr', {}, h('th', { scope: 'row' }, tool.tool),
    ...[tool.answers, tool.host_tokens, tool.delivered_tokens].map((number) => h('td', { class: 'number' }, count(number))),
    h('td', { class: `number ${tool.saved_tokens < 0 ? 'loss' : 'gain'}` }, signed(tool.saved_tokens))));
  return [h('h2', {}, 'By tool'), h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': 'By tool' }, h('table', {},
    h('thead', {}, h('tr', {}, ['Tool', 'Answers', 'Host shows', 'Delivered', 'Saved'].map((text, index) => h('th', { scope: 'col', class: index ? 'number' : '' }, text)))),
    h('tbody', {}, rows)))];
}

/** @param {any} data */
function requests(data) {
  const all = data.requests;
  if (!all) return [];
  return [h('h2', {}, 'Requests to the model'),
    h('p', {}, `${counted(all.count, 'reported request')}; their provider counted ${count(all.input_tokens)} input, ${count(all.cache_read_tokens)} cache read, ${count(all.cache_write_tokens)} cache write and ${count(all.output_tokens)} output tokens.`),
    hint('Only what hosts report, since records are kept.')];
}

/** @param {any} data */
function store(data) {
  const kinds = Object.entries(data.store.entries);
  const entries = kinds.reduce((number, [, some]) => number + Number(some), 0);
  return [h('h2', {}, 'Store'), h('dl', { class: 'numbers' },
    figure('Entries', count(entries), kinds.map(([kind, some]) => `${count(Number(some))} ${kind}`).join(', ')),
    figure('Text', size(data.store.raw_bytes), `in ${size(data.store.disk_bytes)} on disk`),
    figure('Sessions', count(data.store.sessions), ''))];
}
