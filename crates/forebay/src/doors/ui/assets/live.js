// What happens, as it happens: stored results, events of sessions, and what became of each call.

import { chip, clock, count, counted, h, hint, meta, replace, size, to, toEntry } from './dom.js';
import { fail, follow, get } from './data.js';
import { table } from './chart.js';
import { copyButton } from './entry.js';
import { Calls, outcomeOf } from './calls.js';

/** Rows on the page; older ones are in the sessions. */
const MAX_ROWS = 500;
/** Rows drawn at a time; a browser that draws more for a burst falls behind it. */
const ROWS_PER_FRAME = 60;
/** Milliseconds between two looks at the times of hooks. */
const LOOK = 2_000;

/** @param {import('./app.js').Visit} visit */
export function show({ place, signal }) {
  const state = h('span', { class: 'state', role: 'status' }, 'connecting');
  const number = h('span', { class: 'received' }, '');
  const sums = h('dl', { class: 'numbers outcomes' });
  const list = h('ol', { class: 'list live', 'aria-label': 'Calls, entries and events, the latest first' });
  const empty = h('div', { class: 'empty' }, h('p', {}, 'Nothing has happened here yet.'),
    h('p', {}, 'Work with your agent in this project: its calls appear here by themselves. ', h('code', {}, 'forebay init'), ' sets up the agents of this machine, ', h('code', {}, 'forebay doctor'), ' checks that they reach Forebay.'));
  const times = h('div', { class: 'times' });
  const pause = h('button', { type: 'button', 'aria-pressed': 'false', onclick: toggle }, 'Pause');
  replace(place, h('h1', {}, 'Live'),
    hint('Calls of your agent and what became of them, results that are stored, and events of sessions.'),
    sums, times, h('div', { class: 'strip' }, meta(state, number), pause), empty, list);
  let received = 0;
  const calls = new Calls(redraw);
  /** @type {any[]} */
  let waiting = [];
  let isPaused = false;
  let held = 0;
  let isDue = false;
  let isMeasured = false;

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
    replace(sums, calls.sums().map(([name, sum]) => h('div', { class: 'card' }, h('dt', {}, name), h('dd', {}, h('strong', {}, count(sum))))));
    if (isPaused) return;
    held = 0;
    const rows = waiting.splice(0, ROWS_PER_FRAME).filter((one) => !one.isGone).reverse().map((one) => {
      one.row = row(one);
      return one.row;
    });
    list.prepend(...rows);
    while (list.childElementCount > MAX_ROWS) list.lastElementChild?.remove();
    empty.hidden = list.childElementCount > 0;
    if (waiting.length) due();
  }

  /** Draws a row anew of which more is known. @param {any} one */
  function redraw(one) {
    if (one.isGone) one.row?.remove();
    if (!one.row?.isConnected || one.row.contains(document.activeElement)) return;
    const now = row(one);
    one.row.replaceWith(now);
    one.row = now;
  }

  /** Reads the times of hooks, at most once per look. */
  function measure() {
    if (isMeasured || signal.aborted) return;
    isMeasured = true;
    get('latency', {}, signal).then((data) => replace(times, latency(data, times.querySelector('details')?.open ?? false)), () => {});
    setTimeout(() => { isMeasured = false; }, LOOK);
  }

  measure();
  follow('api/live', {
    open: () => { state.textContent = 'live'; state.className = 'state good'; },
    lost: () => { state.textContent = 'reconnecting'; state.className = 'state bad'; },
    problem: (data) => {
      state.textContent = data.error ?? 'live';
      state.className = data.error ? 'state bad' : 'state good';
    },
    data: take,
  }, signal).catch((error) => fail(place, error));

  /** @param {{ items: any[] }} data */
  function take({ items }) {
    const shown = items.filter((one) => calls.take(one));
    received += shown.length;
    waiting.push(...shown);
    // All are counted; only those that stay on the page are drawn, some in each frame.
    if (waiting.length > MAX_ROWS) waiting = waiting.slice(-MAX_ROWS);
    if (isPaused) held += shown.length;
    if (items.some((one) => one.is === 'call' || one.is === 'fault')) measure();
    due();
  }
  return 'Live';
}

