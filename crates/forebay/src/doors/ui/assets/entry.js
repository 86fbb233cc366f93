// An entry: its text with line numbers and colours, its digest beside it, or its JSON as a tree.

import { announce, chip, count, counted, h, hint, linked, meta, replace, size, tabs, time, to, toEntry } from './dom.js';
import { noteActions, purgeButton, reportButton, unreportButton } from './change.js';
import { ask, fail, get, mayChange } from './data.js';
import { noteFacts } from './memory.js';

/** @param {import('./app.js').Visit} visit */
export async function show({ place, path, fields, signal }) {
  const ref = path[0] ?? '';
  const [entry, canChange] = await Promise.all([get('entry', { ref }, signal), mayChange()]);
  const hasDigest = entry.kind === 'run' || entry.kind === 'capture' || entry.kind === 'page' || entry.kind === 'source';
  const view = fields.get('view') ?? (entry.image ? 'image' : 'text');
  const views = [...(entry.image ? [['image', 'Image']] : []), ['text', 'Text'], ...(entry.language ? [['skeleton', 'Skeleton']] : []), ...(hasDigest ? [['digest', 'Digest and why']] : []), ...(entry.is_json ? [['json', 'JSON']] : [])];
  const body = h('section', { class: 'body' });
  replace(place,
    h('h1', { class: 'title' }, entry.title || entry.ref),
    meta(chip(entry.what, entry.run && !entry.run.succeeded ? 'bad' : ''),
      counted(entry.lines, 'line'), size(entry.bytes), time(entry.created, entry.age),
      entry.branch ? `branch ${entry.branch}` : null,
      entry.source ? h('span', { class: 'path' }, entry.source) : null,
      h('a', { href: to('session', { key: entry.session }) }, `session ${entry.session}`)),
    h('p', { class: 'actions' }, h('code', {}, `[ctx:${entry.ref}]`),
      copyButton(entry.ref, 'Copy reference'),
      canChange && !entry.note ? purgeButton(entry.ref, leave) : null),
    entry.note ? noteFacts(entry.note, canChange) : null,
    entry.note && canChange ? noteActions(entry.note, leave) : null,
    views.length > 1 ? tabs('Views of the entry', views.map(([name, text]) => ({ text, href: toEntry(ref, { view: name }), current: name === view }))) : null,
    body);
  try {
    if (view === 'digest') await digest(body, ref, canChange, signal);
    else if (view === 'json') await json(body, ref, signal);
    else if (view === 'image' && entry.image) await image(body, entry, signal);
    else if (view === 'skeleton') await skeleton(body, ref, fields.get('from') ?? '1', entry, signal);
    else await text(body, ref, fields.get('from') ?? '1', entry, signal);
  } catch (error) {
    fail(body, error);
  }
  return entry.title || entry.ref;
}

/** A deleted entry has no page. */
const leave = () => { location.hash = '#/search'; };

/** @param {Element} place @param {any} entry @param {AbortSignal} signal */
async function image(place, entry, signal) {
  const { media_type: kind, width, height, size: bytes } = entry.image;
  const failed = hint('The browser cannot draw this image; its bytes may be damaged.');
  failed.hidden = true;
  const picture = h('img', { class: 'picture', width, height, alt: `The stored image: ${entry.title}`, onerror: () => { failed.hidden = false; } });
  replace(place, hint(`${kind}, ${width} × ${height}, ${bytes}`),
    picture, failed);
  const blob = await (await ask(`image/${encodeURIComponent(entry.ref)}`, signal)).blob();
  const address = URL.createObjectURL(blob);
  signal.addEventListener('abort', () => URL.revokeObjectURL(address));
  picture.setAttribute('src', address);
}

/**
 * The definitions of a source beside it.
 * @param {Element} place @param {string} ref @param {string} from @param {any} entry @param {AbortSignal} signal
 */
async function skeleton(place, ref, from, entry, signal) {
  const data = await get('skeleton', { ref }, signal);
  const source = h('div');
  const symbols = data.symbols.map((/** @type {any} */ one) => h('li', {},
    h('a', { href: toEntry(ref, { view: 'skeleton', from: one.line }) }, one.name), ` ${one.kind}`));
  replace(place,
    data.remark ? h('p', { class: 'notice' }, data.remark) : null,
    symbols.length ? h('details', {}, h('summary', {}, counted(symbols.length, 'definition')), h('ul', { class: 'symbols' }, symbols)) : null,
    h('div', { class: 'beside' },
      h('section', { 'aria-labelledby': 'skeleton-title' }, h('h2', { id: 'skeleton-title' }, `Skeleton, ${data.language}`),
        h('pre', { class: 'text skeleton', role: 'region', 'aria-label': 'Skeleton', tabindex: '0' }, data.lines.join('\n')),
        data.has_more ? hint('The skeleton goes on; only its start is shown.') : null),
      h('section', { 'aria-labelledby': 'source-title' }, h('h2', { id: 'source-title' }, 'Source'), source)));
  await text(source, ref, from, entry, signal, 'skeleton');
}

