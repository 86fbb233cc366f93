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
  let response;
  try {
    response = await fetch(`api/${view}?${query}`, { signal, credentials: 'same-origin' });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem('the dashboard does not answer', 'start it again: forebay ui');
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(body.error ?? `status ${response.status}`, body.hint);
  return body;
}

/** @type {Promise<string | null> | undefined} */
let csrfToken;

/** The token for changes; null if the dashboard only reads. */
function changeToken() {
  csrfToken ??= get('access').then((access) => access.csrf_token, (error) => {
    csrfToken = undefined;
    throw error;
  });
  return csrfToken;
}

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
