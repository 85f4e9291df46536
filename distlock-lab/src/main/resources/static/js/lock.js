/** Draws the lock: who holds it, how its lease runs down and is renewed, and how many callers wait. */

import { duration, number, t } from './texts.js';
import { CLASSES, REFUSED, classOf, endOf } from './model.js';
import { LANE_GAP, lanes, lanesBox, timeToX } from './view.js';
import { colours, drawBar, drawName } from './brush.js';

export const LOCK_HEIGHT = 104;

const LEASE_TOP = 30;
const LEASE_HEIGHT = 26;
const HOLDER_TOP = LEASE_TOP + LEASE_HEIGHT + 3;
const HOLDER_HEIGHT = 20;
const QUEUE_HEIGHT = 18;

export function drawLock(pen, trial, nodes) {
  pen.fillStyle = colours.lane;
  pen.beginPath();
  pen.roundRect(0, 0, lanesBox.width, LOCK_HEIGHT, 8);
  pen.fill();
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, lanesBox.width, LOCK_HEIGHT);
  pen.clip();
  drawQueue(pen, trial);
  const rows = rowsInSight(trial);
  rows.forEach((row) => drawLease(pen, trial, row));
  drawHolders(pen, trial, rows, nodes);
  rows.forEach((row) => drawMarks(pen, trial, row));
  pen.restore();
  drawName(pen, t('lock.name'), 0);
}

/** The stays in sight that held a lock. */
function rowsInSight(trial) {
  const rows = [];
  const add = (row) => (trial.stays.read[row] <= lanes.limit && rows.push(row));
  for (const lane of trial.lanes) {
    lane.closed.scan(lanes.from, lanes.to, add);
    lane.open.forEach(add);
  }
  return rows.sort((a, b) => trial.stays.read[a] - trial.stays.read[b]);
}

/** The lease runs down from full to nothing; each renewal fills it again. */
function drawLease(pen, trial, row) {
  const { stays } = trial;
  if (!Number.isFinite(stays.lease[row])) {
    return;
  }
  const last = Math.min(endOf(trial, row), lanes.limit);
  if (timeToX(last) - timeToX(stays.read[row]) < 3) {
    return;
  }
  const steps = [{ at: stays.read[row], lease: stays.lease[row] }, ...(trial.renewals.get(row) ?? [])].filter((step) => step.at <= last);
  const full = Math.max(...steps.map((step) => step.lease - step.at), 1);
  const bottom = LEASE_TOP + LEASE_HEIGHT;
  const y = (time, lease) => bottom - Math.max(0, Math.min(1, (lease - time) / full)) * LEASE_HEIGHT;
  steps.forEach((step, i) => {
    const until = Math.min(steps[i + 1]?.at ?? last, last);
    const zero = Math.min(until, step.lease);
    pen.fillStyle = colours.lease;
    pen.strokeStyle = colours['lease-line'];
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(timeToX(step.at), bottom);
    pen.lineTo(timeToX(step.at), y(step.at, step.lease));
    pen.lineTo(timeToX(zero), y(zero, step.lease));
    pen.lineTo(timeToX(zero), bottom);
    pen.fill();
    pen.beginPath();
    pen.moveTo(timeToX(step.at), y(step.at, step.lease));
    pen.lineTo(timeToX(zero), y(zero, step.lease));
    pen.stroke();
    if (i > 0) {
      drawTick(pen, timeToX(step.at));
    }
  });
}

/** A renewal: a line over the lease, with an arrow head. */
function drawTick(pen, x) {
  pen.fillStyle = colours['lease-line'];
  pen.fillRect(x - 1, LEASE_TOP, 2, LEASE_HEIGHT);
  pen.beginPath();
  pen.moveTo(x - 5, LEASE_TOP + 1);
  pen.lineTo(x + 5, LEASE_TOP + 1);
  pen.lineTo(x, LEASE_TOP - 6);
  pen.fill();
}

