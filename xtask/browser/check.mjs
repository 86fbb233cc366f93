// Opens every page of the dashboard in Chromium: in both themes, wide and narrow, with hostile text in the store.
//
// Prints one line per check, and fails on console errors, scripts that ran, horizontal overflow, serious findings of axe,
// and keys that do not work. Screenshots go to the folder that is named.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const task = JSON.parse(process.argv[2]);
const require = createRequire(join(task.packages, 'package.json'));
const { chromium } = await import(pathToFileURL(require.resolve('playwright-core')).href).then((module) => module.default ?? module);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };
/** What takes longer hangs, also on a busy machine. */
const PAUSE = 60_000;

const browser = await chromium.launch({ executablePath: task.chromium, headless: true, args: task.arguments });
const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' });
const page = await context.newPage();
page.setDefaultTimeout(PAUSE);
const problems = [];
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) problems.push(message.text());
});
page.on('pageerror', (error) => problems.push(String(error)));
page.on('dialog', (dialog) => {
  problems.push(`a script opened a dialog: ${dialog.message()}`);
  dialog.dismiss();
});
page.on('request', (request) => {
  if (!/^(about|blob):/.test(request.url()) && !task.origins.some((origin) => request.url().startsWith(origin))) problems.push(`asks another server: ${request.url()}`);
});

try {
  await enter();
  // Before the checks leave their own calls and notes.
  if (task.pictures) await takePictures();
  for (const [name, route, ready] of task.pages) await checkPage(name, route, ready);
  await checkKeys();
  await checkOverview();
  await checkEntries();
  await checkSessions();
  await checkMemory();
  await checkRules();
  await checkLive();
  await checkChanges();
  await checkEmpty();
  await checkServer();
  await checkApps();
  await checkAppsHost();
  await measurePaint();
} finally {
  await browser.close();
}

async function enter() {
  await page.goto(task.link);
  await page.waitForURL((url) => !url.href.includes('token='));
  await settled();
  const cookies = await context.cookies();
  assert.equal(cookies.length, 1);
  assert.ok(cookies[0].httpOnly && cookies[0].sameSite === 'Strict', 'the cookie is strict');
  const other = await (await browser.newContext()).newPage();
  const answer = await other.goto(page.url());
  assert.equal(answer.status(), 401, 'another browser gets nothing');
  await other.context().close();
  ok('the link works once');
}

async function settled() {
  await page.waitForSelector('main:not([aria-busy])');
}

async function show(route, ready) {
  const address = new URL(page.url());
  address.hash = '';
  await page.goto('about:blank');
  await page.goto(address.href.replace(/#$/, '') + route);
  await settled();
  if (ready) await page.waitForSelector(ready);
}

/** One page in both themes and widths. */
async function checkPage(name, route, ready) {
  const home = page.url().split('#')[0];
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [WIDE, NARROW]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(viewport);
      await page.goto('about:blank');
      await page.goto(home + route);
      await settled();
      if (ready) await page.waitForSelector(ready);
      const label = `${name} ${colorScheme} ${viewport.width}`;
      noProblems(label);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, `${label}: ${overflow} px too wide`);
      const injected = await page.evaluate(() => document.querySelectorAll('main script, main img:not(.picture), main iframe, main b').length);
      assert.equal(injected, 0, `${label}: stored text became markup`);
      await barriers(label);
      await page.screenshot({ path: join(task.shots, `${name}-${colorScheme}-${viewport.width}.png`), fullPage: viewport === NARROW ? false : undefined });
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(WIDE);
  ok(name);
}

async function barriers(label, place = page) {
  await place.evaluate(axe);
  const found = await place.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.filter((one) => ['serious', 'critical'].includes(one.impact))
      .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  });
  assert.deepEqual(found, [], label);
}

function noProblems(label) {
  const found = problems.splice(0);
  assert.deepEqual(found, [], label);
}

