/** Which run and which play the page shows. */

import { lanes } from './view.js';
import { charts } from './charts.js';
import { refreshSoon } from './refresh.js';

export const setup = { strategies: [], faults: [], nodes: ['inventory-1', 'inventory-2'], limits: {} };

export const shown = {
  /** The run that the events of the server describe. */
  live: null,
  /** A record that was opened, or null. */
  record: null,
  /** Number of the play that is shown. */
  play: 0,
  /** Whether the next play of the live run is shown when it begins. */
  followPlays: true,
};

export const shownRun = () => shown.record ?? shown.live;
export const shownPlay = () => shownRun()?.plays[shown.play] ?? null;

/** Show a play: its lanes, verdict and charts. */
export function showPlay(index) {
  shown.play = index;
  lanes.reset();
  charts.reset();
  refreshSoon();
}

/** Show the play that runs now, unless the user has chosen another one. */
export function followRun() {
  const run = shownRun();
  if (shown.followPlays && run === shown.live && run.current !== shown.play) {
    showPlay(run.current);
  }
}