/** @param {string} ref @param {string} text */
export function copyButton(ref, text) {
  const reference = `[ctx:${ref}]`;
  return h('button', { type: 'button', class: 'copy', 'aria-label': `${text} ${reference}`, onclick: () => copy(reference) }, text);
}

/** @param {string} reference */
async function copy(reference) {
  try {
    await navigator.clipboard.writeText(reference);
    announce(`copied ${reference}`);
  } catch {
    announce('the browser does not allow to copy');
  }
}

/**
 * @param {Element} place @param {string} ref @param {string} from @param {any} entry @param {AbortSignal} signal
 * @param {string} [view]
 */
async function text(place, ref, from, entry, signal, view) {
  if (entry.lines === 0) {
    replace(place, h('p', { class: 'empty' }, 'This entry is empty.'));
    return;
  }
  const lines = h('div', { class: 'text', role: 'region', 'aria-label': 'Text', tabindex: '0' });
  const first = Number.parseInt(from, 10);
  const earlier = first > 1
    ? h('a', { class: 'more', href: toEntry(ref, { view, from: Math.max(1, first - 200) }) }, 'Earlier lines') : null;
  const later = h('button', { type: 'button', class: 'more' }, 'More lines');
  /** @param {string} at */
  async function add(at) {
    const page = await get('lines', { ref, from: at }, signal);
    lines.append(...page.lines.map((/** @type {any} */ one) => line(one, ref)));
    later.remove();
    if (page.next) {
      place.append(later);
      later.onclick = () => add(page.next).catch((error) => fail(later, error));
    }
  }
  replace(place, jump(ref, entry.lines, view), earlier, lines);
  await add(from);
}

/** @param {string} ref @param {number} total @param {string} [view] */
function jump(ref, total, view) {
  if (total <= 300) return null;
  const field = h('input', { type: 'number', name: 'line', min: '1', max: total, placeholder: '1', 'aria-label': 'Line' });
  return h('form', {
    class: 'jump',
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      location.hash = toEntry(ref, { view, from: Math.min(total, Math.max(1, Number(/** @type {HTMLInputElement} */ (field).value) || 1)) });
    },
  }, h('label', {}, 'Line ', field, ` of ${count(total)}`), h('button', {}, 'Go'));
}

/**
 * A line with its number; pieces have styles. A long line goes on with a click.
 * @param {any} one
 * @param {string} ref
 * @returns {HTMLElement}
 */
function line(one, ref) {
  const content = h('code', {}, one.text.map((/** @type {[string, string]} */ [text, style]) => (style ? h('span', { class: style }, text) : text)));
  const row = h('div', { class: 'line' }, h('span', { class: 'n', 'data-n': one.n }), content);
  if (one.rest) {
    const more = h('button', {
      type: 'button', class: 'rest',
      onclick: async () => {
        try {
          const page = await get('lines', { ref, from: one.rest.from });
          const next = page.lines[0];
          if (next) row.replaceWith(row, ...[line(next, ref)]);
          more.remove();
        } catch (error) {
          fail(more, error);
        }
      },
    }, `${size(one.rest.bytes)} more of this line`);
    content.append(more);
  }
  return row;
}

/** @param {Element} place @param {string} ref @param {boolean} canChange @param {AbortSignal} signal */
async function digest(place, ref, canChange, signal) {
  const data = await get('explained', { ref }, signal);
  const left = data.is_verbatim
    ? h('div', { class: 'text' }, hint('The whole text fits the budget, so it is shown as it is.'))
    : h('ol', { class: 'reasons' }, data.rows.map((/** @type {any} */ row) => h('li', {},
      h('code', {}, row.text), row.why ? h('span', { class: 'why' }, row.why) : null)));
  replace(place,
    h('p', { class: 'hint' }, `The digest has about ${counted(data.digest_tokens, 'token')}; the host would have shown ${count(data.host_tokens)} of ${count(data.raw_tokens)} (4 bytes are a token).`),
    h('ul', { class: 'whys' }, whys(data).map((why) => h('li', {}, why))),
    reported(data.needed, ref, canChange),
    data.is_as_delivered ? null : h('p', { class: 'notice' },
      'This digest is made anew, with the settings of now. It differs from what the model got, which is shown below: the intent, the budget or the version was another.'),
    h('div', { class: 'beside' },
      h('section', { 'aria-labelledby': 'digest-title' }, h('h2', { id: 'digest-title' }, 'Digest, with the reason for each line'), left),
      h('section', { 'aria-labelledby': 'raw-title' }, h('h2', { id: 'raw-title' }, 'Text: kept and left out'), ranges(data.ranges, ref, signal))),
    data.is_as_delivered ? null : h('section', { 'aria-labelledby': 'delivered-title' },
      h('h2', { id: 'delivered-title' }, 'What the model got'), h('pre', { class: 'quote' }, ...linked(data.digest))));
}