async function checkKeys() {
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute('name') || document.activeElement?.getAttribute('href') || '');
  await show('#/overview');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'skip');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'main');
  for (const [key, name] of [['l', 'live'], ['m', 'memory'], ['r', 'rules'], ['f', 'search'], ['o', 'overview'], ['s', 'sessions']]) {
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.waitForFunction((wanted) => location.hash === `#/${wanted}` && !document.querySelector('main')?.hasAttribute('aria-busy'), name);
  }
  await page.waitForSelector('.row a');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const first = await page.evaluate(() => document.activeElement === document.querySelector('.row a'));
  assert.ok(first, 'j and k move between items');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#/session?'));
  await settled();
  await page.keyboard.press('u');
  await page.waitForFunction(() => location.hash === '#/sessions');
  await settled();
  await page.keyboard.press('?');
  assert.ok(await page.locator('#shortcuts').isVisible());
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#shortcuts').isHidden());
  await page.keyboard.press('/');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'q');
  await page.keyboard.type('migrates_from_v1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.results mark');
  await page.evaluate(() => { if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); });
  await page.keyboard.press('t');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.keyboard.press('t');
  await page.keyboard.press('t');
  noProblems('keys');
  ok('keys');
}

/** What digests are worth, the holdout, and the way to the formulas. */
async function checkOverview() {
  await show('#/overview', '.waterfall');
  const verdicts = page.getByRole('region', { name: 'By recognizer' });
  assert.match(await verdicts.getByRole('row', { name: /^cargo test/ }).textContent(), /pays.* of [\d,]+, /);
  assert.match(await verdicts.getByRole('row', { name: /^git log/ }).textContent(), /switched off/);
  const compared = page.getByRole('region', { name: 'Digests compared with raw results' });
  assert.match(await compared.getByRole('row', { name: /^tokens billed/ }).textContent(), / to .*less with digests/);
  await page.getByRole('img', { name: 'Text stored by day' }).waitFor();
  const parts = await page.evaluate(() => [...document.querySelectorAll('main :is(h2, h3)')].map((heading) => {
    const lines = [];
    for (let next = heading.nextElementSibling; next && !/^H[23]$/.test(next.tagName); next = next.nextElementSibling) lines.push(next);
    return [heading.textContent, lines.flatMap((one) => [...one.querySelectorAll('a')]).filter((link) => link.textContent === 'Formula').map((link) => link.getAttribute('href'))];
  }));
  assert.ok(parts.length >= 8, JSON.stringify(parts));
  for (const [name, links] of parts) assert.equal(links.length, 1, `${name} has one link to its formula`);
  await page.getByText('an interval that contains zero').getByRole('link').press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'formula-the-holdout');
  const named = [...new Set(parts.map(([, [link]]) => /at=(.*)$/.exec(link)?.[1]).filter(Boolean))];
  const missing = await page.evaluate((ids) => ids.filter((id) => !document.getElementById(`formula-${id}`)), named);
  assert.deepEqual(missing, [], 'each formula is there');
  noProblems('overview');
  ok('verdicts, holdout and formulas');
  await checkDays();
}

/** Each day is named once, also those before a clock was changed. */
async function checkDays() {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
  await page.reload();
  const names = await page.evaluate(async () => {
    const { barChart } = await import(new URL('assets/chart.js', document.baseURI).href);
    const end = Date.parse('2026-03-31T22:00:00Z');
    const periods = [7, 6, 5, 4, 3, 2, 1].map((days) => ({ start: end - days * 24 * 60 * 60 * 1000 }));
    const chart = barChart(periods, { name: 'days', up: () => 1, shown: () => '', columns: [] });
    return [...chart.querySelectorAll('tbody tr')].map((row) => row.firstElementChild.textContent);
  });
  assert.deepEqual(names, [25, 26, 27, 28, 29, 30, 31].map((date) => `Mar ${date}`));
  await session.send('Emulation.setTimezoneOverride', { timezoneId: '' });
  await session.detach();
  await page.reload();
  ok('days around a change of the clock');
}

/** The parts of a score, and what became of each line of a text. */
async function checkEntries() {
  await show('#/search?q=migrates_from_v1', '.row mark');
  const [sum, ...terms] = (await page.locator('.row .why').first().textContent()).match(/[\d.]+(?= =)|(?<= )\d\.\d{3}(?= |$)/g).map(Number);
  assert.ok(terms.length > 2 && Math.abs(sum - terms.reduce((one, other) => one + other, 0)) < 0.01, `${sum} of ${terms}`);
  await page.getByText('How scores are made').press('Enter');
  await page.locator('.terms dt', { hasText: 'coverage' }).waitFor();
  await show(`#/entry/${task.entry}?view=digest`, '.line.kept');
  const whys = await page.locator('.whys').textContent();
  assert.match(whys, /Recognizer: .*Size: .*budget of [\d,]+ tokens/);
  assert.ok(await page.locator('.reasons .why').count() > 2, 'lines have reasons');
  const gap = page.locator('.gap').first();
  await gap.locator('summary').press('Enter');
  await gap.locator('.line').first().waitFor();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy reference' }).press('Enter');
  await page.getByText(`copied [ctx:${task.entry}]`).waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `[ctx:${task.entry}]`);
  noProblems('entries');
  ok('scores, reasons and references');
}

