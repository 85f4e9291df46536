/** The line under the lanes that says, in slow motion, what happens. */

import { byId, setText } from './tools.js';
import { t } from './texts.js';
import { shownRun } from './shown.js';
import { OPEN, REFUSED, WROTE } from './model.js';
import { lockMoments } from './lock.js';
import { describe } from './inspector.js';

/** How long a sentence stays, in milliseconds, by its weight: nothing of less weight replaces it earlier. */
const STAY = [0, 250, 900, 2200];

let moments = [];
let next = 0;
let since = -Infinity;
let weight = 0;

export function beginNarration(trial, from) {
  const { stays } = trial;
  const nodes = shownRun().nodes;
  moments = lockMoments(trial);
  for (let row = 0; row < stays.size; row++) {
    moments.push({ at: stays.read[row], key: 'read', row, weight: 1 });
    if (stays.state[row] !== OPEN) {
      const overlap = stays.state[row] === WROTE && stays.partners[row] > 0;
      const state = overlap ? 'overlap' : { [WROTE]: 'wrote', [REFUSED]: 'refused' }[stays.state[row]] ?? 'crashed';
      moments.push({ at: stays.end[row], key: state, row, weight: overlap ? 2 : state === 'wrote' ? 1 : 3 });
    }
  }
  for (const fault of trial.faults) {
    moments.push({ at: fault.from, key: `fault.${fault.fault}`, node: nodes[fault.node], weight: 3 });
    if (Number.isFinite(fault.until) && fault.fault !== 'slow') {
      moments.push({ at: fault.until, key: `faultEnd.${fault.fault}`, node: nodes[fault.node], weight: 3 });
    }
  }
  for (const moment of moments.filter((each) => each.row !== undefined)) {
    moment.values = { ...describe(shownRun(), trial, moment.row), lease: moment.lease };
  }
  moments.sort((a, b) => a.at - b.at);
  next = moments.findIndex(({ at }) => at >= from);
  since = -Infinity;
  weight = 0;
  byId('narration').hidden = false;
  setText(byId('narration'), t('say.begin'));
}

/** Say the weightiest of what has happened since the last call. */
export function narrate(time, now) {
  let best = null;
  while (next >= 0 && next < moments.length && moments[next].at <= time) {
    if (!best || moments[next].weight >= best.weight) {
      best = moments[next];
    }
    next++;
  }
  if (best && (best.weight >= weight || now - since > STAY[weight])) {
    since = now;
    weight = best.weight;
    byId('narration').dataset.kind = best.key.split('.')[0];
    setText(byId('narration'), t(`say.${best.key}`, best.values ?? { node: best.node }));
  }
}

export function endNarration() {
  byId('narration').hidden = true;
}
