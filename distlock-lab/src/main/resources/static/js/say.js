/** Messages to the user. */

import { byId } from './tools.js';

/** Say something where a screen reader reads it at once, even if the text is the same again. */
export function say(id, text, kind = 'error') {
  byId(id).textContent = '';
  byId(id).dataset.kind = kind;
  setTimeout(() => { byId(id).textContent = text; }, 20);
}
