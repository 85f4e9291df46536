/** Slow motion, and the lanes by pointer and keyboard. */

import { byId } from './tools.js';
import { scheduleFrame } from './refresh.js';
import { followRun, shown, shownTrial, shownRun } from './shown.js';
import { endOf } from './model.js';
import { LANE_GAP, isFollowing, isReplaying, lanes, lanesBox, usualWindow, xToTime } from './view.js';
import { barsTop, lanesCanvas, overviewCanvas, trackHeight } from './lanes.js';
import { renderInspector, renderTools } from './inspector.js';
import { beginNarration, endNarration, narrate } from './narration.js';

const REPLAY_SECONDS = 9;
let previous = 0;

/** Show the record slowly: one width of the window takes some seconds. */
export function toggleReplay() {
  if (isReplaying()) {
    stopReplay();
    return;
  }
  const trial = shownTrial();
  if (!trial || !Number.isFinite(trial.start)) {
    return;
  }
  const width = Math.min(usualWindow(trial), trial.latest - trial.start);
  lanes.look(lanes.from, lanes.from + width);
  previous = performance.now();
  lanes.limit = lanes.from;
  lanes.select(-1);
  beginNarration(trial, lanes.from);
  renderTools();
  scheduleFrame();
}

export function stopReplay() {
  endNarration();
  lanes.limit = Infinity;
  renderTools();
}

export function stepReplay(now) {
  if (!isReplaying()) {
    return;
  }
  const width = lanes.to - lanes.from;
  lanes.limit += ((now - previous) / 1000 / REPLAY_SECONDS) * width;
  previous = now;
  narrate(lanes.limit, now);
  if (lanes.limit > lanes.from + width * 0.75) {
    const from = lanes.limit - width * 0.75;
    lanes.set(from, from + width);
  }
  if (lanes.limit > (shownTrial()?.latest ?? 0)) {
    stopReplay();
  }
  scheduleFrame();
}

/* ------------------------------------------------------------------ lanes: pointer and keyboard */

/** The stay under a point of the lanes, or -1. */
function stayAt(x, y) {
  const trial = shownTrial();
  const node = Math.floor((y - lanesBox.top) / (lanesBox.laneHeight + LANE_GAP));
  const lane = trial?.lanes[node];
  if (!lane) {
    return -1;
  }
  const height = trackHeight(trial);
  const track = (y - barsTop(trial, node, height)) / height;
  const slack = xToTime(3) - xToTime(0);
  const time = xToTime(x);
  let best = -1;
  let bestDistance = Infinity;
  const consider = (row) => {
    const { read, track: tracks } = trial.stays;
    const away = Math.max(read[row] - time, time - endOf(trial, row), 0);
    const off = Math.abs(tracks[row] + 0.5 - track);
    const distance = away / slack + off * 2;
    if (away <= slack && off * height < Math.max(height, 8) && distance < bestDistance) {
      best = row;
      bestDistance = distance;
    }
  };
  lane.closed.scan(time - slack, time + slack, consider);
  lane.open.forEach(consider);
  return best;
}

/** The neighbour of a stay in time, on any node; without a stay the first one in sight. */
function neighbour(row, step) {
  const trial = shownTrial();
  if (!trial || trial.stays.size === 0) {
    return -1;
  }
  const { stays } = trial;
  const rows = trial.sortedRows();
  if (row < 0) {
    return rows.find((candidate) => stays.read[candidate] >= lanes.from) ?? rows[0] ?? -1;
  }
  const at = rows.indexOf(row);
  return rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
}

/** The stay of another node that is nearest in time. */
function nearestOn(node, time) {
  const trial = shownTrial();
  const { stays } = trial;
  const rows = trial.sortedRows((row) => stays.node[row] === node);
  return rows.reduce((best, row) => (best < 0 || Math.abs(stays.read[row] - time) < Math.abs(stays.read[best] - time)
    ? row : best), -1);
}

export function otherNode(step) {
  const trial = shownTrial();
  if (!trial || lanes.selected < 0) {
    return neighbour(-1, 1);
  }
  const node = trial.stays.node[lanes.selected] + step;
  const found = trial.lanes[node] ? nearestOn(node, trial.stays.read[lanes.selected]) : -1;
  return found < 0 ? lanes.selected : found;
}

/** Go to the next overlapping stay; after the last one comes the first. */
export function nextOverlap() {
  const trial = shownTrial();
  if (!trial || trial.overlapping === 0) {
    return;
  }
  const { stays } = trial;
  const rows = trial.sortedRows((row) => stays.partners[row] > 0);
  const from = lanes.selected >= 0 ? stays.read[lanes.selected] : lanes.from;
  const seen = lanes.selected >= 0 ? lanes.selected : -1;
  const next = rows.find((row) => row !== seen && (stays.read[row] > from || (stays.read[row] === from && row > seen)));
  const row = next ?? rows[0];
  const width = Math.min(lanes.to - lanes.from, Math.max(usualWindow(trial), (stays.end[row] - stays.read[row]) * 1.3));
  lanes.look(stays.read[row] - width * 0.35, stays.read[row] + width * 0.65);
  lanes.select(row);
}

