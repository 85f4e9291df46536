/** Which run and which trial the page shows. */

export const setup = { strategies: [], faults: [], nodes: ['inventory-1', 'inventory-2'], lockPages: [], limits: {} };

export const shown = {
  /** The run that the events of the server describe. */
  live: null,
  /** A record that was opened, or null. */
  record: null,
  /** Number of the trial that is shown. */
  trial: 0,
  /** Whether the next trial of the live run is shown when it begins. */
  followTrials: true,
};

export const shownRun = () => shown.record ?? shown.live;

export const shownTrial = () => shownRun()?.trials[shown.trial] ?? null;

const listeners = [];

/** Call a function each time another trial is shown. */
export function onChange(listener) {
  listeners.push(listener);
}

/** Show a trial: its lanes, verdict and charts. */
export function showTrial(index) {
  shown.trial = index;
  listeners.forEach((listener) => listener());
}

/** Show the trial that runs now, unless the user has chosen another one. */
export function followRun() {
  const run = shownRun();
  if (shown.followTrials && run === shown.live && run.current !== shown.trial) {
    showTrial(run.current);
  }
}
