/** Draws the lanes, and each trial as a miniature. */

import { byId } from './tools.js';
import { formatter, t } from './texts.js';
import { setup, shownTrial, shownRun } from './shown.js';
import { CLASSES, classOf, endOf } from './model.js';
import { AXIS, LANE_GAP, LANE_HEAD, NAME_WIDTH, lanes, lanesBox, timeToX } from './view.js';
import { colours, drawBar, drawName, penOf } from './brush.js';
import { LOCK_HEIGHT, drawLock } from './lock.js';

export const lanesCanvas = byId('lanes-canvas');
export const overviewCanvas = byId('overview');

export const laneTop = (node) => lanesBox.top + node * (lanesBox.laneHeight + LANE_GAP);

/** Height of one track: the same in all lanes, so that bars can be compared. */
export function trackHeight(trial) {
  const tracks = Math.max(1, ...trial.lanes.map((lane) => lane.tracks.length));
  return Math.min(38, (lanesBox.laneHeight - LANE_HEAD - 4) / tracks);
}

export function drawLanes() {
  const { pen, width, height } = penOf(lanesCanvas);
  const run = shownRun();
  const trial = shownTrial();
  const names = run?.nodes ?? setup.nodes;
  const top = trial?.hasLock ? LOCK_HEIGHT + LANE_GAP : 0;
  Object.assign(lanesBox, { width, height, top, laneHeight: (height - top - AXIS - LANE_GAP * names.length) / names.length });
  names.forEach((name, node) => drawLaneGround(pen, name, node));
  if (!trial || !Number.isFinite(trial.start)) {
    return;
  }
  drawAxis(pen, trial);
  names.forEach((name, node) => drawFaults(pen, trial, node));
  if (trial.hasLock) {
    drawLock(pen, trial, run.nodes);
  }
  drawSharedTime(pen, trial);
  names.forEach((name, node) => drawBars(pen, trial, node));
  drawSelection(pen, trial);
  names.forEach((name, node) => drawLaneName(pen, name, node));
}

function drawLaneGround(pen, name, node) {
  pen.fillStyle = colours.lane;
  pen.beginPath();
  pen.roundRect(0, laneTop(node), lanesBox.width, lanesBox.laneHeight, 8);
  pen.fill();
  drawLaneName(pen, name, node);
}

function drawLaneName(pen, name, node) {
  drawName(pen, name, laneTop(node));
}

/** Choose a step of 1, 2 or 5 times a power of ten. */
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
}

/** Ticks show as many digits as their step needs. */
function tickLabel(tick, step, last) {
  const [unit, name] = last < 1e6 ? [1e3, 'ms'] : [1e6, 's'];
  return `${formatter(Math.max(0, Math.ceil(Math.log10(unit / step)))).format(tick / unit)} ${name}`;
}

function drawAxis(pen, trial) {
  const step = niceStep(((lanes.to - lanes.from) / lanesBox.width) * 90);
  const y = lanesBox.height - AXIS;
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  pen.textAlign = 'center';
  for (let tick = Math.ceil((lanes.from - trial.start) / step) * step; tick <= lanes.to - trial.start; tick += step) {
    const x = Math.round(timeToX(trial.start + tick)) + 0.5;
    pen.fillStyle = colours.line;
    pen.fillRect(x, 0, 1, y);
    const label = tickLabel(Math.round(tick) || 0, step, lanes.to - trial.start);
    const half = pen.measureText(label).width / 2;
    if (x > half && x < lanesBox.width - half) {
      pen.fillStyle = colours.muted;
      pen.fillText(label, x, y + 13);
    }
  }
  pen.textAlign = 'left';
}

function drawFaults(pen, trial, node) {
  for (const fault of trial.faults) {
    const until = Number.isFinite(fault.until) ? fault.until : Math.max(trial.latest, lanes.to);
    const x = Math.max(0, timeToX(fault.from));
    const end = Math.min(lanesBox.width, timeToX(Math.min(until, lanes.limit)));
    if (fault.node !== node || end <= 0 || x >= lanesBox.width || fault.from > lanes.limit) {
      continue;
    }
    const top = laneTop(node);
    pen.fillStyle = colours.fault;
    pen.fillRect(x, top, Math.max(2, end - x), lanesBox.laneHeight);
    pen.fillStyle = colours['fault-ink'];
    pen.fillRect(x, top, 2, lanesBox.laneHeight);
    pen.font = '600 12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    const label = t(`fault.${fault.fault}.band`);
    const labelWidth = pen.measureText(label).width;
    const at = Math.min(Math.max(x + 8, NAME_WIDTH), lanesBox.width - labelWidth - 8);
    pen.fillText(label, at, top + 15);
  }
}