function selectEdge(last) {
  const rows = shownTrial()?.sortedRows() ?? [];
  lanes.select((last ? rows.at(-1) : rows[0]) ?? -1);
}

export function toggleFollow() {
  if (isFollowing() && shownRun()?.running) {
    lanes.following = false;
    shown.followTrials = false;
    renderTools();
    return;
  }
  const run = shownRun();
  Object.assign(lanes, { following: true, framed: false, selected: -1 });
  if (run && run === shown.live && run.running) {
    shown.followTrials = true;
    followRun();
  }
  renderTools();
  renderInspector();
  scheduleFrame();
}

const KEYS = {
  ArrowRight: () => lanes.select(neighbour(lanes.selected, 1)),
  ArrowLeft: () => lanes.select(neighbour(lanes.selected, -1)),
  ArrowDown: () => lanes.select(otherNode(1)),
  ArrowUp: () => lanes.select(otherNode(-1)),
  Home: () => selectEdge(false),
  End: () => selectEdge(true),
  PageDown: () => lanes.pan(0.8),
  PageUp: () => lanes.pan(-0.8),
  '+': () => lanes.zoom(0.6),
  '=': () => lanes.zoom(0.6),
  '-': () => lanes.zoom(1 / 0.6),
  0: () => fitTrial(),
  n: () => nextOverlap(),
  p: () => toggleFollow(),
  s: () => toggleReplay(),
  Escape: () => lanes.select(-1),
};

export function fitTrial() {
  const bounds = lanes.bounds();
  if (bounds) {
    lanes.look(bounds.from, bounds.to);
  }
}

export function listenToLanes() {
  const box = byId('lanes');
  let drag = null;
  box.addEventListener('keydown', (event) => {
    const shifted = { ArrowRight: 'PageDown', ArrowLeft: 'PageUp' }[event.key];
    const action = KEYS[event.shiftKey && shifted ? shifted : event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  });
  box.addEventListener('wheel', (event) => {
    if (event.ctrlKey) {
      event.preventDefault();
      lanes.zoom(1.0015 ** event.deltaY, xToTime(event.offsetX));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      lanes.pan(event.deltaX / lanesBox.width);
    }
  }, { passive: false });
  box.addEventListener('pointerdown', (event) => {
    drag = { x: event.offsetX, from: lanes.from, to: lanes.to, moved: false };
    lanesCanvas.setPointerCapture(event.pointerId);
  });
  box.addEventListener('pointermove', (event) => {
    if (drag) {
      const shift = ((drag.x - event.offsetX) / lanesBox.width) * (drag.to - drag.from);
      drag.moved ||= Math.abs(drag.x - event.offsetX) > 4;
      if (drag.moved) {
        lanes.look(drag.from + shift, drag.to + shift);
      }
    } else {
      hover(stayAt(event.offsetX, event.offsetY));
    }
  });
  box.addEventListener('pointerup', (event) => {
    if (drag && !drag.moved) {
      lanes.select(stayAt(event.offsetX, event.offsetY), false);
    }
    drag = null;
  });
  box.addEventListener('pointercancel', () => { drag = null; });
  box.addEventListener('pointerleave', () => hover(-1));
  box.addEventListener('focus', () => {
    if (lanes.selected < 0 && box.matches(':focus-visible') && !(shownRun()?.running && lanes.following)) {
      lanes.select(neighbour(-1, 1), false);
    }
  });
}

function hover(row) {
  if (row !== lanes.hovered) {
    lanes.hovered = row;
    lanesCanvas.classList.toggle('on-bar', row >= 0);
    renderInspector();
    scheduleFrame();
  }
}

export function listenToOverview() {
  const centreOn = (event) => {
    const trial = shownTrial();
    if (trial && Number.isFinite(trial.start)) {
      const time = trial.start + (event.offsetX / overviewCanvas.clientWidth) * (trial.latest - trial.start);
      const half = (lanes.to - lanes.from) / 2;
      lanes.look(time - half, time + half);
    }
  };
  overviewCanvas.addEventListener('pointerdown', (event) => {
    overviewCanvas.setPointerCapture(event.pointerId);
    centreOn(event);
  });
  overviewCanvas.addEventListener('pointermove', (event) => {
    if (event.buttons) {
      centreOn(event);
    }
  });
}