/** The tree of subagents, and one of them. */
async function checkSessions() {
  await show('#/session?key=2f1c9a40-login', '.tree');
  assert.equal(await page.locator('.tree > li > a').textContent(), 'main agent');
  const agents = page.locator('.tree ul a');
  assert.equal(await agents.count(), 2);
  const name = await agents.first().textContent();
  await agents.first().press('Enter');
  await page.locator('.tree ul a[aria-current]', { hasText: name }).waitFor();
  await page.locator('.chip', { hasText: 'subagent' }).first().waitFor();
  noProblems('sessions');
  ok('subagents');
}

/** How fresh the sources are, and two notes side by side. */
async function checkMemory() {
  await show('#/memory?view=sources', '.row');
  for (const text of await page.locator('.row').allTextContents()) assert.match(text, /indexed .+checked /);
  await show('#/memory?view=conflicts', '.conflict');
  assert.equal(await page.locator('.conflict').count(), 1, 'each pair once');
  const [one, other] = await page.locator('.conflict').first().locator('.beside .card').all();
  const [left, right] = [await one.boundingBox(), await other.boundingBox()];
  assert.ok(left.y === right.y && left.x + left.width <= right.x, 'they are side by side');
  noProblems('memory');
  ok('sources and conflicts');
}

/** What isolation does here. */
async function checkRules() {
  await show('#/rules');
  await page.getByRole('region', { name: 'What a run tries' }).waitFor();
  await barriers('isolation');
  await shot('isolation');
  await page.locator('input[name=input]').fill('env sudo ls && echo hi > out.txt');
  await page.keyboard.press('Enter');
  await page.locator('.verdict .chip', { hasText: 'deny' }).waitFor();
  await barriers('judged');
  await shot('judged');
  noProblems('rules');
  ok('isolation, and a command that is judged');
}

/** What a user sees before anything was stored. */
async function checkEmpty() {
  await page.goto(task.emptyLink);
  await page.waitForURL((url) => !url.href.includes('token='));
  for (const [name, text] of [['overview', 'Nothing has happened here yet'], ['live', 'Nothing has happened here yet'], ['sessions', 'No session yet'],
    ['search', 'Everything that was stored'], ['memory', 'No notes yet'], ['memory?view=pinned', 'No note is pinned'], ['memory?view=conflicts', 'No note contradicts'], ['memory?view=sources', 'Nothing is indexed'], ['rules', 'No rules']]) {
    await show(`#/${name}`);
    await page.getByText(text).first().waitFor();
    await barriers(`empty ${name}`);
    await shot(`empty-${name.replace(/\W+/g, '-')}`);
    noProblems(`empty ${name}`);
  }
  ok('an empty store');
}

async function checkLive() {
  await show('#/live', '.row');
  execFileSync(task.forebay, ['note', 'written while the page is open'], { cwd: task.project, env: { ...process.env, ...task.environment } });
  await page.waitForFunction(() => document.querySelector('.live .row a')?.textContent === 'written while the page is open');
  const denied = await page.locator('.live .event', { hasText: 'sudo systemctl restart shop' }).locator('.chip').first().textContent();
  assert.equal(denied, 'denied');
  await page.locator('.times summary').press('Enter');
  await page.getByRole('region', { name: 'Times of hooks' }).getByRole('row', { name: /^before a tool/ }).waitFor();
  const short = page.locator('.live .event', { hasText: 'Bash: git status --short' });
  assert.equal(await short.count(), 1, 'both hooks of a call are one row');
  assert.match(await short.textContent(), /passedhooks [\d.,]+ m?s/);
  const captured = page.locator('.live .event', { hasText: 'sudo systemctl' });
  assert.match(await captured.textContent(), /hooks [\d.,]+ m?s/);
  await barriers('times');
  await shot('times');
  noProblems('live');
  ok('live');
  await checkFaults();
  await checkSums();
  await checkLoad();
}

