/** Draws what has changed, at most once for each frame. */

import { lanes, moveView } from './view.js';
import { drawLanes, drawOverview, placeWindow } from './lanes.js';
import { stepReplay } from './motion.js';
import { renderTools } from './inspector.js';
import { charts } from './charts.js';
import { renderCards, renderVerdict } from './verdicts.js';
import { renderTrials, renderStays } from './tables.js';
import { renderNotice, renderRecord } from './records.js';
import { renderRunState } from './connection.js';

const SLOW_REFRESH = 400;
const MIN_FRAME = 30;
let frame = 0;
let previousFrame = 0;
let slowTimer = 0;

/** Draw at most once for each frame of the screen. */
export function scheduleFrame() {
  frame ||= requestAnimationFrame(drawFrame);
}

function drawFrame(now) {
  frame = 0;
  if (now - previousFrame < MIN_FRAME) {
    scheduleFrame();
    return;
  }
  previousFrame = now;
  stepReplay(now);
  moveView();
  if (lanes.dirty) {
    lanes.dirty = false;
    drawLanes();
    placeWindow();
  }
}

/** Schedule the lanes for the next frame, and tables, cards and charts for the next slow refresh. */
export function refreshSoon() {
  lanes.dirty = true;
  scheduleFrame();
  slowTimer ||= setTimeout(refreshSlowly, SLOW_REFRESH);
}

function refreshSlowly() {
  slowTimer = 0;
  renderAll();
}

export function renderAll() {
  renderRunState();
  renderNotice();
  renderCards();
  renderVerdict();
  renderTools();
  drawOverview();
  renderTrials();
  renderRecord();
  setTimeout(renderStays);
  charts.update();
}
