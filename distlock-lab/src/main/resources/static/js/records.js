/** Records: runs that are opened from a file. */

import { byId, isStatic, recordAddress, reveal, setText } from './tools.js';
import { number, t } from './texts.js';
import { say } from './say.js';
import { setup, showTrial, shown, shownRun } from './shown.js';
import { Run } from './model.js';

const FRAME_BUDGET = 10;

/** Open a record: its events are shown as those of the server would be. */
export async function openRecord(text, name, trial = null, fromFile = false, reveal = true) {
  let run;
  try {
    run = await runOf(text);
  } catch (error) {
    say('record-message', t('record.bad', { name, reason: error.message }));
    return;
  }
  setText(byId('record-message'), '');
  run.fromFile = fromFile;
  if (isStatic && !fromFile) {
    run.id = name;
  }
  shown.record = run;
  shown.followTrials = false;
  showTrial(trial ?? Math.max(0, run.trials.findIndex((candidate) => candidate.overlapping > 0)));
  if (reveal) {
    byId('stage').focus({ preventScroll: true });
    showStage();
  }
  setText(byId('summary'), t('record.opened', { run: run.id }));
}

/** Read a record and build its run in small pieces, so that the page stays responsive. */
export async function runOf(text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    throw new Error(t('record.noJson'));
  }
  if (record?.format !== 'distlock-lab-record' || !Array.isArray(record.events)) {
    throw new Error(t('record.noRecord'));
  }
  if (record.version !== 1) {
    throw new Error(t('record.version', { version: String(record.version) }));
  }
  const [first, ...events] = record.events;
  if (first?.type !== 'run' || !Array.isArray(first.trials) || first.trials.length === 0) {
    throw new Error(t('record.noRun'));
  }
  const run = new Run(first, setup.nodes);
  run.last = first.n;
  let began = performance.now();
  for (const event of events) {
    try {
      run.apply(event);
    } catch {
      throw new Error(t('record.event', { n: String(event?.n) }));
    }
    if (performance.now() - began > FRAME_BUDGET) {
      await new Promise((resolve) => { setTimeout(resolve); });
      began = performance.now();
    }
  }
  run.outcome ??= 'stopped';
  return run;
}

/** On a narrow screen the lanes are below the form. */
export function showStage() {
  const stage = byId('stage');
  if (stage.getBoundingClientRect().top > innerHeight * 0.6) {
    reveal(stage);
  }
}

export function listenToRecord() {
  byId('open').addEventListener('change', async (event) => {
    const [file] = event.target.files;
    if (file) {
      await openRecord(await file.text(), file.name, null, true);
      event.target.value = '';
    }
  });
  byId('back').addEventListener('click', () => {
    shown.record = null;
    shown.followTrials = true;
    showTrial(shown.live?.current ?? 0);
    byId('stage').focus({ preventScroll: true });
  });
}

export function renderRecord() {
  const run = shownRun();
  const link = byId('download');
  if (run && !run.fromFile) {
    link.href = recordAddress(run.id);
    link.download = `distlock-lab-${run.id}.json`;
    link.removeAttribute('aria-disabled');
  } else {
    link.removeAttribute('href');
    link.setAttribute('aria-disabled', 'true');
  }
}

/** A line above the cards: an opened record, missing events, or a run that ended early. */
export function renderNotice() {
  const run = shownRun();
  const lines = [];
  if (shown.record && !(isStatic && !shown.record.fromFile)) {
    lines.push(t('record.shown', { run: shown.record.id }));
  }
  if (run?.gaps > 0) {
    lines.push(t('connection.gaps', { count: number(run.gaps) }));
  }
  if (run?.outcome === 'failed' || (run?.outcome === 'stopped' && !shown.record)) {
    lines.push(`${t(`outcome.${run.outcome}`)} ${run.message ?? ''}`);
  }
  byId('notice').hidden = lines.length === 0;
  byId('back').hidden = !shown.record || !shown.live;
  setText(byId('notice-text'), lines.join(' '));
}
