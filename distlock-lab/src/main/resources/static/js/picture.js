/** Pictures of a trial as SVG: a time line of a few orders, or a dot for each ticket that was sold. */

import { CRASHED, OPEN, REFUSED, WROTE } from './model.js';
import { number, t } from './texts.js';

/** Sizes in units of the picture; a phone has fewer of them. */
const size = { width: 1000, left: 110, right: 988, row: 56, bar: 34 };
const SVG = 'http://www.w3.org/2000/svg';

function shape(tag, attributes = {}, ...children) {
  const created = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => created.setAttribute(name, value));
  created.append(...children);
  return created;
}

function frame(height, label, ...children) {
  return shape('svg', { viewBox: `0 0 ${size.width} ${height}`, role: 'img', 'aria-label': label, class: 'picture' }, ...children);
}

/** Choose the sizes for this window. */
function measure(high) {
  const width = innerWidth < 700 ? 520 : 1000;
  Object.assign(size, { width, left: width < 600 ? 96 : 110, right: width - 12, row: high ? 92 : 56, bar: high ? 58 : 34 });
}

const text = (x, y, content, className, anchor = 'start') => shape('text', { x, y, class: className, 'text-anchor': anchor }, content);

/** A dot for each ticket that was sold: red if another buyer holds the same one. */
export function dots(trial, nodes, label) {
  measure(false);
  const { stays } = trial;
  const buyers = new Map();
  const sold = trial.sortedRows((row) => stays.state[row] === WROTE).sort((a, b) => stays.serial[b] - stays.serial[a]);
  sold.forEach((row) => buyers.set(stays.serial[row], (buyers.get(stays.serial[row]) ?? 0) + 1));
  const columns = size.width < 600 ? 32 : 50;
  const step = (size.right - 12) / columns;
  const lines = Math.ceil(sold.length / columns);
  const marks = sold.map((row, i) => shape('circle', {
    cx: 12 + step * (i % columns) + step / 2, cy: 12 + step * Math.floor(i / columns), r: step * 0.36,
    class: buyers.get(stays.serial[row]) > 1 ? 'dot-twice' : 'dot-once',
  }));
  const height = 12 + lines * step + 34;
  const twiceAt = size.width < 600 ? 250 : 300;
  const twice = sold.filter((row) => buyers.get(stays.serial[row]) > 1).length;
  return frame(height, label, ...marks,
    shape('circle', { cx: 20, cy: height - 12, r: 7, class: 'dot-once' }),
    text(34, height - 7, t('picture.once', { count: number(sold.length - twice) }), 'note'),
    shape('circle', { cx: twiceAt, cy: height - 12, r: 7, class: 'dot-twice' }),
    text(twiceAt + 14, height - 7, t('picture.twice', { count: number(twice) }), 'note'));
}

/** The part of a trial that a picture shows: the fault, or all. */
function windowOf(trial) {
  const struck = trial.faults.find((fault) => fault.fault !== 'clock');
  const from = struck ? struck.from : trial.start;
  const to = struck && Number.isFinite(struck.until) ? struck.until : trial.latest;
  const margin = (to - from) * 0.12;
  return { from: from - margin, to: to + margin };
}

/** Lanes of the nodes, and of the lock if there is one. */
export function timeline(trial, nodes, label) {
  measure(!trial.hasLock);
  const bounds = windowOf(trial);
  const x = (time) => size.left + ((Math.min(Math.max(time, bounds.from), bounds.to) - bounds.from) / (bounds.to - bounds.from)) * (size.right - size.left);
  const end = (row) => (trial.stays.state[row] === OPEN ? trial.latest : trial.stays.end[row]);
  const rows = trial.sortedRows((row) => end(row) > bounds.from && trial.stays.read[row] < bounds.to);
  const lock = rows.some((row) => Number.isFinite(trial.stays.lease[row]));
  const top = lock ? 118 : 8;
  const parts = [];
  if (lock) {
    parts.push(...lockLane(trial, rows, x, end));
  }
  nodes.forEach((name, node) => parts.push(...nodeLane(trial, rows.filter((row) => trial.stays.node[row] === node), name,
    top + node * (size.row + 10), node, { x, end })));
  return frame(top + nodes.length * (size.row + 10), label, ...parts);
}

function lane(name, top, height) {
  return [shape('rect', { x: 0, y: top, width: size.width, height, rx: 10, class: 'lane' }), text(14, top + height / 2 + 5, name, 'name')];
}

