// What was saved and spent, by day and by tool, what digests are worth, and what is stored. Each part is a function of the data.

import { chip, count, counted, h, hint, replace, signed, size, tabs, time, to } from './dom.js';
import { fail, get } from './data.js';
import { barChart, table, waterfall } from './chart.js';

const DAY = 24 * 60 * 60 * 1000;
/** The formulas of the store's numbers. */
const STORE = 'the-size-of-the-store';

/** The parts of the page, in order. @type {((data: any, days: number) => (Node | null)[])[]} */
const PARTS = [numbers, overTime, costs, byTool, recognizers, holdout, requests, store];

/** @param {import('./app.js').Visit} visit */
export async function show({ place, fields, signal }) {
  const days = [7, 30, 90].find((one) => String(one) === fields.get('days')) ?? 30;
  const midnight = new Date();
  midnight.setHours(24, 0, 0, 0);
  const span = { from: midnight.getTime() - days * DAY, period: DAY, periods: days };
  const heading = h('h1', {}, 'Overview');
  const later = h('div');
  const parts = h('div', { class: 'parts' }, h('div', { class: 'numbers', 'aria-hidden': 'true' }, Array.from({ length: 5 }, () => h('div', { class: 'card awaited' }))));
  // Most of what is stored is summed up, so the page is there before its numbers.
  replace(place, heading,
    tabs('Time', [7, 30, 90].map((one) => ({ text: `${one} days`, href: to('overview', { days: one }), current: one === days }))), parts, later);
  const data = await get('overview', span, signal);
  if (data.project) heading.textContent = `Overview of ${data.project}`;
  replace(parts, ...PARTS.flatMap((part) => part(data, days)));
  // It reads all entries of the time, so the rest does not wait for it.
  get('growth', span, signal).then((grown) => replace(later, growth(grown, days)), (error) => { if (!signal.aborted) fail(later, error); });
  return 'Overview';
}

/** A line below a part, with the way to its formula. @param {string} text @param {string} [at] */
const explained = (text, at) => h('p', { class: 'hint' }, `${text} `, h('a', { href: to('formulas', { at }) }, 'Formula'));

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
  if (!total.answers) return [nothing(data, days)];
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

/** What to do if no agent worked here. @param {any} data @param {number} days */
function nothing(data, days) {
  if (data.store.sessions) {
    return h('p', { class: 'empty' }, `No answer was counted in the last ${days} days. Commands at a terminal are not counted: nothing is saved there.`);
  }
  return h('div', { class: 'card first' }, h('h2', {}, 'Nothing has happened here yet'),
    h('ol', {},
      h('li', {}, h('code', {}, 'forebay init'), ' sets up the agents on this machine.'),
      h('li', {}, 'Work with your agent in this project, in a new session.'),
      h('li', {}, 'Its calls appear under ', h('a', { href: to('live') }, 'Live'), ', and what they saved here.')),
    h('p', { class: 'hint' }, 'To try it without an agent: ', h('code', {}, 'forebay run -- ls -R /usr/share'), ' stores an output, and ', h('code', {}, 'forebay demo'), ' shows the rest in a temporary folder.'));
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
  return [h('h2', {}, 'Saved and spent by day'), barChart(data.usage.periods, {
    name: 'Tokens saved by day',
    up: (one) => one.gained_tokens,
    down: (one) => one.spent_tokens,
    shown: (value) => `${signed(value)} tokens saved, net`,
    legend: [['gain', 'saved by tools whose answers were shorter'], ['loss', 'spent by the others, the tool list and added context'], ['net', 'net']],
    columns: [['Answers', (one) => count(one.answers)], ['Host shows', (one) => count(one.host_tokens)],
      ['Delivered', (one) => count(one.delivered_tokens)], ['Saved', (one) => count(one.gained_tokens)],
      ['Spent', (one) => signed(-one.spent_tokens || 0)], ['Net', (one) => signed(one.saved_tokens)]],
  }), explained('Tokens, each text counted once. A day may be negative; it has 24 hours, counted back from the coming midnight.')];
}

