/** The part of time that the lanes show. */

import { reducedMotion } from './tools.js';
import { scheduleFrame } from './refresh.js';
import { shown, shownTrial, shownRun } from './shown.js';

const MIN_WINDOW = 200;
const LIVE_WINDOW = 400_000;
/** How long the end of a fault by hand stays in sight. */
const AFTER_FAULT = 2_000_000;
export const AXIS = 26;
export const LANE_GAP = 10;
/** Room for the name of the node and of a fault, over the bars. */
export const LANE_HEAD = 26;
export const NAME_WIDTH = 112;

/** The place of the lanes on the screen. */
export const lanesBox = { width: 0, height: 0, laneHeight: 0, top: 0 };

const listeners = [];

/** Call a function each time the user has moved the lanes or selected a stay. */
export function onMove(listener) {
  listeners.push(listener);
}

const moved = () => listeners.forEach((listener) => listener());

/** The part of time that the lanes show, and what is selected in them. */
export const lanes = {
  from: 0,
  to: 1,
  following: true,
  selected: -1,
  hovered: -1,
  /** Whether the user has chosen the selected stay; its wait is drawn then. */
  chosen: false,
  /** Nothing later than this is drawn; finite only in slow motion. */
  limit: Infinity,
  framed: false,

  reset() {
    Object.assign(this, { following: true, selected: -1, hovered: -1, limit: Infinity, framed: false });
  },

  /** The bounds of the trial, with a little room. */
  bounds() {
    const trial = shownTrial();
    if (!trial || !Number.isFinite(trial.start)) {
      return null;
    }
    const last = Math.max(trial.latest, trial.start + 1000);
    const margin = (last - trial.start) * 0.015;
    return { from: trial.start - margin, to: last + margin };
  },

  set(from, to) {
    const bounds = this.bounds();
    if (!bounds) {
      return;
    }
    const width = Math.min(Math.max(to - from, MIN_WINDOW), bounds.to - bounds.from);
    const start = Math.min(Math.max((from + to) / 2 - width / 2, bounds.from), bounds.to - width);
    const pixel = width / Math.max(1, lanesBox.width);
    if (Math.abs(start - this.from) + Math.abs(start + width - this.to) > pixel / 2) {
      this.from = start;
      this.to = start + width;
      scheduleFrame();
    }
  },

  /** Stop following and show this part. */
  look(from, to) {
    this.following = false;
    this.set(from, to);
    moved();
  },

  zoom(factor, centre = (this.from + this.to) / 2) {
    this.look(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
  },

  pan(part) {
    const step = (this.to - this.from) * part;
    this.look(this.from + step, this.to + step);
  },

  select(row, reveal = true) {
    this.selected = row;
    this.chosen = true;
    const trial = shownTrial();
    if (trial && row >= 0 && reveal) {
      const { read, end } = trial.stays;
      const last = Number.isFinite(end[row]) ? end[row] : read[row];
      if (read[row] < this.from || last > this.to) {
        const width = Math.max(this.to - this.from, (last - read[row]) * 1.2);
        const middle = (read[row] + last) / 2;
        this.look(middle - width / 2, middle + width / 2);
      }
    }
    moved();
    scheduleFrame();
  },
};

export const timeToX = (time) => ((time - lanes.from) / (lanes.to - lanes.from)) * lanesBox.width;
export const xToTime = (x) => lanes.from + (x / lanesBox.width) * (lanes.to - lanes.from);

export const isReplaying = () => Number.isFinite(lanes.limit);

/** Whether the lanes move with the run: the newest trial, and its newest stays. */
export function isFollowing() {
  const live = shownRun() === shown.live && shown.live?.running;
  return lanes.following && (!live || shown.followTrials);
}

/** Follow a live trial, or show its most telling part once its verdict is known. */
export function moveView() {
  const trial = shownTrial();
  const bounds = lanes.bounds();
  if (!trial || !bounds || !lanes.following || isReplaying()) {
    return;
  }
  if (trial.verdict) {
    if (!lanes.framed) {
      lanes.framed = true;
      frameTellingPart(trial);
    }
    return;
  }
  const from = Math.max(bounds.from, liveStart(trial, bounds.to));
  const smooth = lanes.to > bounds.from && !reducedMotion.matches ? 0.25 : 1;
  lanes.set(lanes.from + (from - lanes.from) * smooth, lanes.to + (bounds.to - lanes.to) * smooth);
}

/** Where a live trial begins to be seen: all of it if it was started with a fault, else its end, with a fault by hand that is not long over. */
function liveStart(trial, now) {
  const fault = trial.faults.at(-1);
  const struck = fault && now < (fault.until ?? Infinity) + AFTER_FAULT;
  return trial.fault !== 'none' ? -Infinity : Math.min(now, struck ? fault.from : Infinity) - LIVE_WINDOW;
}

/** Show the fault. Without one, show the part with most overlaps, or with most stays. */
function frameTellingPart(trial) {
  const struck = trial.faults.find((fault) => fault.fault !== 'clock');
  const { stays } = trial;
  if (struck) {
    const end = Math.min(Number.isFinite(struck.until) ? struck.until : trial.latest, struck.from + 3_500_000);
    const margin = Math.max((end - struck.from) * 0.12, 20_000);
    lanes.set(struck.from - margin, end + margin);
    lanes.select(struckStay(trial, struck), false);
  } else {
    const rows = trial.sortedRows((row) => trial.overlapping === 0 || stays.partners[row] > 0);
    const width = usualWindow(trial);
    const dense = densestPart(stays, rows, width);
    lanes.set(stays.read[dense[0]] - width * 0.06, stays.read[dense[0]] + width * 0.94);
    lanes.select(clearestSale(trial, dense) ?? dense[dense.length >> 1], false);
  }
  lanes.chosen = false;
}

/** The stay that a fault met. */
function struckStay(trial, fault) {
  const { stays } = trial;
  const rows = trial.sortedRows((row) => stays.node[row] === fault.node && stays.read[row] <= fault.from
    && stays.end[row] >= fault.from - 1000);
  return rows.at(-1) ?? -1;
}

/** Of rows in order, those of the window in which most begin; a window with stays of several nodes counts more. */
function densestPart(stays, rows, width) {
  const counts = [];
  let best = { score: -1, first: 0, last: 0 };
  let first = 0;
  rows.forEach((row, last) => {
    counts[stays.node[row]] = (counts[stays.node[row]] ?? 0) + 1;
    while (stays.read[row] - stays.read[rows[first]] > width * 0.85) {
      counts[stays.node[rows[first++]]]--;
    }
    const total = last - first + 1;
    const others = total - Math.max(...counts.map((count) => count ?? 0));
    const score = total + 4 * Math.min(others, 4);
    if (score > best.score) {
      best = { score, first, last };
    }
  });
  return rows.slice(best.first, best.last + 1);
}

/** Of rows, the one that shows best that a unit was sold twice, once on each node: both bars are long. */
function clearestSale(trial, rows) {
  const { read, end, value, node, partners } = trial.stays;
  let best;
  let longest = 0;
  for (const row of rows.filter((candidate) => partners[candidate] > 0)) {
    const other = trial.partnerOf(row);
    const length = Math.min(end[row] - read[row], end[other] - read[other]);
    if (value[other] === value[row] && node[other] !== node[row] && length > longest) {
      best = row;
      longest = length;
    }
  }
  return best;
}

/** A window in which a usual stay is wide enough for its label. */
export function usualWindow(trial) {
  const { stays } = trial;
  const lengths = [];
  const step = Math.max(1, Math.floor(stays.size / 400));
  for (let row = 0; row < stays.size; row += step) {
    if (stays.end[row] > stays.read[row]) {
      lengths.push(stays.end[row] - stays.read[row]);
    }
  }
  lengths.sort((a, b) => a - b);
  const median = lengths[lengths.length >> 1] ?? 3000;
  const labelWidth = Number.isFinite(stays.token[0]) ? 78 : 40;
  return Math.max(median * Math.max(5, lanesBox.width / labelWidth), 4000);
}
