/** Pictures of a trial as SVG: a time line of a few orders, or a mark for each order. All have the same height, so the buttons below stay where they are. */

import { root } from './tools.js';
import { number, t } from './texts.js';
import { CRASHED, OPEN, REFUSED, WROTE, endOf } from './model.js';

/** Sizes in units of the picture. A unit is a pixel, or more if the user has chosen a larger font. */
const HEIGHT = 330;
const LOCK = 124;
const LEASE = 46;
const GAP = 10;
const PAD = 12;
const LINE = 20;
const size = { width: 1000, narrow: false, left: 0, right: 0 };
const pen = document.createElement('canvas').getContext('2d');
const SVG = 'http://www.w3.org/2000/svg';

/** Draw for a place of this width. On a narrow one the name of a lane stands above its bars. */
export function fit(place) {
  const unit = parseFloat(getComputedStyle(root).fontSize) / 15;
  const width = Math.max(280, place.clientWidth / unit);
  const narrow = width < 600;
  Object.assign(size, { width, narrow, left: narrow ? PAD : 116, right: width - PAD });
  pen.font = `700 15px ${getComputedStyle(place).fontFamily}`;
}

const widthOf = (content) => pen.measureText(content).width;

function shape(tag, attributes = {}, ...children) {
  const created = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => created.setAttribute(name, value));
  created.append(...children);
  return created;
}

function frame(label, ...children) {
  return shape('svg', { viewBox: `0 0 ${size.width} ${HEIGHT}`, role: 'img', 'aria-label': label, class: 'picture' }, ...children);
}

const text = (x, y, content, className, anchor = 'start') => shape('text', { x, y, class: className, 'text-anchor': anchor }, content);

/** A buyer with a ticket is a disc, one who shares it a square, one without a ticket a ring: colour is not the only difference. */
const mark = (kind, x, y, r) => (kind === 'twice'
  ? shape('rect', { x: x - r, y: y - r, width: 2 * r, height: 2 * r, class: 'dot-twice' })
  : shape('circle', { cx: x, cy: y, r, class: `dot-${kind}` }));

/** A mark for each order. The tickets stand in the order in which they were sold, and last the orders that got none. */
export function dots(trial, nodes, label) {
  const { stays, settings } = trial;
  const buyers = new Map();
  const sold = trial.sortedRows((row) => stays.state[row] === WROTE).sort((a, b) => stays.serial[b] - stays.serial[a]);
  sold.forEach((row) => buyers.set(stays.serial[row], (buyers.get(stays.serial[row]) ?? 0) + 1));
  const kinds = Array.from({ length: settings.orders }, (_, i) => (i >= sold.length ? 'none' : buyers.get(stays.serial[sold[i]]) > 1 ? 'twice' : 'once'));
  const columns = size.narrow ? 32 : 50;
  const places = [];
  let [x, line] = [0, 0];
  for (const kind of ['once', 'twice', 'none']) {
    const content = t(`picture.${kind}`, { count: number(kinds.filter((each) => each === kind).length) });
    const width = widthOf(content) + 22;
    if (x > 0 && x + width > size.width) {
      x = 0;
      line++;
    }
    places.push({ kind, content, x, line });
    x += width + 24;
  }
  const top = HEIGHT - LINE * (line + 1);
  const legend = places.flatMap((place) => [mark(place.kind, place.x + 8, top + LINE * place.line + 7, 6),
    text(place.x + 22, top + LINE * place.line + 12, place.content, 'note')]);
  const across = size.width / columns;
  const down = (top - PAD) / Math.ceil(kinds.length / columns);
  const marks = kinds.map((kind, i) => mark(kind, across * (i % columns + 0.5), down * (Math.floor(i / columns) + 0.5), Math.min(across, down) * 0.4));
  return frame(label, ...marks, ...legend);
}

/** The part of a trial that a picture shows: the fault, or all. */
function windowOf(trial) {
  const struck = trial.faults.find((fault) => fault.fault !== 'clock');
  const from = struck ? struck.from : trial.start;
  const to = struck && Number.isFinite(struck.until) ? struck.until : trial.latest;
  const margin = (to - from) * 0.12;
  return { from: from - margin, to: to + margin };
}

/** Lanes of the nodes, and of the lock if there is one. Without a lock the node that reads first stands first. */
export function timeline(trial, nodes, label) {
  const { stays } = trial;
  const bounds = windowOf(trial);
  const x = (time) => size.left + ((Math.min(Math.max(time, bounds.from), bounds.to) - bounds.from) / (bounds.to - bounds.from)) * (size.right - size.left);
  const rows = trial.sortedRows((row) => endOf(trial, row) > bounds.from && stays.read[row] < bounds.to);
  const lock = rows.some((row) => Number.isFinite(stays.lease[row]));
  const lanes = nodes.map((name, node) => ({ name, node, rows: rows.filter((row) => stays.node[row] === node) }));
  if (!lock) {
    lanes.sort((one, other) => stays.read[one.rows[0]] - stays.read[other.rows[0]]);
  }
  const top = lock ? LOCK + GAP : 0;
  const height = (HEIGHT - top - GAP * (lanes.length - 1)) / lanes.length;
  return frame(label, ...(lock ? lockLane(trial, rows, x) : []),
    ...lanes.flatMap((each, i) => nodeLane(trial, each, top + i * (height + GAP), height, x)));
}

