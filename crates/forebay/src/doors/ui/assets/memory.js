// What is remembered: notes by topic with what they replaced and contradict, and indexed sources.

import { chip, counted, h, hint, linked, meta, replace, size, tabs, time, to, toEntry } from './dom.js';
import { keepButton, noteActions } from './change.js';
import { fail, get, mayChange, pagedList } from './data.js';

const VIEWS = [['', 'Notes'], ['pinned', 'Pinned'], ['conflicts', 'Conflicts'], ['sources', 'Sources']];

/** @param {import('./app.js').Visit} visit */
export async function show({ place, fields, signal }) {
  const view = fields.get('view') ?? '';
  const body = h('section', { class: 'body' });
  replace(place, h('h1', {}, 'Memory'),
    tabs('Views of the memory', VIEWS.map(([name, text]) => ({ text, href: to('memory', { view: name }), current: name === view }))), body);
  try {
    replace(body, ...(view === 'sources' ? await sources(signal) : await notes(view, signal)));
  } catch (error) {
    fail(body, error);
  }
  return 'Memory';
}

/** @type {Record<string, string>} */
const EMPTY = {
  '': 'No notes yet. Agents write them with ctx_annotate, people with forebay note.',
  pinned: 'No note is pinned. forebay pin REF pins one.',
  conflicts: 'No note contradicts another one.',
};

/** @param {string} only @param {AbortSignal} signal */
async function notes(only, signal) {
  const canChange = await mayChange();
  let topic = /** @type {string | null | undefined} */ (undefined);
  /** Two notes that contradict each other are one row, not one for each. @type {Set<string>} */
  const pairs = new Set();
  const list = await pagedList({
    label: 'Notes by topic',
    empty: EMPTY[only] ?? '',
    load: (page) => get('notes', { only, page }, signal),
    row: (note) => {
      if (only === 'conflicts' && note.conflicts_with) {
        const pair = [note.ref, note.conflicts_with.ref].sort().join();
        if (pairs.has(pair)) return [];
        pairs.add(pair);
      }
      const isNew = note.topic !== topic;
      topic = note.topic;
      return [...(isNew ? [h('li', { class: 'topic' }, h('h2', {}, note.topic ?? 'Without a topic'))] : []), noteRow(note, canChange)];
    },
  });
  return [list];
}

/** @param {any} note @param {boolean} canChange */
function noteRow(note, canChange) {
  const [first] = note.text.trim().split('\n', 1);
  return h('li', { class: 'row note' },
    h('a', { href: toEntry(note.ref) }, first || note.title || note.ref),
    meta(chip(note.what), note.pinned ? chip('pinned', 'good') : null, note.personal ? chip('personal') : null,
      time(note.created, note.age), note.author ? `by ${note.author}` : null, note.branch ? `branch ${note.branch}` : null),
    note.text.trim() === first ? null : h('div', { class: 'said' }, ...linked(note.text)),
    noteFacts(note, canChange),
    canChange ? noteActions(note) : null);
}

/** What a note replaced, what replaced it, and what may contradict it. @param {any} note @param {boolean} canChange */
export function noteFacts(note, canChange) {
  const replaced = note.replaced?.length
    ? h('details', {}, h('summary', {}, `replaced ${counted(note.replaced.length, 'older note')}`),
      h('ol', { class: 'chain' }, note.replaced.map((/** @type {any} */ older) => h('li', {},
        h('a', { href: toEntry(older.ref) }, time(older.created)), ' ', h('span', { class: 'said' }, ...linked(older.text))))))
    : null;
  const newer = note.replaced_by ? h('p', { class: 'notice' }, 'Replaced by ', h('a', { href: toEntry(note.replaced_by) }, `[ctx:${note.replaced_by}]`)) : null;
  const other = note.conflicts_with;
  const conflict = other
    ? h('div', { class: 'conflict' }, h('p', {}, h('strong', {}, 'These two may contradict each other')),
      h('div', { class: 'beside' },
        side(note, canChange ? keepButton(note.ref, other.ref) : null), side(other, canChange ? keepButton(other.ref, note.ref) : null)),
      canChange ? null : hint('To keep one, start forebay ui --write.'))
    : null;
  return newer || conflict || replaced ? h('div', { class: 'facts' }, newer, conflict, replaced) : null;
}

/** @param {any} note @param {HTMLElement | null} action */
function side(note, action) {
  return h('div', { class: 'card' }, meta(h('a', { href: toEntry(note.ref) }, `[ctx:${note.ref}]`), time(note.created, note.age), note.author || null),
    h('div', { class: 'said' }, ...linked(note.text)), action);
}

/** @param {AbortSignal} signal */
async function sources(signal) {
  const list = await pagedList({
    label: 'Sources by name',
    empty: 'Nothing is indexed. forebay index PATH and forebay fetch URL add sources.',
    load: (page) => get('sources', { page }, signal),
    row: (source) => h('li', { class: 'row' },
      h('a', { href: to('search', { q: `source:"${source.name}"` }) }, source.name),
      meta(chip(source.kind), counted(source.entries, 'entry', 'entries'), size(source.bytes), `indexed ${source.indexed}`,
        `checked ${source.checked}`,
        source.expires == null ? null : source.is_expired ? chip('expired', 'warn') : h('span', {}, 'fresh until ', time(source.expires)),
        source.path && source.path !== source.name ? h('span', { class: 'path' }, source.path) : null)),
  });
  return [list];
}