/** A hook that gives no answer is told with its error; the same one again takes the place of the one before. */
async function checkFaults() {
  const fail = () => execFileSync(task.forebay, ['hook', 'claude-code', 'PostToolUse'], { cwd: task.project, input: '{"session_id": ', env: { ...process.env, ...task.environment } });
  const row = page.locator('.live .event', { hasText: 'hook failed' });
  assert.equal(fail().length, 0, 'the agent gets nothing');
  await row.waitFor();
  fail();
  await page.locator('.live .event', { hasText: '2 times' }).waitFor();
  assert.equal(await row.count(), 1);
  const text = await row.textContent();
  for (const part of ['after a tool', 'payload is not a JSON object', 'forebay doctor --fix', 'as if there were no hook']) assert.ok(text.includes(part), text);
  assert.match(text, /took [\d.,]+ m?s/);
  await page.locator('.outcomes', { hasText: 'hook errors' }).waitFor();
  await barriers('faults');
  await shot('faults');
  noProblems('faults');
  ok('errors of hooks');
}

/** A call that several records tell of is counted once, whatever comes first. */
async function checkSums() {
  const sums = (items) => page.evaluate(async (told) => {
    const { Calls } = await import(new URL('assets/calls.js', document.baseURI).href);
    const calls = new Calls(() => {});
    for (const one of structuredClone(told)) calls.take(one);
    return Object.fromEntries(calls.sums().filter(([, sum]) => sum > 0));
  }, items);
  const hook = { is: 'call', session: 's', event: 'after a tool', outcome: 'passed', micros: 1, tool: 'Bash', title: 'make', call: 'a', ref: null };
  const run = { is: 'entry', kind: 'run', session: 's', ref: 'r', title: 'make', outcome: 'replaced' };
  const capture = { ...run, kind: 'capture', outcome: 'passed' };
  const rewritten = { ...hook, event: 'before a tool', outcome: 'rewritten' };
  const fault = { is: 'fault', session: 's', event: 'after a tool', outcome: 'failed', micros: 1, tool: 'Bash', title: 'make', error: 'the store is locked', hint: null };
  const own = { ...hook, tool: 'mcp__forebay__ctx_execute', title: 'forebay/ctx_execute', ref: 'r' };
  for (const [name, told, expected] of [
    ['a result and its hook', [capture, { ...hook, outcome: 'replaced', ref: 'r' }], { replaced: 1 }],
    ['a hook and its result', [{ ...hook, outcome: 'replaced', ref: 'r' }, capture], { replaced: 1 }],
    ['a run of a tool of Forebay', [run, own], { replaced: 1 }],
    ['... told by its hook first', [own, run], { replaced: 1 }],
    ['a rewritten command', [rewritten, run, { ...hook, ref: 'r' }], { replaced: 1 }],
    ['... on a host that does not name its calls', [rewritten, run, { ...hook, ref: 'r' }].map((one) => ({ ...one, call: null })), { replaced: 1 }],
    ['an entry that comes again', [run, run], { replaced: 1 }],
    ['two calls with one title', [capture, hook, { ...capture, ref: 'q' }, { ...hook, call: 'b' }], { passed: 2 }],
    ['a short result after a long one', [capture, { ...hook, ref: 'r' }, { ...hook, call: 'b' }], { passed: 2 }],
    ['a denied call', [{ is: 'event', kind: 'verdict', session: 's', subject: 'denied Bash: make' }, { ...hook, event: 'before a tool', outcome: 'denied' }], { denied: 1 }],
    ['a hook that failed, twice', [fault, fault], { 'hook errors': 2 }],
    ['a hook that answered although something failed', [{ ...fault, outcome: 'passed' }, hook], { passed: 1, 'hook errors': 1 }],
  ]) assert.deepEqual(await sums(told), expected, name);
  ok('each call is counted once');
}

