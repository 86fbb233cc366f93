// What is being stored, as it happens.

import { chip, clock, count, counted, h, hint, meta, replace, size, to, toEntry } from './dom.js';

/** Rows on the page; older ones are in the sessions. */
const MAX_ROWS = 500;

/** @param {import('./app.js').Visit} visit */
export function show({ place, signal }) {
  const state = h('span', { class: 'state', role: 'status' }, 'connecting');
  const number = h('span', {}, '');
  const list = h('ol', { class: 'list live', 'aria-label': 'Entries and events, the latest first' });
  const empty = h('p', { class: 'empty' }, 'Nothing is stored yet. Work with your agent: its calls appear here.');
  const pause = h('button', { type: 'button', 'aria-pressed': 'false', onclick: toggle }, 'Pause');
  replace(place, h('h1', {}, 'Live'),
    hint('Results that are stored, and events of sessions. A small result that reaches the model as it is leaves no record, so it is not here.'),
    meta(state, number, pause), empty, list);
  let received = 0;
  /** @type {any[]} */
  let waiting = [];
  let isPaused = false;
  let isDue = false;

  function toggle() {
    isPaused = !isPaused;
    pause.setAttribute('aria-pressed', String(isPaused));
    pause.textContent = isPaused ? 'Go on' : 'Pause';
    draw();
  }

  function draw() {
    isDue = false;
    number.textContent = received > MAX_ROWS ? `${count(received)} received, the last ${MAX_ROWS} are shown` : `${count(received)} received`;
    if (isPaused && waiting.length) number.textContent += `, ${count(waiting.length)} wait`;
    if (isPaused) return;
    // All are received; only as many as the page shows are drawn.
    const rows = waiting.slice(-MAX_ROWS).reverse().map(row);
    waiting = [];
    list.prepend(...rows);
    while (list.childElementCount > MAX_ROWS) list.lastElementChild?.remove();
    empty.hidden = list.childElementCount > 0;
  }

  const source = new EventSource('api/live');
  source.onopen = () => { state.textContent = 'live'; state.className = 'state good'; };
  source.onerror = () => { state.textContent = source.readyState === EventSource.CLOSED ? 'ended' : 'reconnecting'; state.className = 'state bad'; };
  source.addEventListener('problem', (event) => { state.textContent = JSON.parse(/** @type {MessageEvent} */ (event).data).error; });
  source.onmessage = (event) => {
    const { items } = JSON.parse(event.data);
    received += items.length;
    waiting.push(...items);
    if (!isDue) {
      isDue = true;
      requestAnimationFrame(draw);
    }
  };
  signal.addEventListener('abort', () => source.close());
  return 'Live';
}

/** @param {any} one */
function row(one) {
  const when = h('time', { datetime: new Date(one.created).toISOString() }, clock(one.created));
  const session = h('a', { class: 'path', href: to('session', { key: one.session }) }, one.session);
  if (one.is === 'event') {
    const text = one.subject && one.subject !== one.text && !one.ref ? `${one.subject}: ${one.text}` : one.text;
    return h('li', { class: 'event' }, meta(when, chip(one.kind, one.kind === 'error' && one.stands ? 'bad' : ''), session),
      h('p', { class: 'clip' }, text.length > 300 ? `${text.slice(0, 300)}…` : text));
  }
  const isDigest = (one.kind === 'run' || one.kind === 'capture') && one.delivered_tokens < one.raw_tokens;
  return h('li', { class: 'row' },
    h('a', { href: toEntry(one.ref, { view: one.kind === 'run' || one.kind === 'capture' ? 'digest' : null }) }, one.title || one.source || one.ref),
    meta(when, chip(one.what, one.what.startsWith('run') && one.what !== 'run exit 0' ? 'bad' : ''), counted(one.lines, 'line'), size(one.bytes),
      isDigest ? `${count(one.raw_tokens)} → ${counted(one.delivered_tokens, 'token')}` : null, session));
}
