/** Where records come from: the server, or, on a page without one, the files beside it. */

import { byId, isStatic, problemOf, recordAddress } from './tools.js';
import { t } from './texts.js';
import { say } from './say.js';
import { shown, shownTrial, shownRun } from './shown.js';
import { lanes } from './view.js';
import { openRecord } from './records.js';

/** The records that lie beside this page: `{ record, strategy, fault, verdict }`. */
export const catalogue = [];

export async function loadCatalogue() {
  const response = await fetch('records/index.json');
  catalogue.push(...await response.json());
}

/** Fetch a record and show it. */
export async function showRecord(name, trial = null, reveal = true, messages = isStatic ? 'record-message' : 'message') {
  const response = await fetch(recordAddress(name)).catch(() => null);
  if (response?.ok) {
    await openRecord(await response.text(), name, trial, false, reveal);
    return true;
  }
  if (response?.status === 404) {
    say(messages, t(isStatic ? 'record.unknownFile' : 'record.unknown', { name }));
  } else {
    say(messages, response ? await problemOf(response) : t('form.unreachable'));
  }
  return false;
}

/** Show what the address names: a record, a trial of it, and a part of its time. */
export async function openAddress() {
  const given = new URLSearchParams(location.search);
  const name = given.get('record');
  if (!name || !await showRecord(name, Number(given.get('trial') ?? 0), true, 'address-message')) {
    return false;
  }
  const start = shownTrial()?.start;
  const [from, to] = ['from', 'to'].map((each) => Number(given.get(each)));
  if (to > from) {
    lanes.look(start + from, start + to);
  }
  byId('stage').scrollIntoView();
  return true;
}

/** The address of what this page shows now. */
export function addressOfView() {
  const address = new URL(location.href);
  for (const name of ['record', 'trial', 'from', 'to']) {
    address.searchParams.delete(name);
  }
  const run = shownRun();
  const trial = shownTrial();
  if (run && !run.fromFile && !run.running) {
    address.searchParams.set('record', run.id);
    if (shown.trial > 0) {
      address.searchParams.set('trial', shown.trial);
    }
    if (trial?.stays.size > 0) {
      address.searchParams.set('from', Math.round(lanes.from - trial.start));
      address.searchParams.set('to', Math.round(lanes.to - trial.start));
    }
  }
  return address.href;
}