/** A thousand events a second, and none is dropped. */
async function checkLoad() {
  const received = () => page.evaluate(() => Number(document.querySelector('.received')?.textContent?.split(' ')[0].replaceAll(',', '')));
  const before = await received();
  const writer = spawn(task.xtask, ['browser', '--write-events', task.database], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  writer.stdout.on('data', (piece) => { said += piece; });
  const code = await new Promise((resolve) => { writer.on('exit', resolve); });
  assert.equal(code, 0);
  const ended = performance.now();
  await page.waitForFunction((wanted) => Number(document.querySelector('.received')?.textContent?.split(' ')[0].replaceAll(',', '')) >= wanted, before + task.events);
  const last = `src/load_${task.events - 1}.rs`;
  await page.waitForFunction((text) => document.querySelector('.live li')?.textContent?.includes(text), last);
  const lag = performance.now() - ended;
  // A batch that came twice would show by now, too.
  await page.waitForTimeout(500);
  assert.equal(await received() - before, task.events, 'each event once');
  noProblems('load');
  ok(`a thousand events a second: ${said.trim()}; the last one was drawn ${lag.toFixed(0)} ms after it was written`);
}

/** A note is edited, pinned, kept and deleted with the keyboard, in a dashboard that may write. */
async function checkChanges() {
  await page.goto(task.writeLink);
  await page.waitForURL((url) => !url.href.includes('token='));
  await show('#/memory?view=conflicts', '.conflict');
  await shot('conflict-write');
  await page.getByRole('button', { name: 'Keep this one' }).first().press('Enter');
  await confirm('Keep');
  await page.waitForFunction(() => !document.querySelector('.conflict'));
  await show('#/memory', '.note');
  const staging = page.locator('.note', { hasText: 'The staging database' });
  await staging.getByRole('button', { name: 'Edit' }).press('Enter');
  await page.locator('dialog textarea').fill('Written anew in the browser.');
  await barriers('edit');
  await shot('edit');
  await page.getByRole('button', { name: 'Preview' }).press('Enter');
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog textarea').inputValue(), 'Written anew in the browser.', 'nothing written is lost');
  await page.getByRole('button', { name: 'Preview' }).press('Enter');
  await confirm('Save');
  const edited = page.locator('.note', { hasText: 'Written anew in the browser.' });
  await edited.getByRole('button', { name: 'Pin', exact: true }).press('Enter');
  await confirm('Pin');
  await edited.getByRole('button', { name: 'Unpin' }).waitFor();
  await edited.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.locator('dialog .said').waitFor();
  await barriers('delete');
  await shot('delete');
  await confirm('Delete');
  await edited.waitFor({ state: 'detached' });
  noProblems('changes');
  ok('changes');
  await checkReport();
}

/** A line that a digest left out is selected and reported; the check of digests fails until the sample is deleted. */
async function checkReport() {
  const check = () => spawnSync(task.forebay, ['digest', '--check'], { cwd: task.project, env: { ...process.env, ...task.environment }, encoding: 'utf8' });
  await show(`#/entry/${task.entry}?view=digest`, '.gap');
  const gap = page.locator('.gap').first();
  await gap.locator('summary').press('Enter');
  const hidden = gap.locator('.line code').nth(3);
  await hidden.waitFor();
  const line = await hidden.textContent();
  await hidden.evaluate((code) => getSelection().selectAllChildren(code));
  await page.getByRole('button', { name: 'This digest hid what I needed' }).click();
  assert.equal(await page.locator('dialog textarea').inputValue(), line, 'what is selected is proposed');
  await barriers('report');
  await shot('report');
  await page.getByRole('button', { name: 'Preview' }).press('Enter');
  await confirm('Store');
  await page.locator('.notice pre', { hasText: line }).waitFor();
  await shot('reported');
  const failed = check();
  assert.ok(failed.status === 1 && failed.stdout.includes(line), failed.stdout + failed.stderr);
  await page.getByRole('button', { name: 'Delete the sample' }).press('Enter');
  await confirm('Delete');
  await page.getByRole('button', { name: 'This digest hid what I needed' }).waitFor();
  assert.equal(check().status, 0);
  noProblems('report');
  ok('a digest that hid something');
}

/** The views of MCP Apps, in a page that plays the host, with the policy and sandbox that hosts use. */
async function checkApps() {
  const server = spawn(task.forebay, ['mcp'], { cwd: task.project, env: { ...process.env, ...task.environment }, stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = new Map();
  let id = 0;
  createInterface(server.stdout).on('line', (line) => {
    const message = JSON.parse(line);
    answers.get(message.id)?.(message);
  });
  const ask = async (method, params) => {
    id += 1;
    const answered = new Promise((resolve) => { answers.set(id, resolve); });
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result, error } = await answered;
    assert.ok(result, JSON.stringify(error));
    return result;
  };
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: { extensions }, clientInfo: { name: 'check', version: '1' } });
  const { tools } = await ask('tools/list', {});
  await page.goto('about:blank');
  await page.exposeFunction('callTool', (params) => ask('tools/call', params));
  for (const [name, input, ready] of [['ctx_stats', {}, '.cards'], ['ctx_get', { ref: task.entry }, '.part']]) {
    const uri = tools.find((tool) => tool.name === name)._meta.ui.resourceUri;
    const html = (await ask('resources/read', { uri })).contents[0].text;
    const result = await ask('tools/call', { name, arguments: input });
    for (const theme of ['light', 'dark']) {
      for (const viewport of [WIDE, NARROW]) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await page.goto('about:blank');
        await page.evaluate(playHost, { html, input, result, theme });
        const frame = page.frames().at(-1);
        await frame.waitForSelector(ready);
        await barriers(`${name} ${theme}`, frame);
        await page.waitForFunction(() => document.querySelector('iframe').clientHeight > 150);
        await page.screenshot({ path: join(task.shots, `app-${name}-${theme}-${viewport.width}.png`) });
        if (name === 'ctx_get') {
          await frame.locator('input[name=lines]').fill('417-418');
          await frame.getByRole('button', { name: 'Read' }).press('Enter');
          await frame.locator('pre', { hasText: 'migrates_from_v1', hasNotText: 'case_1 ' }).waitFor();
        }
        noProblems(`${name} ${theme} ${viewport.width}`);
      }
    }
  }
  server.stdin.end();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(WIDE);
  ok('views of MCP Apps');
}