/** Why this recognizer, and why this size. @param {any} data @returns {string[]} */
function whys(data) {
  const names = data.recognizers.join(', ');
  const by = data.command ? 'its command, its first lines or words in it' : 'its first lines or words in it';
  const recognizer = names
    ? `Recognizer: ${names}, found by ${by}.`
    : `Recognizer: none claims the text by ${by}, so the lines that say most are quoted.`;
  return data.is_verbatim
    ? [`Size: texts up to ${counted(data.verbatim_tokens, 'token')} are shown whole (digest.verbatim).`]
    : [recognizer, `Size: facts first, then the lines that say most, within a budget of ${counted(data.budget_tokens, 'token')} (digest.budget).`];
}

/** @param {string[] | null} needed @param {string} ref @param {boolean} canChange */
function reported(needed, ref, canChange) {
  if (needed) {
    return h('div', { class: 'notice' }, h('p', {}, 'You reported that this digest hides:'), h('pre', {}, needed.join('\n')),
      hint('forebay digest --check tells whether digests of this text show it.'), canChange ? unreportButton(ref) : null);
  }
  return canChange ? h('p', { class: 'actions' }, reportButton(ref)) : hint('Something was hidden that you needed? forebay ui --write can keep this as a sample.');
}

/**
 * Raw lines: kept ones shown, left out ones folded.
 * @param {any[]} list @param {string} ref @param {AbortSignal} signal
 */
function ranges(list, ref, signal) {
  const place = h('div', { class: 'text raw', role: 'region', 'aria-label': 'Text with what is left out', tabindex: '0' });
  for (const range of list) {
    if (range.kept) {
      const rows = range.kept.map((/** @type {any} */ one) => line(one, ref));
      rows.forEach((/** @type {Element} */ row) => row.classList.add('kept'));
      place.append(...rows);
      if (range.rest) place.append(folded(range.rest, range.last, 'more kept lines', ref, signal));
    } else {
      place.append(folded(range.first, range.last, 'left out', ref, signal));
    }
  }
  return place;
}

/**
 * @param {number} first @param {number} last @param {string} what @param {string} ref @param {AbortSignal} signal
 */
function folded(first, last, what, ref, signal) {
  const body = h('div');
  let next = /** @type {string | null} */ (String(first));
  async function load() {
    if (next == null) return;
    const page = await get('lines', { ref, from: next }, signal);
    const shown = page.lines.filter((/** @type {any} */ one) => one.n <= last);
    next = shown.length < page.lines.length || !page.next || Number.parseInt(page.next, 10) > last ? null : page.next;
    body.append(...shown.map((/** @type {any} */ one) => line(one, ref)));
    if (next) {
      const more = h('button', { type: 'button', class: 'rest', onclick: () => { more.remove(); load(); } }, 'more of them');
      body.append(more);
    }
  }
  const number = last - first + 1;
  const details = h('details', { class: 'gap' },
    h('summary', {}, number === 1 ? `line ${count(first)}: ${what}` : `lines ${count(first)}–${count(last)}: ${what}`), body);
  details.addEventListener('toggle', () => { load().catch((error) => fail(body, error)); }, { once: true });
  return details;
}

/** @param {Element} place @param {string} ref @param {AbortSignal} signal */
async function json(place, ref, signal) {
  const tree = h('ul', { class: 'json' });
  await members(tree, ref, '', 0, signal);
  replace(place, tree);
}

/**
 * @param {Element} list @param {string} ref @param {string} pointer @param {number} page @param {AbortSignal} signal
 */
async function members(list, ref, pointer, page, signal) {
  const data = await get('json', { ref, pointer, page }, signal);
  for (const member of data.members) list.append(node(member, ref, signal));
  if (data.next != null) {
    const more = h('li', {}, h('button', {
      type: 'button', class: 'rest',
      onclick: () => { more.remove(); members(list, ref, pointer, data.next, signal).catch((error) => fail(list, error)); },
    }, `more of ${count(data.total)}`));
    list.append(more);
  }
}

/** @param {any} member @param {string} ref @param {AbortSignal} signal */
function node(member, ref, signal) {
  const key = h('span', { class: 'key' }, member.key);
  if (member.pointer == null) {
    return h('li', {}, key, ': ', h('code', { class: member.kind }, member.kind === 'string' ? `"${member.text}"` : member.text));
  }
  const list = h('ul', { class: 'json' });
  const many = member.kind === 'array' ? counted(member.count, 'item') : counted(member.count, 'key');
  const details = h('details', {}, h('summary', {}, key, h('span', { class: 'hint' }, ` ${member.kind === 'array' ? '[…]' : '{…}'} ${many}`)), list);
  details.addEventListener('toggle', () => { members(list, ref, member.pointer, 0, signal).catch((error) => fail(list, error)); }, { once: true });
  return h('li', {}, details);
}
