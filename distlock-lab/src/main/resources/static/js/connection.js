/** The events of the server. */

import { byId, root, setText } from './tools.js';
import { number, t } from './texts.js';
import { refreshSoon } from './refresh.js';
import { followRun, setup, showTrial, shown } from './shown.js';
import { Run } from './model.js';
import { titleOf, whyOf } from './verdicts.js';
import { archive } from './tables.js';

export const RETRY_DELAY = 2000;
export const connection = { state: 'connecting', source: null };

export function setConnection(state) {
  connection.state = state;
  root.dataset.connection = state;
  setText(byId('connection'), t(`connection.${state}`));
}

/** Listen to the server. The browser reconnects by itself and names the last event that it has seen. */
export function connect() {
  const source = new EventSource('lab/events');
  connection.source = source;
  source.onopen = () => setConnection('live');
  source.onmessage = (message) => receive(JSON.parse(message.data), message.lastEventId);
  source.onerror = () => {
    setConnection('reconnecting');
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(connect, RETRY_DELAY);
    }
  };
}

/** Apply one event of the live run. */
function receive(event, eventId) {
  if (event.type === 'run') {
    beginRun(event);
  } else if (shown.live && (!eventId || eventId.startsWith(`${shown.live.id}:`))) {
    shown.live.apply(event);
    announce(shown.live, event);
  }
  root.dataset.lastEvent = shown.live?.last ?? 0;
  root.dataset.gaps = shown.live?.gaps ?? 0;
  renderRunState();
  if (event.type === 'end') {
    showAfterwards(event);
  }
  followRun();
  refreshSoon();
}

const liveTimes = { at: 0, began: 0 };

/** If the run was over before the page opened, show its first trial with overlaps. Its events then arrive faster than they happened. */
function showAfterwards(event) {
  const elapsed = (performance.now() - liveTimes.began) * 1000;
  const first = shown.live.trials.findIndex((trial) => trial.overlapping > 0);
  if (shown.followTrials && !shown.record && first >= 0 && event.at - liveTimes.at > 2 * elapsed) {
    shown.followTrials = false;
    showTrial(first);
  }
}

function beginRun(event) {
  if (shown.live?.id === event.run) {
    return;
  }
  if (shown.live) {
    archive(shown.live);
  }
  shown.live = new Run(event, setup.nodes);
  shown.live.apply(event);
  Object.assign(liveTimes, { at: event.at, began: performance.now() });
  root.dataset.run = event.run;
  if (!shown.record) {
    shown.followTrials = true;
    showTrial(0);
  }
  setText(byId('summary'), t('summary.run', { count: number(event.trials.length) }));
}

/** Announce verdicts and the end to a screen reader, but not each figure. */
function announce(run, event) {
  if (event.type === 'verdict') {
    const trial = run.trials[event.trial];
    setText(byId('summary'), t('summary.verdict', { strategy: titleOf(trial), verdict: t(`verdict.${event.verdict}`), why: whyOf(trial) }));
  } else if (event.type === 'end' && event.outcome !== 'finished') {
    setText(byId('summary'), t(`outcome.${event.outcome}`));
  }
}

export function renderRunState() {
  const state = !shown.live ? 'idle' : shown.live.running ? 'running' : 'finished';
  root.dataset.runState = state;
  root.dataset.shown = shown.record ? 'record' : 'live';
  byId('stop').disabled = state !== 'running';
}