/** Frames a view and answers it. Runs in the page. */
function playHost({ html, input, result, theme }) {
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.title = 'view';
  frame.style = 'width: 100%; height: 60px; border: 0';
  const tell = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', async ({ data, source }) => {
    if (source !== frame.contentWindow) return;
    if (data.method === 'ui/initialize') tell({ id: data.id, result: { protocolVersion: '2026-01-26', hostCapabilities: { serverTools: {} }, hostInfo: { name: 'check', version: '1' }, hostContext: { theme } } });
    else if (data.method === 'ui/notifications/initialized') {
      tell({ method: 'ui/notifications/tool-input', params: { arguments: input } });
      tell({ method: 'ui/notifications/tool-result', params: result });
    } else if (data.method === 'ui/notifications/size-changed') frame.style.height = `${data.params.height}px`;
    else if (data.method === 'tools/call') tell({ id: data.id, result: await globalThis.callTool(data.params) });
  });
  frame.srcdoc = html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
  document.body.append(frame);
}

/** The views in a released host: the MCP inspector, with its own sandbox and bridge. */
async function checkAppsHost() {
  const context = await browser.newContext({ viewport: WIDE });
  // It has fonts of another server.
  await context.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
  const host = await context.newPage();
  host.setDefaultTimeout(PAUSE);
  const thrown = [];
  host.on('pageerror', (error) => thrown.push(String(error)));
  await host.goto(task.appsHost);
  await host.getByRole('switch').first().click({ force: true });
  await host.getByText('Apps', { exact: true }).first().click();
  const view = host.frameLocator('iframe').frameLocator('iframe');
  await host.getByText('ctx_get', { exact: true }).first().click();
  await host.getByRole('textbox', { name: 'ref' }).fill(task.entry);
  await host.getByRole('button', { name: 'Open App' }).click();
  await view.locator('pre', { hasText: 'case_1 ' }).waitFor();
  await view.locator('input[name=lines]').fill('417-418');
  await view.getByRole('button', { name: 'Read' }).press('Enter');
  await view.locator('pre', { hasText: 'migrates_from_v1', hasNotText: 'case_1 ' }).waitFor();
  await host.screenshot({ path: join(task.shots, 'host-entry.png') });
  await host.getByText('ctx_stats', { exact: true }).first().click();
  const open = host.getByRole('button', { name: 'Open App' });
  await open.or(host.locator('iframe')).first().waitFor();
  if (await open.isVisible()) await open.click();
  await view.locator('.cards').waitFor();
  await host.screenshot({ path: join(task.shots, 'host-overview.png') });
  assert.deepEqual(thrown, []);
  await context.close();
  ok('views in the MCP inspector');
}