/** From gross to net: what was kept out of requests, and what Forebay put into them. @param {any} data */
function costs(data) {
  const { billed, answers_without_requests: without } = data.account;
  if (!billed) return [];
  /** @type {[string, { tokens: number, usd: number | null }, number][]} */
  const parts = [
    ['Kept out by digests (gross)', billed.gross, 1], ['Tool list', billed.costs.tool_list, -1], ['Added by hooks', billed.costs.hooks, -1],
    ['Other answers', billed.costs.answers, -1], ['Re-reads', billed.costs.rereads, -1],
    [counted(billed.costs.extra_turn_count, 'extra turn'), billed.costs.extra_turns, -1], ['Net', billed.net, 1],
  ];
  /** @type {[string, number, string][]} */
  const rows = parts.map(([name, one, sign]) => [name, sign * one.tokens || 0,
    `${signed(sign * one.tokens || 0)} tokens, ${one.usd == null ? 'price unknown' : money(sign * one.usd || 0)}`]);
  const missing = without ? ` Not in it: ${counted(without, 'answer')} in contexts whose requests no host reported.` : '';
  return [h('h2', {}, 'Gross and net'),
    waterfall('Gross and net', rows),
    explained(`Billed tokens of all requests that carried a text: one that stays in a conversation is paid for with each.${missing}`, 'gross-and-net')];
}

/** @param {any} data */
function byTool(data) {
  const tools = [...data.usage.tools].sort((one, other) => other.saved_tokens - one.saved_tokens);
  if (!tools.length) return [];
  const billed = data.account.billed?.tools;
  const rows = tools.map((tool) => [tool.tool, count(tool.answers), count(tool.host_tokens), count(tool.delivered_tokens), signed(tool.saved_tokens),
    ...(billed ? [money(billed[tool.tool]?.usd ?? null)] : [])]);
  return [h('h2', {}, 'By tool'),
    table('By tool', ['Tool', 'Answers', 'Host shows', 'Delivered', 'Saved', ...(billed ? ['Net money'] : [])], rows),
    explained('Saved = what the host would have shown less what was delivered, in tokens. The tool list and added context only cost.', billed ? 'gross-and-net' : undefined)];
}

/** What became of digests, by recognizer. @param {any} data @param {number} days */
function recognizers({ digests, store }, days) {
  if (!store.sessions) return [];
  const named = Object.entries(digests.recognizers);
  const off = digests.switched_off;
  if (!named.length && !off.length) {
    return [h('h2', {}, 'By recognizer'), hint(`No long result of an agent\u2019s own tools became a digest in the last ${days} days, so there is nothing to judge.`)];
  }
  for (const one of off) if (!digests.recognizers[one.recognizer]) named.push([one.recognizer, null]);
  named.sort(([, one], [, other]) => (other?.removed_tokens ?? 0) - (one?.removed_tokens ?? 0));
  const rows = named.map(([name, one]) => recognizer(name, one, off.find((/** @type {any} */ it) => it.recognizer === name), digests.min_uses));
  return [h('h2', {}, 'By recognizer'),
    table('By recognizer', ['Recognizer', 'Verdict', 'Digests', 'Removed', 'Re-read', 'Repeated', 'Net', 'Net money'], rows),
    off.length ? h('div', { class: 'notice' }, off.map(switchedOff)) : null,
    explained(`Long results of the agent\u2019s own tools. Removed: tokens, each text counted once. Net: billed tokens, over the digests whose requests are known. A verdict takes ${digests.min_uses} digests; a recognizer that loses is switched off.`, 'what-the-digests-of-a-recognizer-are-worth')];
}

/** What a recognizer is called. @param {string} name */
const recognizerName = (name) => (name === 'none' ? 'no known format' : name);

/** @param {string} name @param {any} one @param {any} off @param {number} least @returns {(string | Node)[]} */
function recognizer(name, one, off, least) {
  if (!one) return [recognizerName(name), verdict(one, off, least), '0', '', '', '', '', ''];
  const known = one.billed_uses < one.uses ? h('span', { class: 'hint' }, ` of ${counted(one.billed_uses, 'digest')}`) : '';
  return [recognizerName(name), verdict(one, off, least), count(one.uses),
    share(one.removed_tokens, one.host_tokens, signed), share(one.reread, one.uses, count), share(one.repeated, one.uses, count),
    one.net ? (known ? h('span', {}, signed(one.net.tokens), known) : signed(one.net.tokens)) : 'unknown', one.net ? money(one.net.usd) : 'unknown'];
}

/** A number, and which share of another one it is. @param {number} part @param {number} whole @param {(number: number) => string} shown */
const share = (part, whole, shown) => h('span', {}, shown(part), h('span', { class: 'hint' }, whole ? ` of ${count(whole)}, ${percent(part, whole)}` : ''));

/** @param {any} one @param {any} off @param {number} least */
function verdict(one, off, least) {
  if (off) return chip('switched off', 'bad');
  if (one.finding === 'pays') return chip('pays', 'good');
  if (one.finding === 'loses') return chip('loses', 'warn');
  return h('span', { class: 'hint' }, `too few: ${count(one.judged_uses)} of ${least}`);
}

