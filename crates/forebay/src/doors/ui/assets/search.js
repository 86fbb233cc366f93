// Search over everything that is stored, as ctx_search answers it.

import { chip, counted, h, hint, meta, replace, select, to, toEntry } from './dom.js';
import { fail, get, pagedList } from './data.js';

/** @param {import('./app.js').Visit} visit */
export async function show({ place, fields, signal }) {
  const query = fields.get('q') ?? '';
  const results = h('div', { class: 'results' });
  const field = h('input', {
    type: 'search', name: 'q', value: query, autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Search for',
    placeholder: 'words, "exact phrase", -not, kind:note, after:2d',
  });
  const form = h('form', { class: 'ask', role: 'search', onsubmit: submit }, field,
    select('Kind', 'kind', fields.get('kind') ?? '', [['', 'everything'], ['run', 'runs'], ['capture', 'captured results'],
      ['note', 'notes'], ['source', 'sources'], ['page', 'pages'], ['turn', 'imported turns']]),
    select('Scope', 'scope', fields.get('scope') ?? '', [['', 'this project'], ['branch', 'this branch'], ['all', 'all projects']]),
    select('Order', 'sort', fields.get('sort') ?? '', [['', 'best first'], ['newest', 'newest first'], ['oldest', 'oldest first']]),
    h('button', {}, 'Search'));
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (form));
    const address = to('search', Object.fromEntries([...data].map(([key, value]) => [key, String(value)])));
    if (address === location.hash) run();
    else location.hash = address;
  }
  async function run() {
    if (!query.trim()) {
      replace(results, hint('Everything that was stored can be found: output of commands, results of tools, notes, indexed sources and imported conversations.'));
      return;
    }
    try {
      await find();
    } catch (error) {
      fail(results, error);
    }
  }
  async function find() {
    const head = h('div', { class: 'about' });
    const list = await pagedList({
      label: 'Hits',
      empty: 'Nothing found. Try other words, or all projects.',
      load: async (page) => {
        const answer = await get('search', { q: query, kind: fields.get('kind'), scope: fields.get('scope'), sort: fields.get('sort'), page }, signal);
        if (page == null) replace(head, ...about(answer));
        return { items: answer.hits, next: answer.next };
      },
      row: (hit) => row(hit, fields.get('scope') === 'all'),
    });
    replace(results, head, list);
  }
  replace(place, h('h1', {}, 'Search'), form, results);
  for (const choice of form.querySelectorAll('select')) choice.addEventListener('change', submit);
  if (!query) field.focus();
  await run();
  return query ? `${query} · Search` : 'Search';
}

/** @param {any} answer */
function about(answer) {
  const corrected = (answer.corrected ?? []).map((/** @type {[string, string[]]} */ [word, read]) =>
    hint(`“${word}” read as ${read.join(', ')}`));
  const events = answer.events?.length
    ? h('details', {}, h('summary', {}, counted(answer.events.length, 'event')),
      h('ul', { class: 'plain' }, answer.events.map((/** @type {string} */ text) => h('li', {}, text))))
    : null;
  return [...corrected, answer.embedder ? hint(answer.embedder) : null, events, answer.hits.length ? legend() : null];
}

/** @param {any} hit @param {boolean} isElsewhere */
function row(hit, isElsewhere) {
  const lines = hit.lines[0] === hit.lines[1] ? `line ${hit.lines[0]}` : `lines ${hit.lines[0]}–${hit.lines[1]}`;
  return h('li', { class: 'row' },
    h('a', { href: toEntry(hit.ref, { from: hit.lines[0] > 1 ? hit.lines[0] : null }) }, hit.title || hit.source || hit.ref),
    meta(chip(hit.kind), lines, h('span', {}, hit.age),
      hit.source && hit.source !== hit.title ? h('span', { class: 'path' }, hit.source) : null,
      hit.alike ? `${hit.alike} more alike` : null,
      hit.may_conflict_with ? chip('may conflict', 'warn') : null,
      isElsewhere ? 'perhaps of another project' : null),
    h('pre', { class: 'excerpt' }, ...marked(excerpt(hit.text, hit.matched), hit.matched)),
    why(hit));
}

/** The terms of a score: name on the page, and what it says. @type {Record<string, [string, string]>} */
const TERMS = {
  words: ['words', 'how rare the matching words are, how often they occur and how short the passage is (BM25), compared with the other candidates'],
  similarity: ['meaning', 'how near the passage is in meaning (embeddings), compared with the other candidates'],
  learned: ['learned', 'what the learned reranker adds (search.reranker)'],
  title: ['title', 'which share of the words the title of a source has'],
  coverage: ['coverage', 'which share of the words the passage has'],
  adjacency: ['adjacent', 'words that stand next to each other as in the query'],
  exact: ['exact', 'words in the very form of the query; it weighs most for a query of one word'],
  recency: ['recent', 'how new it is: outputs halve every 7 days, imported turns every 30, notes and pages every 90'],
  note: ['note', 'a bonus for notes, which were written on purpose'],
};

/** The score as a sum. @param {any} hit */
function why(hit) {
  const terms = Object.entries(TERMS).filter(([name]) => hit.score_terms?.[name] != null)
    .map(([name, [text, title]]) => [h('span', { class: 'term', title }, `${text} ${hit.score_terms[name].toFixed(3).replace('-', '\u2212')}`)]);
  const sum = terms.flatMap((term, index) => (index ? [' + ', ...term] : term));
  return h('p', { class: 'why' }, `score ${Number(hit.score).toFixed(3)} = `, ...sum, hit.matched?.length ? ` · matched ${hit.matched.join(', ')}` : '');
}

/** What each term says. */
const legend = () => h('details', { class: 'legend-of-terms' }, h('summary', {}, 'How scores are made'),
  h('p', { class: 'hint' }, 'A score is a sum, and comparable within one search only. Hits are in the order of their scores, except that a document does not fill the page, near duplicates are folded, and the newer of two notes that contradict each other comes first.'),
  h('dl', { class: 'terms' }, Object.values(TERMS).map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, text)))));

const EXCERPT_LINES = 6;

/**
 * The lines around the first match.
 * @param {string} text
 * @param {string[]} matched
 */
function excerpt(text, matched) {
  const lines = text.split('\n');
  const low = (matched ?? []).map((word) => word.toLowerCase());
  const first = lines.findIndex((line) => low.some((word) => line.toLowerCase().includes(word)));
  const start = Math.max(0, Math.min(first - 2, lines.length - EXCERPT_LINES));
  return lines.slice(start, start + EXCERPT_LINES).map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line)).join('\n');
}

/**
 * Text with the matched words marked.
 * @param {string} text
 * @param {string[]} matched
 */
function marked(text, matched) {
  const words = (matched ?? []).filter((word) => word.length > 1).slice(0, 20).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!words.length) return [text];
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'gi'));
  return parts.map((part, index) => (index % 2 ? h('mark', {}, part) : part));
}