/** The dashboard of a server: a token opens it, and the team is there. */
async function checkServer() {
  await page.goto(`${task.server}/ui/`);
  await page.waitForSelector('form.token');
  await barriers('token');
  await shot('token');
  // The browser tells of the refusal that made the page ask.
  problems.splice(0, problems.length, ...problems.filter((one) => !one.includes('401')));
  await page.locator('input[name=token]').fill('fby_wrong_token');
  await page.getByRole('button', { name: 'Open' }).press('Enter');
  await page.waitForSelector('form.token');
  await page.locator('input[name=token]').fill(task.token);
  await page.getByRole('button', { name: 'Open' }).press('Enter');
  await page.waitForSelector('.chart svg');
  problems.splice(0, problems.length, ...problems.filter((one) => !one.includes('401')));
  assert.equal(await page.locator('#pages a', { hasText: 'Rules' }).count(), 0, 'a server shows no rules');
  await page.locator('#pages a', { hasText: 'Team' }).press('Enter');
  await page.waitForSelector('table');
  await barriers('team');
  await shot('team');
  await page.locator('#pages a', { hasText: 'Live' }).press('Enter');
  await page.waitForSelector('.state.good');
  await page.waitForSelector('.live li');
  noProblems('server');
  ok('the dashboard of a server');
}

/** Confirms what the open dialog previews. @param {string} word */
async function confirm(word) {
  await page.locator('dialog.change').last().getByRole('button', { name: word, exact: true }).press('Enter');
  await page.waitForFunction(() => !document.querySelector('dialog.change'));
  await settled();
}

/** A screenshot in both themes and widths. @param {string} name */
async function shot(name) {
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [WIDE, NARROW]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(viewport);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, `${name} ${viewport.width}: ${overflow} px too wide`);
      await page.screenshot({ path: join(task.shots, `${name}-${colorScheme}-${viewport.width}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(WIDE);
}

/** First paint, and until a page has its data, with 100,000 entries. Measured, not checked: machines differ. */
async function measurePaint() {
  execFileSync(task.xtask, ['browser', '--write-entries', task.database]);
  await page.goto(task.link.split('/open?')[0] + '/');
  const middle = (times) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)].toFixed(0);
  for (const [name, ready] of [['overview', '.chart svg'], ['live', '.live .row'], ['sessions', '.row'], ['search?q=migrates_from_v1', '.row mark'], ['memory', '.note'], ['session?key=2f1c9a40-login&view=stored', '.row']]) {
    const paints = [];
    const wholes = [];
    for (let round = 0; round < 5; round += 1) {
      await show(`#/${name}`, ready);
      wholes.push(await page.evaluate(() => performance.now()));
      paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN));
    }
    console.log(`     ${name}: first paint ${middle(paints)} ms, with its data ${middle(wholes)} ms; the middle of five, with 100,000 entries`);
  }
  noProblems('a large store');
}

/** The pictures of the documentation. */
async function takePictures() {
  await page.goto(task.link.split('/open?')[0] + '/');
  const storageState = await context.storageState();
  const painter = await browser.newPage();
  for (const name of task.pictures.pages) {
    const [, route, ready] = task.pages.find((one) => one[0] === name);
    const taken = await browser.newContext({ storageState, colorScheme: 'light', reducedMotion: 'reduce', viewport: { width: 1120, height: 740 }, deviceScaleFactor: 1.5 });
    const shown = await taken.newPage();
    await shown.goto(task.link.split('/open?')[0] + '/' + route);
    await shown.waitForSelector(ready);
    await shown.waitForTimeout(500);
    const png = (await shown.screenshot()).toString('base64');
    // Browsers write WebP, which is a third of the size.
    const webp = await painter.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.85).split(',')[1];
    }, png);
    writeFileSync(join(task.pictures.folder, `dashboard-${name}.webp`), Buffer.from(webp, 'base64'));
    await taken.close();
  }
  ok('pictures');
}

function ok(what) {
  console.log(`ok   ${what}`);
}
