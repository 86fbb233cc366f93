// What is being stored, as it happens.

import { chip, clock, count, counted, h, hint, meta, replace, size, to, toEntry } from './dom.js';
import { fail, follow } from './data.js';
import { copyButton } from './entry.js';

/** Rows on the page; older ones are in the sessions. */
const MAX_ROWS = 500;
/** Rows drawn at a time; a browser that draws more for a burst falls behind it. */
const ROWS_PER_FRAME = 60;
/** Durations that the middle is taken of. */
const MAX_DURATIONS = 1_000;

const OUTCOMES = ['passed', 'replaced', 'denied', 'asked'];

/** @param {import('./app.js').Visit} visit */
export function show({ place, signal }) {
  const state = h('span', { class: 'state', role: 'status' }, 'connecting');
  const number = h('span', { class: 'received' }, '');
  const sums = h('p', { class: 'meta outcomes' });
  const list = h('ol', { class: 'list live', 'aria-label': 'Entries and events, the latest first' });
  const empty = h('p', { class: 'empty' }, 'Nothing is stored yet. Work with your agent: its calls appear here.');
  const pause = h('button', { type: 'button', 'aria-pressed': 'false', onclick: toggle }, 'Pause');
  replace(place, h('h1', {}, 'Live'),
    hint('Results that are stored, calls that rules object to, and events of sessions. A small result that reaches the model as it is leaves no record, so it is not here.'),
    meta(state, number, pause), sums, empty, list);
  let received = 0;
  /** @type {Record<string, number>} */
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, 0]));
  /** @type {number[]} */
  const durations = [];
  /** @type {any[]} */
  let waiting = [];
  let isPaused = false;
  let held = 0;
  let isDue = false;

  function toggle() {
    isPaused = !isPaused;
    pause.setAttribute('aria-pressed', String(isPaused));
    pause.textContent = isPaused ? 'Go on' : 'Pause';
    draw();
  }

  function due() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(draw);
  }

  function draw() {
    isDue = false;
    number.textContent = received > MAX_ROWS ? `${count(received)} received, the last ${MAX_ROWS} are shown` : `${count(received)} received`;
    if (isPaused && held) number.textContent += `, ${count(held)} wait`;
    replace(sums, OUTCOMES.map((name) => h('span', {}, `${count(outcomes[name])} ${name}`)), durations.length ? h('span', {}, `runs took ${duration(middle(durations))} in the middle`) : null);
    if (isPaused) return;
    held = 0;
    const rows = waiting.splice(0, ROWS_PER_FRAME).reverse().map(row);
    list.prepend(...rows);
    while (list.childElementCount > MAX_ROWS) list.lastElementChild?.remove();
    empty.hidden = list.childElementCount > 0;
    if (waiting.length) due();
  }

  /** @param {any} one */
  function tally(one) {
    received += 1;
    const outcome = outcomeOf(one);
    if (outcome) outcomes[outcome] += 1;
    if (one.millis != null) durations.push(one.millis);
    if (durations.length > MAX_DURATIONS) durations.shift();
  }

  follow('api/live', {
    open: () => { state.textContent = 'live'; state.className = 'state good'; },
    lost: () => { state.textContent = 'reconnecting'; state.className = 'state bad'; },
    problem: (data) => { state.textContent = data.error; },
    data: take,
  }, signal).catch((error) => fail(place, error));

  /** @param {{ items: any[] }} data */
  function take({ items }) {
    items.forEach(tally);
    waiting.push(...items);
    // All are counted; only those that stay on the page are drawn, some in each frame.
    if (waiting.length > MAX_ROWS) waiting = waiting.slice(-MAX_ROWS);
    if (isPaused) held += items.length;
    due();
  }
  return 'Live';
}

/** What became of a call: passed, replaced, denied or asked. @param {any} one @returns {string | null} */
function outcomeOf(one) {
  if (one.is === 'entry') return one.outcome;
  return one.kind === 'verdict' ? (OUTCOMES.find((name) => one.subject.startsWith(`${name} `)) ?? null) : null;
}

/** @type {Record<string, string>} */
const KINDS = { passed: '', replaced: 'good', denied: 'bad', asked: 'warn' };

/** @param {any} one */
function row(one) {
  const when = h('time', { datetime: new Date(one.created).toISOString() }, clock(one.created));
  const session = h('a', { class: 'path', href: to('session', { key: one.session }) }, one.session);
  const outcome = outcomeOf(one);
  const result = outcome ? chip(outcome, KINDS[outcome]) : null;
  if (one.is === 'event') {
    const text = outcome ? `${one.subject.slice(outcome.length + 1)} \u2014 ${one.text}`
      : one.subject && one.subject !== one.text && !one.ref ? `${one.subject}: ${one.text}` : one.text;
    return h('li', { class: 'event' }, meta(when, result ?? chip(one.kind, one.kind === 'error' && one.stands ? 'bad' : ''), session),
      h('p', { class: 'clip' }, text.length > 300 ? `${text.slice(0, 300)}…` : text));
  }
  const isCall = one.kind === 'run' || one.kind === 'capture';
  return h('li', { class: 'row' },
    h('a', { href: toEntry(one.ref, { view: isCall ? 'digest' : null }) }, one.title || one.source || one.ref),
    meta(when, result, chip(one.what, one.what.startsWith('run') && one.what !== 'run exit 0' ? 'bad' : ''), counted(one.lines, 'line'), size(one.bytes),
      outcome === 'replaced' ? `${count(one.raw_tokens)} → ${counted(one.delivered_tokens, 'token')}` : null,
      one.millis == null ? null : duration(one.millis), session, copyButton(one.ref, 'Copy')));
}

/** @param {number} millis */
const duration = (millis) => (millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`);

/** @param {number[]} values */
const middle = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