export function drawBars(pen, trial, node) {
  const lane = trial.lanes[node];
  if (!lane) {
    return;
  }
  const { stays } = trial;
  const rows = CLASSES.map(() => []);
  const add = (row) => stays.read[row] <= lanes.limit && rows[classOf(stays, row)].push(row);
  lane.closed.scan(lanes.from, lanes.to, add);
  lane.open.forEach(add);
  pen.save();
  pen.beginPath();
  pen.rect(0, laneTop(node), lanesBox.width, lanesBox.laneHeight);
  pen.clip();
  const height = trackHeight(trial);
  rows.forEach((members, kind) => drawClass(pen, trial, node, members, kind, height));
  pen.restore();
}

/** Draw all bars of one class; bars that fall on the same pixel as the one before are left out. */
function drawClass(pen, trial, node, rows, kind, height) {
  const { stays } = trial;
  const base = barsTop(trial, node, height);
  const lastX = new Map();
  for (const row of rows) {
    const track = stays.track[row];
    const x = timeToX(stays.read[row]);
    const end = timeToX(Math.min(endOf(trial, row), lanes.limit));
    if (end < 0 || end <= (lastX.get(track) ?? -1)) {
      continue;
    }
    const width = Math.max(1, end - x);
    lastX.set(track, Math.max(end, x + 1));
    drawBar(pen, kind, x, base + track * height, width, height);
    drawLabel(pen, stays, row, kind, x, base + track * height, width, height);
  }
}

/** Top of the first track. The tracks are centred in the lane. */
export function barsTop(trial, node, height) {
  const tracks = Math.max(1, trial.lanes[node]?.tracks.length ?? 1);
  return laneTop(node) + LANE_HEAD + Math.max(0, (lanesBox.laneHeight - LANE_HEAD - 4 - tracks * height) / 2);
}

/** Tokens are long. The last digits show that they grow. */
const SHOWN_DIGITS = 6;

/** The value that was read and the fencing token, as far as there is room. */
export function labelsOf(stays, row) {
  const value = Number.isFinite(stays.value[row]) ? String(stays.value[row]) : '';
  if (!Number.isFinite(stays.token[row])) {
    return [value];
  }
  const token = String(stays.token[row]);
  const short = token.length > SHOWN_DIGITS + 1 ? `…${token.slice(-SHOWN_DIGITS)}` : token;
  return [`${value} · ${token}`, `${value} · ${short}`, value];
}

function drawLabel(pen, stays, row, kind, x, y, width, height) {
  if (height < 10 || width < 16 || kind === 2) {
    return;
  }
  pen.font = `600 ${Math.min(13, Math.max(8.5, height - 4))}px system-ui, sans-serif`;
  const label = labelsOf(stays, row).find((text) => pen.measureText(text).width + 7 <= width);
  if (label) {
    pen.textBaseline = 'middle';
    pen.fillStyle = kind === 4 ? colours['red-ink'] : kind === 1 ? colours.ink : colours['ok-ink'];
    pen.fillText(label, Math.max(x, 0) + 4, y + height / 2 + 0.5);
  }
}

/** The stay that is pointed at, else the selected one, and the one that it overlaps; -1 if there is none. */
function marked(trial) {
  const row = lanes.hovered >= 0 ? lanes.hovered : lanes.selected;
  if (row < 0 || row >= trial.stays.size) {
    return { row: -1, other: -1 };
  }
  return { row, other: trial.stays.partners[row] > 0 ? trial.partnerOf(row) : -1 };
}

/** A red band over all lanes: the time in which two stays were inside. */
function drawSharedTime(pen, trial) {
  const { row, other } = marked(trial);
  if (other >= 0) {
    const { read, end } = trial.stays;
    const from = timeToX(Math.max(read[row], read[other]));
    const to = timeToX(Math.min(end[row], end[other]));
    pen.globalAlpha = 0.22;
    pen.fillStyle = colours.red;
    pen.fillRect(from, 0, Math.max(2, to - from), lanesBox.height - AXIS);
    pen.globalAlpha = 1;
  }
}