const ground = (top, height) => shape('rect', { x: 0, y: top, width: size.width, height, rx: 10, class: 'lane' });

const nameOf = (name, top, height) => text(PAD, size.narrow ? top + LINE : top + height / 2 + 5, name, 'name');

const KINDS = { [OPEN]: 'open', [WROTE]: 'ok', [REFUSED]: 'refused', [CRASHED]: 'crashed' };

function nodeLane(trial, { name, node, rows }, top, height, x) {
  const { stays } = trial;
  const parts = [ground(top, height)];
  const bar = Math.max(46, height * 0.45);
  const y = top + (height - bar) / 2 + (size.narrow ? 8 : 0);
  for (const fault of trial.faults.filter((each) => each.node === node)) {
    const [from, to] = [x(fault.from), x(fault.until ?? trial.latest)];
    parts.push(shape('rect', { x: from, y: top, width: Math.max(2, to - from), height, class: 'fault' }));
    if (fault.fault === 'pause') {
      parts.push(text((from + to) / 2, top + LINE, t('picture.paused'), 'note', 'middle'));
    }
  }
  parts.push(nameOf(name, top, height));
  for (const row of rows) {
    const left = x(stays.read[row]);
    const width = Math.max(3, x(endOf(trial, row)) - left);
    const kind = stays.partners[row] > 0 ? 'red' : KINDS[stays.state[row]];
    // A stay beside a longer one of the same node stands above it.
    const beside = rows.some((other) => other !== row && stays.read[other] <= stays.read[row] && endOf(trial, other) >= endOf(trial, row));
    parts.push(shape('rect', { x: left, y: beside ? y - 12 : y, width, height: beside ? 9 : bar, rx: Math.min(7, width / 3), class: `bar bar-${kind}` }));
    if (!beside) {
      parts.push(...words(trial, row, left, width, y + bar / 2 + 5, kind));
    }
  }
  return parts;
}

/** What an order reads and writes, in its bar: on one line, on two, or not at all. */
function words(trial, row, left, width, middle, kind) {
  const { stays } = trial;
  const refused = stays.state[row] === REFUSED;
  if (stays.state[row] !== WROTE && !refused) {
    return [];
  }
  const value = number(stays.value[row]);
  const first = t('picture.reads', { value });
  const last = refused ? t('picture.refused', { value: number(stays.value[row] - 1) }) : t('picture.writes', { value: number(stays.written[row]) });
  const room = width - 2 * PAD;
  if (Math.max(widthOf(first), widthOf(last)) > room) {
    return [];
  }
  const off = widthOf(first) + widthOf(last) + PAD > room ? LINE / 2 - 1 : 0;
  return [text(left + PAD, middle - off, first, `on-${kind}`), text(left + width - PAD, middle + off, last, `on-${kind}`, 'end')];
}

/** The lease of a holder runs down, is renewed, or ends before its holder. A short lease is a tick. */
function lockLane(trial, rows, x) {
  const { stays } = trial;
  const parts = [ground(0, LOCK), nameOf(t('lock.name'), 0, LOCK)];
  const base = LOCK - 8;
  const line = (i) => LINE * (i + (size.narrow ? 2 : 1));
  for (const row of rows.filter((each) => Number.isFinite(stays.lease[each]))) {
    const renewals = trial.renewals.get(row) ?? [];
    const steps = [{ at: stays.read[row], lease: stays.lease[row] }, ...renewals];
    const full = Math.max(...steps.map((step) => step.lease - step.at));
    const y = (time, lease) => base - Math.max(0, (lease - time) / full) * LEASE;
    const begin = stays.read[row];
    // A lease that is renewed runs down before the eyes of the reader, in real time.
    const timed = (part, from, to) => {
      if (renewals.length > 0) {
        part.style.setProperty('--from', `${(from - begin) / 1e6}s`);
        part.style.setProperty('--for', `${(to - from) / 1e6}s`);
        part.classList.add('moving');
      }
      parts.push(part);
    };
    steps.forEach((step, i) => {
      const until = Math.min(steps[i + 1]?.at ?? endOf(trial, row), step.lease);
      timed(shape('path', { class: 'lease', d: `M${x(step.at)} ${base}V${y(step.at, step.lease)}L${x(until)} ${y(until, step.lease)}V${base}Z` }), step.at, until);
      if (i > 0) {
        timed(shape('path', { class: 'tick', d: `M${x(step.at)} ${base}V${y(step.at, step.lease) - 1}m-6 0h12l-6 -9z` }), step.at, step.at);
      }
    });
    if (renewals.length > 0) {
      timed(text((x(begin) + x(endOf(trial, row))) / 2, line(0), t('picture.renewed', { count: number(renewals.length) }), 'note', 'middle'), steps.at(-1).at, steps.at(-1).at);
    }
    // The later flag is the upper one: no pole crosses a text.
    if (trial.isOutlived(row)) {
      parts.push(...flag(x(trial.leaseEnd(row)), line(1), t('lock.ended'), 'red'));
    }
    if (stays.state[row] === REFUSED) {
      parts.push(...flag(x(endOf(trial, row)), line(0), t('lock.refused'), 'refused'));
    }
  }
  return parts;
}

function flag(x, y, content, kind) {
  return [shape('path', { class: `pole pole-${kind}`, d: `M${x} ${y - 14}V${LOCK}` }), text(x - 8, y, content, `flag-${kind}`, 'end')];
}
