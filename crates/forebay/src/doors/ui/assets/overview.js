// What was saved and spent, by day and by tool, and what is stored. Each part is a function of the data.

import { count, counted, h, hint, replace, signed, size, tabs, to } from './dom.js';
import { fail, get } from './data.js';
import { barChart, table } from './chart.js';

const DAY = 24 * 60 * 60 * 1000;

/** The parts of the page, in order. @type {((data: any, days: number) => (Node | null)[])[]} */
const PARTS = [numbers, overTime, costs, byTool, requests, store];

/** @param {import('./app.js').Visit} visit */
export async function show({ place, fields, signal }) {
  const days = [7, 30, 90].find((one) => String(one) === fields.get('days')) ?? 30;
  const midnight = new Date();
  midnight.setHours(24, 0, 0, 0);
  const span = { from: midnight.getTime() - days * DAY, period: DAY, periods: days };
  const data = await get('overview', span, signal);
  const later = h('div');
  replace(place,
    h('h1', {}, data.project ? `Overview of ${data.project}` : 'Overview'),
    tabs('Time', [7, 30, 90].map((one) => ({ text: `${one} days`, href: to('overview', { days: one }), current: one === days }))),
    ...PARTS.flatMap((part) => part(data, days)), later);
  // It reads all entries of the time, so the rest does not wait for it.
  get('growth', span, signal).then((grown) => replace(later, growth(grown, days)), (error) => { if (!signal.aborted) fail(later, error); });
  return 'Overview';
}

/** A line below a part, with the way to its formula. @param {string} text */
const explained = (text) => h('p', { class: 'hint' }, `${text} `, h('a', { href: to('formulas') }, 'Formulas'));

/** Money with its sign; null is unknown. @param {number | null} usd */
function money(usd) {
  if (usd == null) return 'unknown';
  const digits = Math.abs(usd) < 1 ? 4 : 2;
  return `${usd < 0 ? '\u2212' : ''}$${Math.abs(usd).toFixed(digits)}`;
}

/** A share of a whole that is not zero. @param {number} part @param {number} whole */
const percent = (part, whole) => `${((100 * part) / whole).toFixed(Math.abs(part) * 10 < whole ? 1 : 0).replace('-', '\u2212')} %`;

/** @param {any} data @param {number} days */
function numbers(data, days) {
  const { total, billed, digests, rereads } = data.account;
  if (!total.answers) {
    return [h('p', { class: 'empty' }, `No answer was counted in the last ${days} days. Commands at a terminal are not counted: nothing is saved there.`)];
  }
  const share = total.host_tokens ? ` (${percent(total.saved_tokens, total.host_tokens)} of what hosts would have shown)` : '';
  const net = billed?.net;
  return [h('dl', { class: 'numbers' },
    figure('Saved, net', signed(total.saved_tokens), `tokens${share}`),
    figure('Hosts would have shown', count(total.host_tokens), `tokens; ${counted(digests, 'output')} became digests`),
    figure('Delivered', count(total.delivered_tokens), `tokens in ${counted(total.answers, 'answer')}`),
    figure('In money, net', net ? money(net.usd) : 'unknown', net ? moneyNote(billed, data.account.requests) : 'no host reported its requests to the model'),
    figure('Re-read', digests ? percent(rereads, digests) : count(rereads), digests ? `${counted(rereads, 'call')} of ctx_get for ${counted(digests, 'digest')}` : 'calls of ctx_get; no digest was delivered')),
  explained('Saved = what the host would have shown, at most 30,000 characters of each output, less what was delivered. A token is 4 bytes.')];
}

/** @param {any} billed @param {any} requests */
function moneyNote(billed, requests) {
  const models = billed.models_without_price.map((/** @type {string} */ model) => model || 'an unnamed model');
  if (billed.net.usd == null && models.length) return `no price is known for ${models.join(', ')}`;
  return `over ${counted(requests.count, 'request')}, at list prices of ${billed.prices_as_of}`;
}