/** How long hooks took. @param {any} data @param {boolean} isOpen */
function latency({ all, events }, isOpen) {
  if (!all) return null;
  /** @param {any} time */
  const cells = (time) => [count(time.calls), millis(time.median_micros), millis(time.p95_micros), millis(time.max_micros)];
  return h('details', { open: isOpen },
    h('summary', {}, 'Hooks took ', h('strong', {}, millis(all.median_micros)), ' at the median, ', h('strong', {}, millis(all.p95_micros)),
      ` at the 95th percentile, in the latest ${counted(all.calls, 'call')}`),
    table('Times of hooks', ['Hook', 'Calls', 'Median', '95 %', 'Longest'],
      [...events.map((/** @type {any} */ one) => [one.event, ...cells(one.time)]), ['all', ...cells(all)]]),
    hint('From the start of the process until its answer is written: the processor time until its first line runs, then the clock. What the host takes to start and to read it is not in it. The last seven days are kept.'));
}

/** @type {Record<string, string>} */
const KINDS = { passed: '', replaced: 'good', denied: 'bad', asked: 'warn', rewritten: 'good' };

/** @param {any} one */
function row(one) {
  const when = h('time', { datetime: new Date(one.created).toISOString() }, clock(one.created));
  const session = h('a', { class: 'path', href: to('session', { key: one.session }) }, one.session);
  if (one.is === 'fault') return fault(one, when, one.session ? session : null);
  const outcome = outcomeOf(one);
  const result = outcome ? chip(outcome, KINDS[outcome]) : null;
  const took = one.hookMicros == null ? null : h('span', { title: 'what Forebay\u2019s hooks took for this call' }, `hooks ${millis(one.hookMicros)}`);
  if (one.is === 'entry') return entry(one, { when, session, result, took });
  const text = one.is === 'call' ? `${one.tool}: ${one.title}`
    : outcome ? `${one.subject.slice(outcome.length + 1)} \u2014 ${one.text}`
      : one.subject && one.subject !== one.text && !one.ref ? `${one.subject}: ${one.text}` : one.text;
  return h('li', { class: 'event' }, meta(when, result ?? chip(one.kind, one.kind === 'error' && one.stands ? 'bad' : ''), took, session),
    h('p', { class: 'clip' }, text.length > 300 ? `${text.slice(0, 300)}…` : text));
}

/** A text with a full stop. @param {string} text */
const sentence = (text) => text.replace(/([^.…])$/, '$1.');

/** What went wrong with a hook. @param {any} one @param {HTMLElement} when @param {HTMLElement | null} session */
function fault(one, when, session) {
  const isUnanswered = one.outcome === 'failed' || one.outcome === 'timed out';
  return h('li', { class: 'event' },
    meta(when, isUnanswered ? chip(`hook ${one.outcome}`, 'bad') : chip('hook error', 'warn'), one.event, `took ${millis(one.micros)}`,
      one.times > 1 ? `${count(one.times)} times` : null, session),
    one.title ? h('p', { class: 'clip' }, `${one.tool}: ${one.title}`) : null,
    h('p', { class: 'clip' }, h('strong', {}, one.error)),
    h('div', { class: 'hint' }, `${one.hint ? `${sentence(one.hint)} ` : ''}${isUnanswered ? 'The agent went on as if there were no hook: nothing was replaced or added.' : `The hook answered all the same: ${one.outcome}.`}`));
}

/** @param {any} one @param {Record<string, HTMLElement | null>} facts */
function entry(one, { when, session, result, took }) {
  const isCall = one.kind === 'run' || one.kind === 'capture';
  return h('li', { class: 'row' },
    h('a', { href: toEntry(one.ref, { view: isCall ? 'digest' : null }) }, one.title || one.source || one.ref),
    meta(when, result, chip(one.what, one.what.startsWith('run') && one.what !== 'run exit 0' ? 'bad' : ''), counted(one.lines, 'line'), size(one.bytes),
      one.outcome === 'replaced' ? `${count(one.host_tokens)} → ${counted(one.delivered_tokens, 'token')}` : null,
      one.millis == null ? null : `ran ${duration(one.millis)}`, took, session, copyButton(one.ref, 'Copy')));
}

/** @param {number} value */
const duration = (value) => (value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);

/** @param {number} micros */
const millis = (micros) => (micros < 100_000 ? `${(micros / 1000).toFixed(1)} ms` : duration(micros / 1000));
