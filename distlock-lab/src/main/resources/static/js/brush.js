/** What all drawings on a canvas share: colours, sizes, bars and names. */

import { root } from './tools.js';
import { refreshSoon } from './refresh.js';
import { CLASSES } from './model.js';

export let colours = {};
let hatch = null;

/** Read the colours of the style sheet; they depend on dark mode. */
export function readColours() {
  const style = getComputedStyle(root);
  const names = ['ink', 'muted', 'panel', 'lane', 'line', 'ok', 'ok-ink', 'red', 'red-ink', 'red-edge', 'refused',
    'crashed', 'open', 'lease', 'lease-line', 'fault', 'fault-ink', 'accent', 'wait'];
  colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  hatch = hatchPattern(colours.refused);
}

/** A pattern of diagonal lines, for refused writes. */
function hatchPattern(colour) {
  const tile = document.createElement('canvas');
  tile.width = 8;
  tile.height = 8;
  const pen = tile.getContext('2d');
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  for (const shift of [-8, 0, 8]) {
    pen.moveTo(shift, 8);
    pen.lineTo(shift + 8, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, 'repeat');
}

/** Sizes of the canvases, kept by an observer: reading them from a canvas forces a layout in each frame. */
const canvasSizes = new WeakMap();
const canvasObserver = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    canvasSizes.set(target, { width: contentRect.width, height: contentRect.height });
  }
  refreshSoon();
});

export function sizeOf(canvas) {
  if (!canvasSizes.has(canvas)) {
    canvasSizes.set(canvas, { width: canvas.clientWidth, height: canvas.clientHeight });
    canvasObserver.observe(canvas);
  }
  return canvasSizes.get(canvas);
}

/** Fit a canvas to its place on the screen and return its pen in CSS pixels. */
export function penOf(canvas) {
  const ratio = devicePixelRatio || 1;
  const { width, height } = sizeOf(canvas);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** The name of a lane, in its corner. */
export function drawName(pen, name, top) {
  pen.font = '600 12px system-ui, sans-serif';
  const width = pen.measureText(name).width;
  pen.fillStyle = colours.panel;
  pen.beginPath();
  pen.roundRect(6, top + 5, width + 14, 19, 9);
  pen.fill();
  pen.fillStyle = colours.ink;
  pen.textBaseline = 'middle';
  pen.fillText(name, 13, top + 15);
}

/** Draw one bar. Overlapping bars are higher and have an edge, so colour is not the only difference. */
export function drawBar(pen, kind, x, y, width, height) {
  const inset = height < 4 ? 0 : kind === 4 ? Math.min(1, height * 0.06) : Math.min(5, height * 0.14);
  const h = Math.max(1, height - 2 * inset);
  const rounded = h > 7 && width > 7;
  pen.beginPath();
  if (rounded) {
    pen.roundRect(x, y + inset, width, h, 3);
  } else {
    pen.rect(x, y + inset, width, h);
  }
  pen.fillStyle = kind === 2 ? hatch : colours[CLASSES[kind]];
  pen.fill();
  const edge = { 1: colours.muted, 2: colours.refused, 3: colours.crashed, 4: colours['red-edge'] }[kind];
  if (edge && width > 4 && h > 4) {
    pen.strokeStyle = edge;
    pen.lineWidth = kind === 4 ? 2 : 1.2;
    pen.setLineDash(kind === 1 ? [3, 3] : []);
    pen.stroke();
    pen.setLineDash([]);
  }
  if (kind === 3) {
    drawEndMark(pen, x + width, y + height / 2);
  }
}

/** A cross where a process ended. */
function drawEndMark(pen, x, y) {
  pen.strokeStyle = colours.crashed;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.moveTo(x - 6, y - 6);
  pen.lineTo(x + 6, y + 6);
  pen.moveTo(x + 6, y - 6);
  pen.lineTo(x - 6, y + 6);
  pen.stroke();
}