/** @param {string} name @param {string} value @param {string} unit */
function figure(name, value, unit) {
  return h('div', { class: 'card' }, h('dt', {}, name), h('dd', {}, h('strong', {}, value), h('span', { class: 'hint' }, unit)));
}

/** @param {any} data */
function overTime(data) {
  if (!data.account.total.answers) return [];
  return [h('h2', {}, 'Saved by day'), barChart(data.usage.periods, {
    name: 'Tokens saved by day',
    value: (one) => one.saved_tokens,
    shown: (value) => `${signed(value)} tokens saved`,
    columns: [['Answers', (one) => count(one.answers)], ['Host shows', (one) => count(one.host_tokens)],
      ['Delivered', (one) => count(one.delivered_tokens)], ['Saved', (one) => signed(one.saved_tokens)]],
  }), hint('The tool list and added context count as delivered, so a day may be negative.')];
}

/** From gross to net: what was kept out of requests, and what Forebay put into them. @param {any} data */
function costs(data) {
  const { billed, answers_without_requests: without } = data.account;
  if (!billed) return [];
  const rows = [
    ['Kept out by digests (gross)', billed.gross, 1], ['Tool list', billed.costs.tool_list, -1], ['Added by hooks', billed.costs.hooks, -1],
    ['Other answers', billed.costs.answers, -1], ['Re-reads', billed.costs.rereads, -1],
    [counted(billed.costs.extra_turn_count, 'extra turn'), billed.costs.extra_turns, -1], ['Net', billed.net, 1],
  ];
  const missing = without ? ` Not in it: ${counted(without, 'answer')} in contexts whose requests no host reported.` : '';
  return [h('h2', {}, 'Gross and net'),
    table('Gross and net', ['', 'Tokens billed', 'Money'], rows.map(([name, one, sign]) => [name, signed(sign * one.tokens || 0), money(one.usd == null ? null : sign * one.usd)])),
    explained(`Tokens of all requests that carried a text: one that stays in a conversation is paid for with each.${missing}`)];
}

/** @param {any} data */
function byTool(data) {
  const tools = [...data.usage.tools].sort((one, other) => other.saved_tokens - one.saved_tokens);
  if (!tools.length) return [];
  const billed = data.account.billed?.tools;
  const rows = tools.map((tool) => [tool.tool, count(tool.answers), count(tool.host_tokens), count(tool.delivered_tokens), signed(tool.saved_tokens),
    ...(billed ? [money(billed[tool.tool]?.usd ?? null)] : [])]);
  return [h('h2', {}, 'By tool'),
    table('By tool', ['Tool', 'Answers', 'Host shows', 'Delivered', 'Saved', ...(billed ? ['Net money'] : [])], rows)];
}

/** @param {any} data */
function requests(data) {
  const all = data.account.requests;
  if (!all) return [];
  const written = all.cache_write_tokens + all.cache_write_1h_tokens;
  const read = all.input_tokens + all.cache_read_tokens + written;
  return [h('h2', {}, 'Requests and cache'), h('dl', { class: 'numbers' },
    figure('Read from the cache', read ? percent(all.cache_read_tokens, read) : 'none', `${count(all.cache_read_tokens)} of ${count(read)} tokens that models read`),
    figure('Written to the cache', count(written), 'tokens'),
    figure('Not cached', count(all.input_tokens), 'tokens'),
    figure('Output', count(all.output_tokens), `tokens in ${counted(all.count, 'reported request')}`)),
  explained('As the providers counted them, in requests that hosts reported. A low share read from the cache means that the start of the context changed or the cache expired.')];
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

/** @param {any} data @param {number} days */
function growth(data, days) {
  const bytes = data.periods.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.raw_bytes, 0);
  if (!bytes) return [hint(`Nothing that is still there was stored in the last ${days} days.`)];
  return [h('h3', {}, `Grown by ${size(bytes)} of text in ${days} days`), barChart(data.periods, {
    name: 'Text stored by day',
    value: (one) => one.raw_bytes,
    shown: size,
    columns: [['Entries', (one) => count(one.entries)], ['Text', (one) => size(one.raw_bytes)]],
  }), hint('What was stored in that time and is still there, before compression.')];
}
