// Changes of the memory: each is previewed in a dialog, and made when it is confirmed. Only with forebay ui --write.

import { announce, h, replace } from './dom.js';
import { fail, get, post } from './data.js';

/** @typedef {Record<string, string | number | boolean>} Change */

/** Buttons for a note. @param {any} note @param {() => void} [afterPurge] */
export function noteActions(note, afterPurge) {
  if (note.replaced_by) return h('p', { class: 'actions' }, purgeButton(note.ref, afterPurge));
  const pin = note.pinned ? 'Unpin' : 'Pin';
  return h('p', { class: 'actions' },
    button('Edit', () => edit(note.ref)),
    button(pin, () => ask(`${pin} this note?`, { change: 'pin', reference: note.ref, pinned: !note.pinned }, { word: pin })),
    purgeButton(note.ref, afterPurge));
}

/** A button to delete an entry. @param {string} ref @param {() => void} [afterPurge] */
export function purgeButton(ref, afterPurge) {
  return button('Delete', () => ask('Delete for good?', { change: 'purge', reference: ref }, { word: 'Delete', after: afterPurge }));
}

/** A button to keep one of two notes that contradict each other. @param {string} kept @param {string} givenUp */
export function keepButton(kept, givenUp) {
  return button('Keep this one', () => ask('Keep this note?', { change: 'keep', reference: kept, instead_of: givenUp }, { word: 'Keep' }));
}

/** A button to tell that a digest hid something. @param {string} ref */
export function reportButton(ref) {
  return button('This digest hid what I needed', () => {
    // What is selected in the text when the button is pressed is most likely what was needed.
    const selected = String(getSelection() ?? '').trim();
    const { dialog, body } = open('What did it hide?');
    const note = h('p', { class: 'hint' }, 'Lines as they stand in the text, one per line. They are kept with the text on this machine as a sample: forebay digest --check tells whether digests show them.');
    form(dialog, body, note, selected, 'Lines that the digest has to show', (text) => ({ change: 'report', reference: ref, text }), 'Store');
  });
}

/** A button to delete such a sample. @param {string} ref */
export function unreportButton(ref) {
  return button('Delete the sample', () => ask('Delete the sample?', { change: 'unreport', reference: ref }, { word: 'Delete' }));
}

/** @param {string} text @param {() => void} act */
const button = (text, act) => h('button', { type: 'button', onclick: act }, text);

/** @param {string} ref */
async function edit(ref) {
  const { dialog, body } = open('Edit the note');
  try {
    const { text } = await get('note_text', { ref });
    form(dialog, body, null, text, 'Text of the note', (written) => ({ change: 'edit', reference: ref, text: written }), 'Save');
  } catch (error) {
    fail(body, error);
  }
}

/**
 * A text to write and preview. It stays open below the preview, so that nothing written is lost.
 * @param {HTMLDialogElement} dialog @param {Element} body @param {Node | null} note
 * @param {string} text @param {string} label @param {(text: string) => Change} change @param {string} word
 */
function form(dialog, body, note, text, label, change, word) {
  const field = /** @type {HTMLTextAreaElement} */ (h('textarea', { rows: 8, 'aria-label': label }));
  field.value = text;
  const after = () => { dialog.close(); reload(); };
  replace(body, note, field, h('p', { class: 'actions' },
    button('Preview', () => ask(`${word} this?`, change(field.value), { word, after }))));
  field.focus();
}

/** The page is read again, as the memory is now. */
const reload = () => dispatchEvent(new Event('hashchange'));

/**
 * Shows what a change would do, and makes it on confirmation.
 * @param {string} title @param {Change} change @param {{ word: string, after?: () => void }} options
 */
export async function ask(title, change, { word, after = reload }) {
  const { dialog, body } = open(title);
  try {
    const preview = await post(change);
    const confirm = button(word, async () => {
      confirm.setAttribute('disabled', '');
      try {
        const done = await post({ ...change, confirm: preview.confirm });
        dialog.close();
        after();
        announce(done.text);
      } catch (error) {
        fail(body, error);
      }
    });
    replace(body, h('p', { class: 'said' }, preview.text),
      change.text == null ? null : h('p', { class: 'said card' }, String(change.text)),
      preview.confirm ? h('p', { class: 'actions' }, confirm) : null);
    confirm.focus();
  } catch (error) {
    fail(body, error);
  }
}

let dialogs = 0;

/** A dialog that is removed when it closes. @param {string} title */
export function open(title) {
  dialogs += 1;
  const body = h('div', { class: 'body' });
  const heading = h('h2', { id: `dialog-${dialogs}` }, title);
  const dialog = /** @type {HTMLDialogElement} */ (h('dialog', { class: 'change', 'aria-labelledby': heading.id },
    heading, body, h('form', { method: 'dialog' }, h('button', {}, 'Close'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, body };
}