/** Outline the selected stay and the one that it overlaps; show its wait if the user has chosen it. */
function drawSelection(pen, trial) {
  const { row, other } = marked(trial);
  if (row < 0) {
    return;
  }
  if (lanes.chosen || lanes.hovered >= 0) {
    drawWait(pen, trial, row);
  }
  if (other >= 0) {
    outline(pen, trial, other, 2);
  }
  outline(pen, trial, row, 3);
}

function outline(pen, trial, row, thickness) {
  const { stays } = trial;
  const height = trackHeight(trial);
  const y = barsTop(trial, stays.node[row], height) + stays.track[row] * height;
  const x = timeToX(stays.read[row]);
  pen.strokeStyle = colours.ink;
  pen.lineWidth = thickness;
  pen.strokeRect(x - 1, y - 1, Math.max(3, timeToX(endOf(trial, row)) - x + 2), height + 2);
}

function drawWait(pen, trial, row) {
  const { stays } = trial;
  if (!(stays.arrived[row] < stays.read[row])) {
    return;
  }
  const height = trackHeight(trial);
  const y = barsTop(trial, stays.node[row], height) + stays.track[row] * height + height / 2;
  pen.strokeStyle = colours.wait;
  pen.lineWidth = 2;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(Math.max(0, timeToX(stays.arrived[row])), y);
  pen.lineTo(timeToX(stays.read[row]), y);
  pen.stroke();
  pen.setLineDash([]);
}

/** Draw a whole trial small: one row for each node; a column with an overlap is red and higher. */
export function drawMiniature(canvas, trial, nodes) {
  const { pen, width, height } = penOf(canvas);
  if (!trial || !Number.isFinite(trial.start)) {
    return;
  }
  const bounds = { from: trial.start, to: Math.max(trial.latest, trial.start + 1000) };
  const scale = width / (bounds.to - bounds.from);
  const rowHeight = height / nodes;
  const columns = Math.ceil(width) + 1;
  const best = Array.from({ length: nodes }, () => new Uint8Array(columns));
  const { stays } = trial;
  for (let row = 0; row < stays.size; row++) {
    const rank = RANKS[classOf(stays, row)];
    const cells = best[stays.node[row]];
    const last = Math.min(columns - 1, Math.floor((endOf(trial, row) - bounds.from) * scale));
    for (let column = Math.max(0, Math.floor((stays.read[row] - bounds.from) * scale)); column <= last; column++) {
      cells[column] = Math.max(cells[column], rank);
    }
  }
  for (const fault of trial.faults) {
    pen.fillStyle = colours.fault;
    const until = Number.isFinite(fault.until) ? fault.until : bounds.to;
    pen.fillRect((fault.from - bounds.from) * scale, fault.node * rowHeight, (until - fault.from) * scale, rowHeight);
  }
  best.forEach((cells, node) => drawColumns(pen, cells, node * rowHeight, rowHeight));
}

/** Order of drawing in a miniature: a later class covers an earlier one, so overlaps are always visible. */
const RANKED = ['refused', 'open', 'ok', 'crashed', 'red'];
const RANKS = CLASSES.map((name) => RANKED.indexOf(name) + 1);

/** Draw columns of equal rank as one rectangle. */
function drawColumns(pen, cells, top, height) {
  for (let first = 0; first < cells.length;) {
    const rank = cells[first];
    let next = first + 1;
    while (next < cells.length && cells[next] === rank) {
      next++;
    }
    if (rank > 0) {
      const inset = rank === RANKED.length ? 0.5 : height * (rank === 1 ? 0.36 : 0.22);
      pen.fillStyle = colours[RANKED[rank - 1]];
      pen.fillRect(first, top + inset, next - first, height - 2 * inset);
    }
    first = next;
  }
}

/** Draw the whole trial. This happens only with new data; the frame of the window is an element of its own. */
export function drawOverview() {
  drawMiniature(overviewCanvas, shownTrial(), shownRun()?.nodes.length ?? 2);
}

/** Move the frame that shows which part the lanes show. */
export function placeWindow() {
  const trial = shownTrial();
  const frameOfWindow = byId('window');
  frameOfWindow.hidden = !trial || !lanes.bounds();
  if (!frameOfWindow.hidden) {
    const width = lanesBox.width;
    const scale = width / Math.max(1, trial.latest - trial.start);
    const from = Math.max(0, (lanes.from - trial.start) * scale);
    const to = Math.min(width, Math.max(from + 4, (lanes.to - trial.start) * scale));
    frameOfWindow.style.transform = `translateX(${Math.min(from, width - 4)}px)`;
    frameOfWindow.style.width = `${Math.max(4, to - from)}px`;
  }
}
