/** Draws what has changed, at most once for each frame. It knows no part of the page: `lab.js` registers what is drawn. */

const SLOW_REFRESH = 400;
const MIN_FRAME = 30;

/** What is drawn: in each frame, and in each slow refresh. */
const renderers = { frame: [], slow: [] };
let frame = 0;
let previousFrame = 0;
let slowTimer = 0;

export function register(kind, ...added) {
  renderers[kind].push(...added);
}

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
  renderers.frame.forEach((render) => render(now));
}

/** Schedule the lanes for the next frame, and tables, cards and charts for the next slow refresh. */
export function refreshSoon() {
  scheduleFrame();
  slowTimer ||= setTimeout(refreshSlowly, SLOW_REFRESH);
}

function refreshSlowly() {
  slowTimer = 0;
  renderAll();
}

export function renderAll() {
  renderers.slow.forEach((render) => render());
}