const KINDS = { [OPEN]: 'open', [WROTE]: 'ok', [REFUSED]: 'refused', [CRASHED]: 'crashed' };

function nodeLane(trial, rows, name, top, node, { x, end }) {
  const parts = lane(name, top, size.row);
  const { stays } = trial;
  for (const fault of trial.faults.filter((each) => each.node === node)) {
    parts.push(shape('rect', { x: x(fault.from), y: top, width: Math.max(2, x(fault.until ?? trial.latest) - x(fault.from)), height: size.row, class: 'fault' }));
  }
  for (const row of rows) {
    const width = Math.max(3, x(end(row)) - x(stays.read[row]));
    const kind = stays.partners[row] > 0 ? 'red' : KINDS[stays.state[row]];
    const left = x(stays.read[row]);
    // Who enters beside a longer one of the same node stands above it.
    const beside = rows.some((other) => other !== row && stays.read[other] <= stays.read[row] && end(other) >= end(row));
    const [y, height] = beside ? [top + 2, 9] : [top + (size.row - size.bar) / 2, size.bar];
    parts.push(shape('rect', { x: left, y, width, height, rx: Math.min(7, width / 3), class: `bar bar-${kind}` }));
    if (width > size.width / 5 && stays.state[row] === WROTE) {
      parts.push(text(left + 14, top + size.row / 2 + 5, t('picture.reads', { value: number(stays.value[row]) }), `on-${kind}`));
      parts.push(text(left + width - 14, top + size.row / 2 + 5, t('picture.writes', { value: number(stays.written[row]) }), `on-${kind}`, 'end'));
    } else if (width > size.width / 5 && stays.state[row] === REFUSED) {
      parts.push(text(left + 14, top + size.row / 2 + 5, t('picture.reads', { value: number(stays.value[row]) }), 'on-refused'));
      parts.push(text(left + width - 14, top + size.row / 2 + 5, t('picture.refused', { value: number(stays.value[row] - 1) }), 'on-refused', 'end'));
    }
  }
  const fault = trial.faults.find((each) => each.node === node && each.fault === 'pause');
  if (fault) {
    parts.push(text((x(fault.from) + x(fault.until)) / 2, top + size.row / 2 + 5, t('picture.still'), 'still', 'middle'));
  }
  return parts;
}

/** The lease of the longest holder runs down, is renewed, or ends before its holder. */
function lockLane(trial, rows, x, end) {
  const { stays } = trial;
  const parts = lane(t('lock.name'), 8, 100);
  const base = 100;
  for (const row of rows.filter((each) => Number.isFinite(stays.lease[each]))) {
    const steps = [{ at: stays.read[row], lease: stays.lease[row] }, ...(trial.renewals.get(row) ?? [])];
    const full = Math.max(...steps.map((step) => step.lease - step.at));
    const y = (time, lease) => base - Math.max(0, (lease - time) / full) * 56;
    steps.forEach((step, i) => {
      const until = Math.min(steps[i + 1]?.at ?? end(row), step.lease);
      if (x(until) - x(step.at) < 2) {
        return;
      }
      parts.push(shape('path', { class: 'lease', d: `M${x(step.at)} ${base}V${y(step.at, step.lease)}L${x(until)} ${y(until, step.lease)}V${base}Z` }));
      if (i > 0) {
        parts.push(shape('path', { class: 'tick', d: `M${x(step.at)} ${base}V${y(step.at, step.lease) - 1}m-6 0h12l-6 -9z` }));
      }
    });
    if (trial.renewals.has(row)) {
      parts.push(text((x(stays.read[row]) + x(end(row))) / 2, 28, t('picture.renewed', { count: number(steps.length - 1) }), 'note', 'middle'));
    }
    if (trial.isOutlived(row)) {
      parts.push(...flag(x(trial.leaseEnd(row)), t('lock.ended'), 'red', 'end'));
    }
    if (stays.state[row] === REFUSED) {
      parts.push(...flag(x(end(row)), t('lock.refused'), 'refused', 'end', 32));
    }
  }
  return parts;
}

function flag(x, content, kind, anchor, top = 14) {
  return [shape('path', { class: `pole pole-${kind}`, d: `M${x} ${top - 6}V112` }), text(x - 8, top + 8, content, `flag-${kind}`, anchor)];
}