/** @param {any} off */
const switchedOff = (off) => h('p', {}, h('strong', {}, recognizerName(off.recognizer)), ' passes raw since ', time(off.at),
  `: ${counted(off.uses, 'digest')} had cost ${count(Math.abs(off.net_tokens))} tokens more than they saved. `,
  h('code', {}, `hooks.keep_digests = ["${off.recognizer}"]`), ' uses its digests again.');

/** Digests compared with results that were held out. @param {any} data */
function holdout({ digests: { holdout: { share: part, min_sessions: least, comparison } }, store }) {
  if (!store.sessions) return [];
  const heading = h('h2', {}, 'Digests or raw results: the holdout');
  const now = part > 0 ? `${percent(part, 1)} of long results pass raw, chosen at random.` : 'It is off now.';
  if (!comparison) {
    return [heading, h('p', {}, chip('not enough data'), part > 0 ? ` ${now} None was held out in this time.`
      : ' No result is held out, so nothing tells whether your agent works better with digests than without.'),
    part > 0 ? null : h('p', { class: 'hint' }, 'To find out: ', h('code', {}, 'forebay config set experiment.holdout 0.1'), ' lets one in ten long results pass raw.'),
    explained('Which results are held out is decided at random, so differences are due to digests or to chance.', 'the-holdout')];
  }
  const sessions = Math.max(0, ...comparison.measures.map((/** @type {any} */ one) => one.sessions));
  const basis = `${counted(comparison.digests, 'digest')} and ${counted(comparison.held_out, 'raw result')}; ${counted(sessions, 'session')} with both. ${now}`;
  if (sessions < least) {
    return [heading, h('p', {}, chip('not enough data'), ` ${basis} It takes ${least} such sessions.`),
      explained('Fewer sessions say too little: the interval would be wider than what it is about.', 'the-holdout')];
  }
  return [heading, h('p', {}, basis),
    table('Digests compared with raw results', ['Per result', 'With digests', 'Raw', 'Difference', '95 % interval', 'Verdict'], comparison.measures.map(measured)),
    explained('Less is better in each row. The difference is the mean over sessions; an interval that contains zero shows none.', 'the-holdout')];
}

/** @param {any} one @returns {(string | Node)[]} */
function measured(one) {
  /** @param {number} value */
  const shown = (value) => (one.measure === 'dollars' ? money(value) : one.measure === 'tokens billed' ? signed(Math.round(value)) : value.toFixed(2).replace('-', '\u2212'));
  const means = [one.measure, shown(one.digest), shown(one.held_out)];
  if (!one.difference) return [...means, '', '', h('span', { class: 'hint' }, `not enough data: ${counted(one.sessions, 'session')}`)];
  const { mean, low, high } = one.difference;
  const finding = low <= 0 && high >= 0 ? chip('no difference shown') : high < 0 ? chip('less with digests', 'good') : chip('more with digests', 'bad');
  // Not a loss: less is better here.
  return [...means, h('span', {}, shown(mean)), h('span', {}, `${shown(low)} to ${shown(high)}`), finding];
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
  explained('As the providers counted them, in requests that hosts reported. A low share read from the cache means that the start of the context changed or the cache expired.', 'what-a-request-is-billed-for')];
}

/** @param {any} data */
function store(data) {
  const kinds = Object.entries(data.store.entries);
  const entries = kinds.reduce((number, [, some]) => number + Number(some), 0);
  return [h('h2', {}, 'Store'), h('dl', { class: 'numbers' },
    figure('Entries', count(entries), kinds.map(([kind, some]) => `${count(Number(some))} ${kind}`).join(', ')),
    figure('Text', size(data.store.raw_bytes), `in all entries; ${size(data.store.disk_bytes)} on disk with index and ledger`),
    figure('Sessions', count(data.store.sessions), 'that something is stored of')),
  explained('Text is what was stored, before compression.', STORE)];
}

/** @param {any} data @param {number} days */
function growth(data, days) {
  const bytes = data.periods.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.raw_bytes, 0);
  if (!bytes) return [hint(`Nothing that is still there was stored in the last ${days} days.`)];
  return [h('h3', {}, `Grown by ${size(bytes)} of text in ${days} days`), barChart(data.periods, {
    name: 'Text stored by day',
    up: (one) => one.raw_bytes,
    shown: size,
    axis: size,
    columns: [['Entries', (one) => count(one.entries)], ['Text', (one) => size(one.raw_bytes)]],
  }), explained('What was stored in that time and is still there, before compression.', STORE)];
}
