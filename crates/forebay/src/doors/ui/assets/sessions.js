// Conversations: the list, and in one of them what happened, what a resume would get, and what was stored.

import { chip, counted, h, hint, linked, meta, replace, tabs, time, to, toEntry } from './dom.js';
import { fail, get, pagedList } from './data.js';

/** @param {import('./app.js').Visit} visit */
export async function show({ place, signal }) {
  const list = h('div');
  replace(place, h('h1', {}, 'Sessions'), list);
  replace(list, await pagedList({
    label: 'Sessions, the last used first',
    empty: 'No session yet. Agents that forebay init has set up appear here.',
    load: (page) => get('sessions', { page }, signal),
    row: conversation,
  }));
  return 'Sessions';
}

/** @param {string} key @param {string} [view] */
const toSession = (key, view) => to('session', { key, view });

/** A session without a request: that of commands at a terminal has a name. @param {string} key */
const nameOf = (key) => (key === 'cli' ? 'Commands at a terminal' : `Session ${key}`);

/** @param {any} one */
function conversation(one) {
  return h('li', { class: 'row' },
    h('a', { href: toSession(one.key) }, one.last_request || nameOf(one.key)),
    meta(one.client ? chip(one.client) : null, time(one.last_used, one.age), counted(one.entries, 'entry', 'entries'),
      one.subagents.length ? counted(one.subagents.length, 'subagent') : null, h('span', { class: 'path' }, one.key)));
}

const VIEWS = [['timeline', 'Timeline'], ['guide', 'Guide'], ['stored', 'Stored'], ['compactions', 'Compactions']];

/** @param {import('./app.js').Visit} visit */
export async function showOne({ place, fields, signal }) {
  const key = fields.get('key') ?? '';
  const view = fields.get('view') ?? 'timeline';
  const one = await get('session', { key }, signal);
  const isSubagent = one.shown !== one.key;
  const body = h('section', { class: 'body' });
  replace(place,
    h('h1', { class: 'title' }, one.last_request || nameOf(key)),
    meta(one.client ? chip(one.client) : null, isSubagent ? chip('subagent') : null,
      h('span', {}, 'started ', time(one.started)), h('span', {}, 'used ', time(one.last_used, one.age)), h('span', { class: 'path' }, key)),
    tree(one),
    tabs('Views of the session', VIEWS.map(([name, text]) => ({ text, href: toSession(key, name), current: name === view }))),
    body);
  try {
    if (view === 'guide') await guide(body, key, signal);
    else if (view === 'stored') await stored(body, key, '', signal);
    else if (view === 'compactions') await stored(body, key, 'compactions', signal);
    else await timeline(body, key, fields.get('filter') ?? 'all', signal);
  } catch (error) {
    fail(body, error);
  }
  return one.last_request || 'Session';
}

/** The conversation and its subagents. @param {any} one */
function tree(one) {
  if (!one.subagents.length) return null;
  /** @param {string} key @param {string} text */
  const link = (key, text) => h('a', { href: toSession(key), 'aria-current': key === one.shown ? 'page' : null }, text);
  return h('details', { class: 'agents', open: one.subagents.length <= 8 },
    h('summary', {}, counted(one.subagents.length, 'subagent')),
    h('ul', { class: 'tree' }, h('li', {}, link(one.key, 'main agent'),
      h('ul', {}, one.subagents.map((/** @type {any} */ agent) => h('li', {}, link(agent.key, agent.name ?? agent.key),
        h('span', { class: 'hint' }, ` ${agent.age} · ${counted(agent.entries, 'entry', 'entries')}`)))))));
}

const FILTERS = [['all', 'Everything'], ['conversation', 'Prompts and answers'], ['decisions', 'Decisions and rules'], ['tasks', 'Tasks'],
  ['files', 'Files'], ['errors', 'Errors'], ['git', 'Git'], ['subagents', 'Subagents']];

/** @param {Element} place @param {string} key @param {string} filter @param {AbortSignal} signal */
async function timeline(place, key, filter, signal) {
  const list = h('div');
  replace(place, h('nav', { class: 'filters', 'aria-label': 'Filter' },
    FILTERS.map(([name, text]) => h('a', { href: to('session', { key, filter: name }), 'aria-current': name === filter ? 'page' : null }, text))), list);
  replace(list, await pagedList({
    label: 'Events, the latest first',
    empty: 'No such event in this session.',
    load: (before) => get('timeline', { key, filter, before }, signal),
    row: event,
  }));
}

/** An event of a list. @param {any} one */
export function event(one) {
  const isSaid = one.kind === 'prompt' || one.kind === 'answer' || one.kind === 'goal';
  const state = one.stands ? null : one.kind === 'error' ? chip('resolved', 'good') : chip('no longer applies');
  const subject = isSaid || one.subject === one.text ? null : h('strong', {}, one.subject);
  return h('li', { class: `event ${one.kind.replace(' ', '-')}` },
    meta(chip(one.kind, one.kind === 'error' && one.stands ? 'bad' : one.kind === 'prompt' ? 'said' : ''), state,
      one.times > 1 ? `${one.times} times` : null, time(one.created, one.age), one.branch ? `branch ${one.branch}` : null,
      one.ref ? h('a', { href: toEntry(one.ref) }, 'whole text') : null),
    subject, one.text === one.kind ? null : h('div', { class: 'said' }, ...linked(one.text)));
}

/** @param {Element} place @param {string} key @param {AbortSignal} signal */
async function guide(place, key, signal) {
  const data = await get('guide', { key }, signal);
  if (!data.lines) {
    replace(place, h('p', { class: 'empty' }, 'Nothing happened in this session that a guide could quote.'));
    return;
  }
  replace(place,
    hint(`Exactly what the model would get now after a compaction or on resume: ${counted(data.bytes, 'byte')} of at most ${data.max_bytes.toLocaleString('en')}, about ${counted(data.tokens, 'token')}. A source is named where the words of a line stand in it.`),
    data.is_host_known ? null : h('p', { class: 'notice' }, `The session was last used by ${data.client || 'an unknown program'}, which is no host that Forebay knows: a host may show less.`),
    h('ol', { class: 'guide' }, data.lines.map(guideLine)));
}

/** @param {any} line */
function guideLine(line) {
  const isTitle = line.text.startsWith('## ');
  const sources = line.sources.map((/** @type {any} */ source) => {
    const text = [source.kind, ' · ', time(source.created)];
    return h('li', {}, source.ref ? h('a', { href: toEntry(source.ref) }, ...text) : h('span', {}, ...text));
  });
  return h('li', { class: isTitle ? 'heading' : '' }, h('code', {}, ...linked(line.text)), sources.length ? h('ul', { class: 'sources', 'aria-label': 'Sources' }, sources) : null);
}

/** @param {Element} place @param {string} key @param {string} filter @param {AbortSignal} signal */
async function stored(place, key, filter, signal) {
  const isCompactions = filter === 'compactions';
  replace(place,
    isCompactions ? hint('What was stored before each compaction, and the summary that the host wrote after it, if it tells.') : null,
    await pagedList({
      label: 'Entries, the latest first',
      empty: isCompactions ? 'This session was not compacted.' : 'Nothing is stored of this session.',
      load: (before) => get('stored', { key, filter, before }, signal),
      row: entryRow,
    }));
}

/** An entry of a list. @param {any} one */
export function entryRow(one) {
  return h('li', { class: 'row' }, h('a', { href: toEntry(one.ref) }, one.title || one.source || one.ref),
    meta(chip(one.what), counted(one.lines, 'line'), time(one.created, one.age), one.source ? h('span', { class: 'path' }, one.source) : null));
}