function drawHolders(pen, trial, rows, nodes) {
  const { stays } = trial;
  let lastX = -1;
  for (const row of rows) {
    const x = timeToX(stays.read[row]);
    const outlived = trial.isOutlived(row);
    const last = timeToX(Math.min(endOf(trial, row), lanes.limit));
    const end = outlived ? Math.min(last, timeToX(trial.leaseEnd(row))) : last;
    if (outlived && last > end) {
      // It still works, and it is no longer the holder.
      pen.fillStyle = colours[CLASSES[classOf(stays, row)]];
      pen.fillRect(end, HOLDER_TOP + HOLDER_HEIGHT - 4, last - end, 4);
    }
    if (end < 0 || end <= lastX) {
      continue;
    }
    lastX = Math.max(end, x + 1);
    const width = Math.max(1, end - x);
    const kind = classOf(stays, row);
    drawBar(pen, kind, x, HOLDER_TOP, width, HOLDER_HEIGHT);
    pen.font = '600 11px system-ui, sans-serif';
    const left = Math.max(x, 0) + 5;
    const label = [t('lock.holder', { order: number(stays.order[row]), node: nodes[stays.node[row]] }), nodes[stays.node[row]]]
      .find((text) => pen.measureText(text).width + 10 <= end - left + 5);
    if (label && kind !== 2) {
      pen.fillStyle = kind === 4 ? colours['red-ink'] : kind === 1 ? colours.ink : kind === 3 ? colours.panel : colours['ok-ink'];
      pen.textBaseline = 'middle';
      pen.fillText(label, left, HOLDER_TOP + HOLDER_HEIGHT / 2 + 0.5);
    }
  }
}

/** A flag where the lease ended before its holder, and a shield where a token refused a write. */
function drawMarks(pen, trial, row) {
  const { stays } = trial;
  const end = trial.leaseEnd(row);
  if (trial.isOutlived(row) && end <= lanes.limit) {
    drawFlag(pen, timeToX(end), t('lock.ended'), colours.red, colours['red-ink'], true);
  }
  if (stays.state[row] === REFUSED && Number.isFinite(stays.token[row]) && stays.end[row] <= lanes.limit) {
    drawFlag(pen, timeToX(stays.end[row]), t('lock.refused'), colours.refused, colours.panel);
  }
}

function drawFlag(pen, x, text, colour, ink, toLeft = false) {
  if (x < -200 || x > lanesBox.width + 200) {
    return;
  }
  pen.font = '650 11.5px system-ui, sans-serif';
  const width = pen.measureText(text).width + 14;
  const left = (toLeft && x > width) || x + width > lanesBox.width - 4 ? x - width : x;
  pen.fillStyle = colour;
  pen.fillRect(x - 1.25, 6, 2.5, LOCK_HEIGHT + LANE_GAP);
  pen.beginPath();
  pen.roundRect(left, 5, width, 20, left < x ? [6, 0, 0, 6] : [0, 6, 6, 0]);
  pen.fill();
  pen.fillStyle = ink;
  pen.textBaseline = 'middle';
  pen.fillText(text, left + 7, 15.5);
}

/** The number of callers that wait, as steps along the bottom of the lane. */
function drawQueue(pen, trial) {
  const { queue } = trial;
  if (queue.length === 0) {
    return;
  }
  const most = queue.reduce((max, { waiting }) => Math.max(max, waiting), 1);
  const bottom = LOCK_HEIGHT - 3;
  const y = (waiting) => bottom - (waiting / most) * QUEUE_HEIGHT;
  let shown = 0;
  let x = 0;
  pen.fillStyle = colours.wait;
  pen.globalAlpha = 0.38;
  const last = Math.min(lanes.limit, lanes.to, trial.latest);
  for (const { at, waiting } of queue) {
    if (at > last) {
      break;
    }
    const next = Math.max(0, timeToX(at));
    if (next > x && shown > 0) {
      pen.fillRect(x, y(shown), next - x, bottom - y(shown));
    }
    x = Math.max(x, next);
    shown = waiting;
  }
  pen.fillRect(x, y(shown), Math.max(0, timeToX(last) - x), bottom - y(shown));
  pen.globalAlpha = 1;
  const text = t('lock.queue', { count: number(shown), most: number(most) });
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  pen.fillStyle = colours.muted;
  pen.fillText(text, 10, bottom - 7);
}

/** What the lock did in the sight of a user: for the narration. */
export function lockMoments(trial) {
  const { stays } = trial;
  const moments = [];
  for (let row = 0; row < stays.size; row++) {
    for (const { at } of trial.renewals.get(row) ?? []) {
      moments.push({ at, key: 'renewed', row, weight: 2 });
    }
    if (trial.isOutlived(row)) {
      moments.push({ at: trial.leaseEnd(row), key: 'leaseEnded', row, weight: 3, lease: duration(trial.leaseEnd(row) - stays.read[row]) });
    }
  }
  return moments;
}
