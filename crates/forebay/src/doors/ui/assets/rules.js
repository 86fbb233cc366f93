// The permission rules in force, a box that shows how a call is parsed and judged, and what isolation does here.

import { chip, counted, h, hint, replace, select } from './dom.js';
import { fail, get } from './data.js';
import { table } from './chart.js';

/** @type {Record<string, string>} */
const KIND = { deny: 'bad', ask: 'warn', allow: 'good' };

/** @param {import('./app.js').Visit} visit */
export async function show({ place, signal }) {
  const verdict = h('div', { class: 'verdict', role: 'status' });
  const input = h('input', { name: 'input', type: 'text', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Command, path or URL', placeholder: 'git push --force && rm -rf build' });
  const form = h('form', {
    class: 'ask',
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      const data = new FormData(/** @type {HTMLFormElement} */ (form));
      try {
        const fields = Object.fromEntries([...data].map(([key, value]) => [key, String(value)]));
        replace(verdict, ...judged(await get('judge', fields, signal)));
      } catch (error) {
        fail(verdict, error);
      }
    },
  }, input,
  select('Tool', 'tool', 'Bash', [['Bash', 'Bash'], ['Read', 'Read'], ['Edit', 'Edit'], ['Write', 'Write'], ['WebFetch', 'WebFetch']]),
  select('Mode', 'mode', '', [['', "Forebay's own"], ['default', 'default'], ['acceptEdits', 'acceptEdits'], ['plan', 'plan'], ['dontAsk', 'dontAsk'], ['bypassPermissions', 'bypassPermissions']]),
  h('button', {}, 'Judge'));
  const list = h('div');
  const tested = h('div', { role: 'status' }, hint('Trying what a run could do\u2026'));
  replace(place, h('h1', {}, 'Rules'), h('h2', {}, 'Try a call'), hint('Nothing runs: the call is only parsed and judged.'), form, verdict, list,
    h('section', { 'aria-labelledby': 'isolation' }, h('h2', { id: 'isolation' }, 'Isolation of what Forebay runs'), tested));
  // It starts processes, so the rules do not wait for it.
  get('isolation', {}, signal).then((data) => replace(tested, isolated(data)), (error) => { if (!signal.aborted) fail(tested, error); });
  try {
    replace(list, ...listed(await get('rules', {}, signal)));
  } catch (error) {
    fail(list, error);
  }
  return 'Rules';
}

/** @param {any} data */
function judged(data) {
  const rule = data.rule ? h('p', {}, 'by the rule ', h('code', {}, data.rule), ` (${data.scope})`) : null;
  return [h('p', { class: 'decision' }, chip(data.verdict, KIND[data.verdict]), ' ', data.reason), rule, data.parsed ? parsed(data.parsed) : null];
}

/** @param {any} data */
function parsed(data) {
  const commands = data.commands.map((/** @type {any} */ command) => h('li', {},
    command.piped ? h('span', { class: 'hint' }, 'from the pipe: ') : null,
    command.assignments.map((/** @type {string} */ text) => h('code', { class: 'word assignment' }, text)),
    command.words.map((/** @type {string} */ text) => h('code', { class: 'word' }, text)),
    command.redirects.map((/** @type {any} */ one) => h('span', { class: 'hint' }, ` ${one.kind} `, h('code', { class: 'word' }, one.target)))));
  return h('div', { class: 'card' },
    h('h3', {}, `${counted(data.total, 'command')}${data.total > data.commands.length ? `, the first ${data.commands.length} are shown` : ''}`),
    h('ol', { class: 'commands' }, commands),
    data.programs.length ? h('p', { class: 'hint' }, `Programs that run, also through others: ${data.programs.join(', ')}`) : null,
    data.doubts.map((/** @type {string} */ text) => h('p', { class: 'notice' }, `Only known when it runs: ${text}`)),
    data.broken ? h('p', { class: 'notice' }, `Not parsed to its end: ${data.broken}`) : null);
}

/** @type {Record<string, string>} */
const ESCAPE = { blocked: 'good', POSSIBLE: 'bad', unknown: 'warn' };

/** What a run can do here, by profile. @param {any} data */
function isolated({ profile, checks, escapes }) {
  /** @param {string} name @param {string} result */
  const cell = (name, result) => (name === profile ? chip(result, ESCAPE[result]) : h('span', { class: 'hint' }, result));
  return [
    checks.map((/** @type {any} */ check) => h('p', {}, chip(check.name, check.state === 'ok' ? 'good' : check.state === 'note' ? 'warn' : 'bad'), ' ', check.finding)),
    escapes.length ? table('What a run tries', ['A run tries to', `project${profile === 'project' ? ', in force' : ''}`, `strict${profile === 'strict' ? ', in force' : ''}`],
      escapes.map((/** @type {any} */ one) => [one.escape, cell('project', one.project), cell('strict', one.strict)])) : null,
    hint('Found out just now by trying each, in a temporary folder. isolation.profile chooses the profile; what an agent runs with its own tools is not isolated by Forebay.'),
  ].flat();
}

/** @param {any} data */
function listed(data) {
  const rows = data.rules.map((/** @type {any} */ rule) => h('tr', {},
    h('td', {}, chip(rule.list, KIND[rule.list])), h('td', {}, h('code', {}, rule.rule)), h('td', {}, rule.origin), h('td', { class: 'path' }, rule.file)));
  return [
    h('h2', {}, data.total ? counted(data.total, 'rule') : 'No rules'),
    hint(`A deny in any file wins over ask, and ask over allow. A command that no rule matches ${data.unmatched === 'run' ? 'runs' : `is: ${data.unmatched}`} here.`),
    data.managed_only ? h('p', { class: 'notice' }, 'Only managed rules apply here.') : null,
    data.trusted ? null : h('p', { class: 'notice' }, 'This workspace is not trusted: its own allow rules are ignored.'),
    data.warnings.map((/** @type {string} */ text) => h('p', { class: 'notice' }, text)),
    rows.length
      ? h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': 'Rules' }, h('table', {},
        h('thead', {}, h('tr', {}, ['List', 'Rule', 'From', 'File'].map((text) => h('th', { scope: 'col' }, text)))), h('tbody', {}, rows)))
      : null,
    h('h2', {}, 'Files that were read'),
    data.files.length
      ? h('ul', { class: 'plain' }, data.files.map((/** @type {any} */ file) => h('li', {}, chip(file.origin), ' ', h('span', { class: 'path' }, file.path))))
      : h('p', { class: 'empty' }, 'None exist.'),
    hint(`${counted(data.absent, 'other file')} would be read if they existed: forebay rules --json lists them.`),
  ];
}
