// A workspace of a server: who has a token for it, and what was done with each.

import { chip, count, h, hint, replace, signed, time } from './dom.js';
import { table } from './chart.js';
import { get, keep, keptProject } from './data.js';

/** @param {import('./app.js').Visit} visit */
export async function show({ place, signal }) {
  const data = await get('team', {}, signal);
  const rows = data.members.map((/** @type {any} */ one) => [
    h('span', {}, one.name, ' ', one.is_viewer ? chip('you', 'good') : null),
    one.rights, h('span', {}, one.state, one.expires ? [', until ', time(one.expires)] : null),
    count(one.sessions), one.last_used ? time(one.last_used, one.age) : 'never', count(one.notes), count(one.answers), signed(one.saved_tokens)]);
  replace(place,
    h('h1', {}, data.workspace ? `Team: ${data.workspace}` : 'Team'),
    hint('The tokens that lead to this workspace. Sessions, notes and savings are those of the project below; a note counts for the token that has its author\u2019s name.'),
    project(),
    table('Tokens', ['Token', 'Rights', 'State', 'Sessions', 'Last used', 'Notes', 'Answers', 'Saved tokens'], rows),
    data.is_bounded ? hint('Only the latest 500 sessions and 5,000 notes are counted.') : null,
    h('p', { class: 'actions' }, h('button', { type: 'button', onclick: () => { keep('token', ''); location.reload(); } }, 'Forget the token')));
  return 'Team';
}

/** Which project of the workspace the pages show. */
function project() {
  const field = /** @type {HTMLInputElement} */ (h('input', { name: 'project', value: keptProject(), placeholder: 'the server\u2019s own' }));
  return h('form', {
    class: 'ask',
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      keep('project', field.value.trim());
      dispatchEvent(new Event('hashchange'));
    },
  }, h('label', { class: 'field' }, h('span', {}, 'Project'), field), h('button', {}, 'Show'));
}
