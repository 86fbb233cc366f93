// Reads data from the server. The cookie says who asks.

import { h, replace } from './dom.js';

/** What the server says is wrong, and what to do. */
export class Problem extends Error {
  /** @param {string} message @param {string} [hint] */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** The page is that of a server, which wants a token. */
export class NeedsToken extends Problem {}

/** Where the tab keeps what the user gave it; a browser that stores nothing asks again. */
const KEPT = ['token', 'project'];

/** @param {string} name */
function kept(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a token or a project for this tab; an empty one is forgotten. @param {string} name @param {string} value */
export function keep(name, value) {
  if (!KEPT.includes(name)) return;
  known = undefined;
  if (value) sessionStorage.setItem(name, value);
  else sessionStorage.removeItem(name);
}

export const keptProject = () => kept('project') ?? '';

/** @returns {Record<string, string>} */
function headers() {
  const [token, project] = KEPT.map(kept);
  return { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(project ? { 'forebay-project': project } : {}) };
}

/**
 * Asks the server; the cookie or the token says who asks.
 * @param {string} path @param {AbortSignal} [signal] @returns {Promise<Response>}
 */
export async function ask(path, signal) {
  let response;
  try {
    response = await fetch(path, { signal, credentials: 'same-origin', headers: headers() });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem('the dashboard does not answer', 'start it again: forebay ui');
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  const wantsToken = response.status === 401 && response.headers.get('www-authenticate')?.startsWith('Bearer');
  throw new (wantsToken ? NeedsToken : Problem)(body.error ?? `status ${response.status}`, body.hint);
}

/**
 * Follows server-sent events: the browser's own reader cannot send a token. Goes on where it stopped.
 * @param {string} path
 * @param {{ open: () => void, lost: () => void, data: (data: any) => void, problem: (data: any) => void }} to
 * @param {AbortSignal} signal
 */
export async function follow(path, to, signal) {
  let position = '';
  while (!signal.aborted) {
    try {
      const response = await ask(position ? `${path}?after=${encodeURIComponent(position)}` : path, signal);
      to.open();
      const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        text += piece.value;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const fields = Object.fromEntries(event.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
          if (fields.data == null) continue;
          if (fields.event === 'problem') to.problem(JSON.parse(fields.data));
          else to.data(JSON.parse(fields.data));
          position = fields.id ?? position;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NeedsToken) throw error;
    }
    to.lost();
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
  }
}

/**
 * @param {string} view
 * @param {Record<string, string | number | null | undefined>} [fields]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(view, fields, signal) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value != null && value !== '') query.set(key, String(value));
  }
  return (await ask(`api/${view}?${query}`, signal)).json();
}

/** @type {Promise<{ csrf_token: string | null, is_server: boolean }> | undefined} */
let known;

/** What this page may do, and where it is. */
export function access() {
  known ??= get('access').catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** The token for changes; null if the dashboard only reads. */
const changeToken = async () => (await access()).csrf_token;

/** Whether changes are possible: forebay ui --write. */
export const mayChange = async () => (await changeToken()) !== null;

/**
 * Previews a change, or makes it if `change.confirm` is given.
 * @param {Record<string, string | number | boolean>} change
 * @returns {Promise<any>}
 */
export async function post(change) {
  let response;
  try {
    response = await fetch('api/change', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json', 'x-forebay-csrf-token': (await changeToken()) ?? '' },
      body: JSON.stringify(change),
    });
  } catch {
    throw new Problem('the dashboard does not answer', 'start it again: forebay ui --write');
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(body.error ?? `status ${response.status}`, body.hint);
  return body;
}

/**
 * Shows an error in a place.
 * @param {Element} place
 * @param {unknown} error
 */
export function fail(place, error) {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  const problem = error instanceof Problem ? error : new Problem(String(error));
  replace(place, h('div', { class: 'problem', role: 'alert' },
    h('p', {}, problem.message), problem.hint ? h('p', { class: 'hint' }, problem.hint) : null));
}

/**
 * A list that the server pages: its first page, and a button for each next one.
 * @param {{ load: (next: any) => Promise<{ items: any[], next: any }>, row: (item: any) => Node | Node[],
 *   empty: string, label: string, first?: any }} options
 * @returns {Promise<HTMLElement>}
 */
export async function pagedList({ load, row, empty, label, first }) {
  const list = h('ul', { class: 'list', 'aria-label': label });
  const place = h('div', {}, list);
  const more = h('button', { type: 'button', class: 'more' }, 'Show more');
  /** @param {any} next */
  async function add(next) {
    const page = await load(next);
    const rows = page.items.map(row).flat();
    list.append(...rows);
    more.remove();
    if (page.next != null) {
      place.append(more);
      more.onclick = async () => {
        more.setAttribute('disabled', '');
        try {
          const last = list.lastElementChild;
          await add(page.next);
          const added = last?.nextElementSibling?.querySelector('a, button');
          if (added instanceof HTMLElement) added.focus();
        } catch (error) {
          const problem = h('div');
          fail(problem, error);
          place.append(problem);
        }
        more.removeAttribute('disabled');
      };
    }
    return rows.length;
  }
  const number = await add(first ?? null);
  if (number === 0) replace(place, h('p', { class: 'empty' }, empty));
  return place;
}
