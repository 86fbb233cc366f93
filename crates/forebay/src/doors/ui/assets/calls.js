// Brings together what is told of one call: the hooks that were called for it, its stored result, the verdict of a rule.

const OUTCOMES = ['passed', 'replaced', 'denied', 'asked', 'rewritten'];
/** Calls that are remembered; hooks of one call follow each other. */
const MAX_KNOWN = 5_000;

/** What became of a call: passed, replaced, denied, asked or rewritten. @param {any} one @returns {string | null} */
export function outcomeOf(one) {
  if (one.is === 'fault') return null;
  if (one.is !== 'event') return one.outcome;
  return one.kind === 'verdict' ? (OUTCOMES.find((name) => one.subject.startsWith(`${name} `)) ?? null) : null;
}

export class Calls {
  /** @type {Map<string, any>} What is on the page, by each name that a hook may know it by. */
  #known = new Map();
  /** @type {Map<string, number>} The time of hooks before a call, by call. */
  #times = new Map();
  /** @type {Map<string, number>} */
  #sums = new Map(OUTCOMES.map((name) => [name, 0]));
  /** @type {Map<string, any>} What went wrong with hooks, by session and error. */
  #faults = new Map();
  #faultCount = 0;
  #changed;

  /** @param {(one: any) => void} changed Called with what more is known of. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** How many calls had each outcome, and how many errors hooks had. @returns {[string, number][]} */
  sums() {
    const sums = [...this.#sums].filter(([name, sum]) => sum > 0 || name !== 'rewritten');
    return this.#faultCount ? [...sums, ['hook errors', this.#faultCount]] : sums;
  }

  /** Takes what was told; false if it belongs to what is shown already. @param {any} one @returns {boolean} */
  take(one) {
    if (one.is === 'call') return this.#takeHook(one);
    if (one.is === 'entry') return this.#takeEntry(one);
    if (one.is === 'fault') return this.#takeFault(one);
    this.#count(outcomeOf(one), 1);
    if (one.kind === 'verdict') this.#remember(one, [titled(one.session, one.subject)]);
    return true;
  }

  /** The same error again takes the place of the one before. @param {any} one @returns {boolean} */
  #takeFault(one) {
    this.#faultCount += 1;
    const key = titled(one.session, one.error);
    const before = this.#faults.get(key);
    one.times = (before?.times ?? 0) + 1;
    if (before) {
      before.isGone = true;
      this.#changed(before);
    }
    this.#faults.set(key, one);
    forget(this.#faults);
    return true;
  }

  /** @param {any} one @returns {boolean} */
  #takeEntry(one) {
    const isResult = one.kind === 'run' || one.kind === 'capture';
    const title = isResult ? titled(one.session, one.title) : null;
    const names = one.kind === 'run' ? [one.ref, title] : [one.ref];
    const before = names.map((name) => (name == null ? undefined : this.#known.get(name))).find((known) => known && !known.isGone && known.is !== 'event');
    // A stream that begins again may repeat an entry.
    if (before?.ref === one.ref && before.is === 'entry') return false;
    this.#count(one.outcome, 1);
    // What the model got of a captured result is known when its hook has answered.
    this.#remember(one, [one.ref, title]);
    if (before?.is === 'call') {
      one.hookMicros = before.hookMicros;
      if (before.outcome !== 'rewritten') this.#setOutcome(one, before.outcome);
      this.#remove(before);
      this.#remember(one, [before.call]);
    }
    return true;
  }

  /** @param {any} one @returns {boolean} */
  #takeHook(one) {
    if (one.tool == null) return false;
    // What is added to a result does not replace it.
    if (one.outcome === 'context added') one.outcome = 'passed';
    const micros = this.#time(one);
    if (one.event === 'before a tool' && one.outcome === 'passed') return false;
    const told = this.#find(one);
    if (!told) {
      one.hookMicros = micros;
      this.#count(one.outcome, 1);
      // A command that runs through Forebay stores its own result, under the same title.
      this.#remember(one, [one.call, one.ref, one.outcome === 'rewritten' ? titled(one.session, one.title) : null]);
      return true;
    }
    told.hookMicros = one.call == null ? (told.hookMicros ?? 0) + one.micros : micros;
    this.#setOutcome(told, one.outcome);
    this.#replaceBy(told, one.call);
    this.#changed(told);
    return false;
  }

  /** Takes over what a hook made of a call. A run has made its digest before its hooks are called. @param {any} told @param {string} outcome */
  #setOutcome(told, outcome) {
    const isOpen = outcome !== 'passed' || (told.is === 'entry' && !told.isSettled);
    if (told.is === 'event' || told.kind === 'run' || !isOpen) return;
    this.#count(told.outcome, -1);
    this.#count(outcome, 1);
    told.outcome = outcome;
    told.isSettled = true;
  }

  /** A hook told of a call before its result was stored: now the result stands for both. @param {any} told @param {string | null} call */
  #replaceBy(told, call) {
    const before = call == null ? undefined : this.#known.get(call);
    if (before && before !== told && before.is === 'call') this.#remove(before);
    this.#remember(told, [call]);
  }

  /** Takes away what something else stands for now. @param {any} before */
  #remove(before) {
    if (before.isGone) return;
    before.isGone = true;
    this.#count(before.outcome, -1);
    this.#changed(before);
  }

  /** The time of all hooks of a call so far. @param {any} one */
  #time(one) {
    if (one.call == null) return one.micros;
    const micros = (this.#times.get(one.call) ?? 0) + one.micros;
    this.#times.set(one.call, micros);
    forget(this.#times);
    return micros;
  }

  /** @param {any} one */
  #find(one) {
    const isObjection = one.outcome === 'denied' || one.outcome === 'asked';
    // Another result may have the same title.
    const results = one.ref == null ? [one.call, titled(one.session, one.title)] : [one.ref, one.call];
    // A command is rewritten before it has a result.
    const before = one.outcome === 'rewritten' ? [one.call] : results;
    const names = isObjection ? [titled(one.session, `${one.outcome} ${one.tool}: ${one.title}`)] : before;
    const found = names.map((name) => (name == null ? undefined : this.#known.get(name))).find((known) => known && !known.isGone);
    // The same command may come again, without a result that is stored.
    if (found) this.#known.delete(titled(one.session, found.is === 'event' ? found.subject : found.title));
    return found;
  }

  /** @param {any} one @param {(string | null)[]} names */
  #remember(one, names) {
    for (const name of names) if (name != null) this.#known.set(name, one);
    forget(this.#known);
  }

  /** @param {string | null} outcome @param {number} number */
  #count(outcome, number) {
    if (outcome && this.#sums.has(outcome)) this.#sums.set(outcome, (this.#sums.get(outcome) ?? 0) + number);
  }
}

/** @param {string} session @param {string} title */
const titled = (session, title) => `${session}\n${title}`;

/** Forgets the oldest. @param {Map<string, any>} map */
function forget(map) {
  for (const key of map.keys()) {
    if (map.size <= MAX_KNOWN) return;
    map.delete(key);
  }
}
