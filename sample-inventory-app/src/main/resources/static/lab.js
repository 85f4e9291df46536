/**
 * The lab page: it shows the records of real runs and computes nothing but overlaps, rates and waits from them.
 *
 * Sections: texts, model, lanes, charts, verdicts, tables, form, tour, record, connection, start.
 * All times of the server are microseconds since 1970.
 */

/* ------------------------------------------------------------------ small tools */

const byId = (id) => document.getElementById(id);
const root = document.documentElement;
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const darkMode = matchMedia('(prefers-color-scheme: dark)');

/** Create an element with properties, data attributes and children. */
function element(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const created = Object.assign(document.createElement(tag), rest);
  Object.assign(created.dataset, dataset);
  created.append(...children);
  return created;
}

/** Create the icon of a verdict. */
function icon(verdict) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#icon-${verdict}`);
  svg.append(use);
  return svg;
}

/** Set the text of an element only if it differs. An unchanged text costs no layout. */
function setText(target, text) {
  const value = String(text);
  if (target.textContent !== value) {
    target.textContent = value;
  }
}

/** Read a problem (RFC 9457) from a failed answer. */
async function problemOf(response) {
  try {
    const problem = await response.json();
    return problem.detail || problem.title || `HTTP ${response.status}`;
  } catch {
    return `HTTP ${response.status}`;
  }
}

/* ------------------------------------------------------------------ texts */

const texts = { lang: 'en', own: {}, english: {} };

/** Find a text and fill in its `{names}`; a text that is missing in a language is shown in English. */
function t(key, values = {}) {
  const text = texts.own[key] ?? texts.english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (match, name) => values[name] ?? match);
}

const hasText = (key) => key in texts.own;
const number = (value) => (Number.isFinite(value) ? formatter(3).format(value) : '–');

const formatters = new Map();

/** Formatters are costly to make, so there is one for each language and precision. */
function formatter(maximumFractionDigits) {
  const key = `${texts.lang}/${maximumFractionDigits}`;
  if (!formatters.has(key)) {
    formatters.set(key, new Intl.NumberFormat(texts.lang, { maximumFractionDigits }));
  }
  return formatters.get(key);
}

/** Write a duration in microseconds with a unit that suits it. */
function duration(micros) {
  if (!Number.isFinite(micros)) {
    return '–';
  }
  const [value, unit] = Math.abs(micros) < 1e6 ? [micros / 1e3, 'ms'] : [micros / 1e6, 's'];
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${formatter(digits).format(value)} ${unit}`;
}

/** Load the texts of a language. */
async function loadTexts(lang) {
  const load = async (name) => (await fetch(`texts/${name}.json`)).json();
  if (!texts.english.title) {
    texts.english = await load('en');
  }
  texts.own = lang === 'en' ? texts.english : await load(lang);
  texts.lang = lang;
}

/** Choose the language: the address first, then the browser. */
function wantedLanguage() {
  const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language ?? 'en';
  return asked.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Fill every element that names a text. */
function translatePage() {
  root.lang = texts.lang === 'zh' ? 'zh-CN' : 'en';
  document.title = t('page.title');
  document.querySelectorAll('[data-t]').forEach((target) => setText(target, t(target.dataset.t)));
  document.querySelectorAll('[data-t-label]').forEach((target) => {
    target.setAttribute('aria-label', t(target.dataset.tLabel));
    if (target.tagName === 'BUTTON') {
      target.title = t(target.dataset.tLabel);
    }
  });
  document.querySelectorAll('[data-lang]').forEach((link) => {
    if (link.dataset.lang === texts.lang) {
      link.setAttribute('aria-current', 'true');
    } else {
      link.removeAttribute('aria-current');
    }
  });
}

/* ------------------------------------------------------------------ model: stays and overlaps */

const OPEN = 0;
const WROTE = 1;
const REFUSED = 2;
const CRASHED = 3;
const STATES = ['open', 'wrote', 'refused', 'crashed'];

/** All stays of a play, one typed column for each field. A row is a number. */
class StayTable {

  static COLUMNS = {
    order: Int32Array, stay: Int32Array, node: Uint8Array, resource: Uint16Array, state: Uint8Array,
    track: Uint16Array, partners: Uint32Array, arrived: Float64Array, read: Float64Array, end: Float64Array,
    value: Float64Array, written: Float64Array, serial: Float64Array, token: Float64Array,
  };

  constructor() {
    this.size = 0;
    this.rowOf = new Map();
    for (const [name, Type] of Object.entries(StayTable.COLUMNS)) {
      this[name] = new Type(256);
    }
  }

  /** Find the row of a stay, or add one. */
  row(node, stay) {
    const key = node * 2 ** 32 + stay;
    let row = this.rowOf.get(key);
    if (row === undefined) {
      row = this.size++;
      this.rowOf.set(key, row);
      if (row === this.read.length) {
        this.grow();
      }
    }
    return row;
  }

  grow() {
    for (const [name, Type] of Object.entries(StayTable.COLUMNS)) {
      const larger = new Type(this[name].length * 2);
      larger.set(this[name]);
      this[name] = larger;
    }
  }

}

/** Closed stays in the order of their reads, with the latest end so far: finds what lies in an interval. */
class IntervalIndex {

  constructor(stays) {
    this.stays = stays;
    this.rows = [];
    this.reach = [];
  }

  /** Add a closed stay. Stays come nearly in order, so its place is near the end. */
  insert(row) {
    const { read, end } = this.stays;
    let at = this.rows.length;
    while (at > 0 && read[this.rows[at - 1]] > read[row]) {
      at--;
    }
    this.rows.splice(at, 0, row);
    this.reach.splice(at, 0, -Infinity);
    let latest = at > 0 ? this.reach[at - 1] : -Infinity;
    for (let i = at; i < this.rows.length; i++) {
      latest = Math.max(latest, end[this.rows[i]]);
      if (i > at && this.reach[i] === latest) {
        break;
      }
      this.reach[i] = latest;
    }
  }

  /** First position whose stay was read at this time or later. */
  position(time) {
    return lowerBound(this.rows.length, (i) => this.stays.read[this.rows[i]] >= time);
  }

  /** Visit each stay that shares more than an instant with the interval. */
  visit(from, to, visitor) {
    const { end } = this.stays;
    for (let i = this.position(to) - 1; i >= 0 && this.reach[i] > from; i--) {
      if (end[this.rows[i]] > from) {
        visitor(this.rows[i]);
      }
    }
  }

  /** Visit stays that may be seen in the interval, in order. */
  scan(from, to, visitor) {
    const first = lowerBound(this.rows.length, (i) => this.reach[i] >= from);
    const last = this.position(to);
    for (let i = first; i < last; i++) {
      visitor(this.rows[i]);
    }
  }

}

/** Smallest index in 0..size for which the condition holds; the condition must be monotone. */
function lowerBound(size, condition) {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The stays of one node in one play: which are closed, which are open, and on which track each is drawn. */
class Lane {

  constructor(stays) {
    this.stays = stays;
    this.closed = new IntervalIndex(stays);
    this.open = new Set();
    this.tracks = [];
  }

  /** The first track that is free when the stay begins. */
  trackFor(row) {
    const { read, end, state } = this.stays;
    const free = this.tracks.findIndex((last) => state[last] !== OPEN && end[last] <= read[row]);
    const track = free < 0 ? this.tracks.length : free;
    this.tracks[track] = row;
    return track;
  }

}

const MAX_TALLIES = 500;

/** One strategy under one fault: everything that the events said of it. */
class Play {

  constructor(number, strategy, fault, settings) {
    Object.assign(this, { number, strategy, fault, settings });
    this.stays = new StayTable();
    this.lanes = [];
    this.resources = [];
    this.resourceIndexes = [];
    this.overlapping = 0;
    this.pairs = 0;
    this.faults = [];
    this.tallies = [];
    this.tallyStep = 1;
    this.tallyCount = 0;
    this.tally = null;
    this.phase = null;
    this.phaseText = null;
    this.verdict = null;
    this.start = NaN;
    this.latest = NaN;
    this.version = 0;
  }

  /** Lane of a node; nodes are numbered in the order of the run. */
  lane(node) {
    while (this.lanes.length <= node) {
      this.lanes.push(new Lane(this.stays));
    }
    return this.lanes[node];
  }

  see(time) {
    if (Number.isFinite(time) && !(this.latest >= time)) {
      this.latest = time;
    }
  }

  /** Take the newest state of a stay. */
  upsert(node, event) {
    const { stays } = this;
    const known = stays.size;
    const row = stays.row(node, event.stay);
    const isNew = row === known;
    if (!isNew && stays.state[row] !== OPEN) {
      return;
    }
    this.fill(row, node, event);
    if (isNew) {
      const lane = this.lane(node);
      stays.track[row] = lane.trackFor(row);
      lane.open.add(row);
      if (!(this.start <= event.read)) {
        this.start = Math.min(event.read, Number.isFinite(this.start) ? this.start : Infinity);
      }
    }
    this.see(event.end ?? event.read);
    if (stays.state[row] !== OPEN) {
      this.close(row, node);
    }
  }

  fill(row, node, event) {
    const { stays } = this;
    stays.node[row] = node;
    stays.stay[row] = event.stay;
    stays.order[row] = event.order ?? -1;
    stays.resource[row] = this.resourceNumber(event.resource ?? '');
    stays.state[row] = Math.max(0, STATES.indexOf(event.state));
    stays.arrived[row] = event.arrived ?? NaN;
    stays.read[row] = event.read;
    stays.end[row] = event.end ?? NaN;
    stays.value[row] = event.value ?? NaN;
    stays.written[row] = event.written ?? NaN;
    stays.serial[row] = event.serial ?? NaN;
    stays.token[row] = event.token ?? NaN;
    if (stays.state[row] !== OPEN && event.end == null) {
      stays.end[row] = event.read;
    }
  }

  resourceNumber(name) {
    let index = this.resources.indexOf(name);
    if (index < 0) {
      index = this.resources.push(name) - 1;
      this.resourceIndexes.push(new IntervalIndex(this.stays));
    }
    return index;
  }

  /** A stay has ended: count with which others it overlaps. Both must have written. */
  close(row, node) {
    const lane = this.lane(node);
    lane.open.delete(row);
    lane.closed.insert(row);
    const { stays } = this;
    if (stays.state[row] !== WROTE) {
      return;
    }
    const index = this.resourceIndexes[stays.resource[row]];
    index.visit(stays.read[row], stays.end[row], (other) => {
      this.pairs++;
      stays.partners[row]++;
      if (stays.partners[other]++ === 0) {
        this.overlapping++;
      }
    });
    if (stays.partners[row] > 0) {
      this.overlapping++;
    }
    index.insert(row);
  }

  /** The stay that explains an overlap best: of the other node, and with the same value read. */
  partnerOf(row) {
    const { stays } = this;
    let best = -1;
    let bestScore = -1;
    this.resourceIndexes[stays.resource[row]].visit(stays.read[row], stays.end[row], (other) => {
      const score = (stays.value[other] === stays.value[row] ? 2 : 0) + (stays.node[other] !== stays.node[row] ? 1 : 0);
      if (other !== row && score > bestScore) {
        best = other;
        bestScore = score;
      }
    });
    return best;
  }

  /** Rows in the order of their reads. */
  sortedRows(filter = () => true) {
    const rows = [];
    for (let row = 0; row < this.stays.size; row++) {
      if (filter(row)) {
        rows.push(row);
      }
    }
    return rows.sort((a, b) => this.stays.read[a] - this.stays.read[b]);
  }

  addTally(event) {
    this.tally = event;
    if (this.fault !== 'none') {
      // A play that is blocked has no stays, and its time goes on.
      this.see(event.at);
    }
    if (this.tallyCount++ % this.tallyStep === 0) {
      this.tallies.push(event);
    }
    if (this.tallies.length > MAX_TALLIES) {
      this.tallies = this.tallies.filter((_, i) => i % 2 === 0);
      this.tallyStep *= 2;
    }
  }

  addFault(event) {
    const known = this.faults.find((fault) => fault.node === event.node && fault.fault === event.fault
      && fault.from === event.from);
    if (known) {
      known.until = event.until;
    } else {
      this.faults.push({ node: event.node, fault: event.fault, from: event.from, until: event.until });
    }
    this.see(event.from);
  }

  /** What is known of the figures: those of the verdict, else the newest tally. */
  figures() {
    if (this.verdict) {
      return this.verdict.figures;
    }
    const tally = this.tally;
    return tally ? { ...tally, stockLeft: tally.stock } : null;
  }

  /** The verdict, or how far the play has come. */
  status() {
    return this.verdict?.verdict ?? { null: 'WAITING', stopped: 'STOPPED' }[this.phase] ?? 'RUNNING';
  }

}

/** One run: its settings, its plays and how far its events have come. */
class Run {

  constructor(event) {
    this.id = event.run;
    this.settings = { orders: event.orders, stock: event.stock, buyers: event.buyers };
    this.plays = event.plays.map((play) => new Play(play.play, play.strategy, play.fault, this.settings));
    this.nodes = [...setup.nodes];
    this.last = 0;
    this.gaps = 0;
    this.current = 0;
    this.outcome = null;
    this.message = null;
  }

  nodeNumber(name) {
    const known = this.nodes.indexOf(name);
    return known >= 0 ? known : this.nodes.push(name) - 1;
  }

  /** Apply one event after the event `run`; an event that is known already changes nothing. */
  apply(event) {
    if (event.n <= this.last) {
      return;
    }
    this.gaps += event.n - this.last - 1;
    this.last = event.n;
    if (event.type === 'end') {
      this.outcome = event.outcome;
      this.message = event.message ?? null;
      this.plays.filter((play) => !play.verdict).forEach((play) => {
        play.phase &&= 'stopped';
        play.version++;
      });
      return;
    }
    const play = this.plays[event.play];
    if (play) {
      this.applyTo(play, event);
      play.version++;
    }
  }

  applyTo(play, event) {
    switch (event.type) {
      case 'phase':
        play.phase = event.phase;
        play.phaseText = event.text ?? null;
        if (event.phase === 'running') {
          this.current = play.number;
        }
        break;
      case 'stays':
        this.current = play.number;
        event.stays.forEach((stay) => play.upsert(this.nodeNumber(stay.node), stay));
        break;
      case 'fault':
        play.addFault({ ...event, node: this.nodeNumber(event.node) });
        break;
      case 'tally':
        play.addTally(event);
        break;
      case 'verdict':
        play.verdict = event;
        play.phase = 'ended';
        play.phaseText = null;
        break;
      default:
    }
  }

  get running() {
    return this.outcome === null;
  }

}

/* ------------------------------------------------------------------ what is shown */

let setup = { strategies: [], faults: [], nodes: ['inventory-1', 'inventory-2'], limits: {} };

const shown = {
  /** The run that the events of the server describe. */
  live: null,
  /** A record that was opened, or null. */
  record: null,
  /** Number of the play that is shown. */
  play: 0,
  /** Whether the next play of the live run is shown when it begins. */
  followPlays: true,
};

const shownRun = () => shown.record ?? shown.live;
const shownPlay = () => shownRun()?.plays[shown.play] ?? null;

/** Show a play: its lanes, verdict and charts. */
function showPlay(index) {
  shown.play = index;
  lanes.reset();
  charts.reset();
  refreshSoon();
}

/** Show the play that runs now, unless the user has chosen another one. */
function followRun() {
  const run = shownRun();
  if (shown.followPlays && run === shown.live && run.current !== shown.play) {
    showPlay(run.current);
  }
}

/* ------------------------------------------------------------------ lanes: the view */

const MIN_WINDOW = 200;
const LIVE_WINDOW = 400_000;
const AXIS = 26;
const LANE_GAP = 10;
/** Room for the name of the node and of a fault, over the bars. */
const LANE_HEAD = 26;
const NAME_WIDTH = 112;

/** The part of time that the lanes show, and what is selected in them. */
const lanes = {
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
  dirty: true,

  reset() {
    Object.assign(this, { following: true, selected: -1, hovered: -1, limit: Infinity, framed: false });
    stopReplay();
    renderInspector();
  },

  /** The bounds of the play, with a little room. */
  bounds() {
    const play = shownPlay();
    if (!play || !Number.isFinite(play.start)) {
      return null;
    }
    const last = Math.max(play.latest, play.start + 1000);
    const margin = (last - play.start) * 0.015;
    return { from: play.start - margin, to: last + margin };
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
      this.dirty = true;
      scheduleFrame();
    }
  },

  /** Stop following and show this part. */
  look(from, to) {
    this.following = false;
    this.set(from, to);
    renderTools();
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
    const play = shownPlay();
    if (play && row >= 0 && reveal) {
      const { read, end } = play.stays;
      const last = Number.isFinite(end[row]) ? end[row] : read[row];
      if (read[row] < this.from || last > this.to) {
        const width = Math.max(this.to - this.from, (last - read[row]) * 1.2);
        const middle = (read[row] + last) / 2;
        this.look(middle - width / 2, middle + width / 2);
      }
    }
    this.dirty = true;
    renderInspector();
    scheduleFrame();
  },
};

/** Follow a live play, or show its most telling part once its verdict is known. */
function moveView() {
  const play = shownPlay();
  const bounds = lanes.bounds();
  if (!play || !bounds || !lanes.following || replay.running) {
    return;
  }
  if (play.verdict) {
    if (!lanes.framed) {
      lanes.framed = true;
      frameTellingPart(play);
    }
    return;
  }
  const from = play.fault === 'none' ? Math.max(bounds.from, bounds.to - LIVE_WINDOW) : bounds.from;
  const smooth = lanes.to > bounds.from && !reducedMotion.matches ? 0.25 : 1;
  lanes.set(lanes.from + (from - lanes.from) * smooth, lanes.to + (bounds.to - lanes.to) * smooth);
}

/** Show the fault. Without one, show the part with most overlaps, or with most stays. */
function frameTellingPart(play) {
  const struck = play.faults.find((fault) => fault.fault !== 'clock');
  const { stays } = play;
  if (struck) {
    const end = Math.min(Number.isFinite(struck.until) ? struck.until : play.latest, struck.from + 3_500_000);
    const margin = Math.max((end - struck.from) * 0.12, 20_000);
    lanes.set(struck.from - margin, end + margin);
    lanes.select(struckStay(play, struck), false);
  } else {
    const rows = play.sortedRows((row) => play.overlapping === 0 || stays.partners[row] > 0);
    const width = usualWindow(play);
    const dense = densestPart(stays, rows, width);
    lanes.set(stays.read[dense[0]] - width * 0.06, stays.read[dense[0]] + width * 0.94);
    lanes.select(clearestSale(play, dense) ?? dense[dense.length >> 1], false);
  }
  lanes.chosen = false;
}

/** The stay that a fault met. */
function struckStay(play, fault) {
  const { stays } = play;
  const rows = play.sortedRows((row) => stays.node[row] === fault.node && stays.read[row] <= fault.from
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
function clearestSale(play, rows) {
  const { read, end, value, node, partners } = play.stays;
  let best;
  let longest = 0;
  for (const row of rows.filter((candidate) => partners[candidate] > 0)) {
    const other = play.partnerOf(row);
    const length = Math.min(end[row] - read[row], end[other] - read[other]);
    if (value[other] === value[row] && node[other] !== node[row] && length > longest) {
      best = row;
      longest = length;
    }
  }
  return best;
}

/** A window in which a usual stay is wide enough for its label. */
function usualWindow(play) {
  const { stays } = play;
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

/* ------------------------------------------------------------------ lanes: drawing */

const lanesCanvas = byId('lanes-canvas');
const overviewCanvas = byId('overview');
const lanesBox = { width: 0, height: 0, laneHeight: 0 };
let colours = {};
let hatch = null;

/** Read the colours of the style sheet; they depend on dark mode. */
function readColours() {
  const style = getComputedStyle(root);
  const names = ['ink', 'muted', 'panel', 'lane', 'line', 'ok', 'ok-ink', 'red', 'red-ink', 'red-edge', 'refused',
    'crashed', 'open', 'fault', 'fault-ink', 'accent', 'wait'];
  colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  hatch = hatchPattern(colours.refused);
  lanes.dirty = true;
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
  return lanesCanvas.getContext('2d').createPattern(tile, 'repeat');
}

/** Sizes of the canvases, kept by an observer: reading them from a canvas forces a layout in each frame. */
const canvasSizes = new WeakMap();
const canvasObserver = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    canvasSizes.set(target, { width: contentRect.width, height: contentRect.height });
  }
  cards.all.forEach((card) => { card.version = ''; });
  refreshSoon();
});

function sizeOf(canvas) {
  if (!canvasSizes.has(canvas)) {
    canvasSizes.set(canvas, { width: canvas.clientWidth, height: canvas.clientHeight });
    canvasObserver.observe(canvas);
  }
  return canvasSizes.get(canvas);
}

/** Fit a canvas to its place on the screen and return its pen in CSS pixels. */
function penOf(canvas) {
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

const timeToX = (time) => ((time - lanes.from) / (lanes.to - lanes.from)) * lanesBox.width;
const xToTime = (x) => lanes.from + (x / lanesBox.width) * (lanes.to - lanes.from);
const laneTop = (node) => node * (lanesBox.laneHeight + LANE_GAP);

/** Height of one track: the same in all lanes, so that bars can be compared. */
function trackHeight(play) {
  const tracks = Math.max(1, ...play.lanes.map((lane) => lane.tracks.length));
  return Math.min(38, (lanesBox.laneHeight - LANE_HEAD - 4) / tracks);
}

function drawLanes() {
  const { pen, width, height } = penOf(lanesCanvas);
  const run = shownRun();
  const play = shownPlay();
  const names = run?.nodes ?? setup.nodes;
  Object.assign(lanesBox, { width, height, laneHeight: (height - AXIS - LANE_GAP * names.length) / names.length });
  names.forEach((name, node) => drawLaneGround(pen, name, node));
  if (!play || !Number.isFinite(play.start)) {
    return;
  }
  drawAxis(pen, play);
  names.forEach((name, node) => drawFaults(pen, play, node));
  drawSharedTime(pen, play);
  names.forEach((name, node) => drawBars(pen, play, node));
  drawSelection(pen, play);
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
  pen.font = '600 12px system-ui, sans-serif';
  const width = pen.measureText(name).width;
  pen.fillStyle = colours.panel;
  pen.beginPath();
  pen.roundRect(6, laneTop(node) + 5, width + 14, 19, 9);
  pen.fill();
  pen.fillStyle = colours.ink;
  pen.textBaseline = 'middle';
  pen.fillText(name, 13, laneTop(node) + 15);
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

function drawAxis(pen, play) {
  const step = niceStep(((lanes.to - lanes.from) / lanesBox.width) * 90);
  const y = lanesBox.height - AXIS;
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  pen.textAlign = 'center';
  for (let tick = Math.ceil((lanes.from - play.start) / step) * step; tick <= lanes.to - play.start; tick += step) {
    const x = Math.round(timeToX(play.start + tick)) + 0.5;
    pen.fillStyle = colours.line;
    pen.fillRect(x, 0, 1, y);
    const label = tickLabel(Math.round(tick) || 0, step, lanes.to - play.start);
    const half = pen.measureText(label).width / 2;
    if (x > half && x < lanesBox.width - half) {
      pen.fillStyle = colours.muted;
      pen.fillText(label, x, y + 13);
    }
  }
  pen.textAlign = 'left';
}

function drawFaults(pen, play, node) {
  for (const fault of play.faults) {
    const until = Number.isFinite(fault.until) ? fault.until : Math.max(play.latest, lanes.to);
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

/** Classes of bars in the order in which they are drawn. */
const CLASSES = ['ok', 'open', 'refused', 'crashed', 'red'];

function classOf(stays, row) {
  switch (stays.state[row]) {
    case WROTE: return stays.partners[row] > 0 ? 4 : 0;
    case REFUSED: return 2;
    case CRASHED: return 3;
    default: return 1;
  }
}

function drawBars(pen, play, node) {
  const lane = play.lanes[node];
  if (!lane) {
    return;
  }
  const { stays } = play;
  const rows = CLASSES.map(() => []);
  const add = (row) => stays.read[row] <= lanes.limit && rows[classOf(stays, row)].push(row);
  lane.closed.scan(lanes.from, lanes.to, add);
  lane.open.forEach(add);
  pen.save();
  pen.beginPath();
  pen.rect(0, laneTop(node), lanesBox.width, lanesBox.laneHeight);
  pen.clip();
  const height = trackHeight(play);
  rows.forEach((members, kind) => drawClass(pen, play, node, members, kind, height));
  pen.restore();
}

/** Draw all bars of one class; bars that fall on the same pixel as the one before are left out. */
function drawClass(pen, play, node, rows, kind, height) {
  const { stays } = play;
  const base = barsTop(play, node, height);
  const lastX = new Map();
  for (const row of rows) {
    const track = stays.track[row];
    const x = timeToX(stays.read[row]);
    const end = timeToX(Math.min(endOf(play, row), lanes.limit));
    if (end < 0 || end <= (lastX.get(track) ?? -1)) {
      continue;
    }
    const width = Math.max(1, end - x);
    lastX.set(track, Math.max(end, x + 1));
    drawBar(pen, kind, x, base + track * height, width, height);
    drawLabel(pen, stays, row, kind, x, base + track * height, width, height);
  }
}

const endOf = (play, row) => (play.stays.state[row] === OPEN ? play.latest : play.stays.end[row]);

/** Top of the first track. The tracks are centred in the lane. */
function barsTop(play, node, height) {
  const tracks = Math.max(1, play.lanes[node]?.tracks.length ?? 1);
  return laneTop(node) + LANE_HEAD + Math.max(0, (lanesBox.laneHeight - LANE_HEAD - 4 - tracks * height) / 2);
}

/** Draw one bar. Overlapping bars are higher and have an edge, so colour is not the only difference. */
function drawBar(pen, kind, x, y, width, height) {
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

/** Tokens are long. The last digits show that they grow. */
const SHOWN_DIGITS = 6;

/** The value that was read and the fencing token, as far as there is room. */
function labelsOf(stays, row) {
  const value = Number.isFinite(stays.value[row]) ? String(stays.value[row]) : '';
  if (!Number.isFinite(stays.token[row])) {
    return [value];
  }
  const token = String(stays.token[row]);
  const short = token.length > SHOWN_DIGITS + 1 ? `…${token.slice(-SHOWN_DIGITS)}` : token;
  return [`${value} · ${token}`, `${value} · ${short}`, short, value];
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
function marked(play) {
  const row = lanes.hovered >= 0 ? lanes.hovered : lanes.selected;
  if (row < 0 || row >= play.stays.size) {
    return { row: -1, other: -1 };
  }
  return { row, other: play.stays.partners[row] > 0 ? play.partnerOf(row) : -1 };
}

/** A red band over all lanes: the time in which two stays were inside. */
function drawSharedTime(pen, play) {
  const { row, other } = marked(play);
  if (other >= 0) {
    const { read, end } = play.stays;
    const from = timeToX(Math.max(read[row], read[other]));
    const to = timeToX(Math.min(end[row], end[other]));
    pen.globalAlpha = 0.22;
    pen.fillStyle = colours.red;
    pen.fillRect(from, 0, Math.max(2, to - from), lanesBox.height - AXIS);
    pen.globalAlpha = 1;
  }
}

/** Outline the selected stay and the one that it overlaps; show its wait if the user has chosen it. */
function drawSelection(pen, play) {
  const { row, other } = marked(play);
  if (row < 0) {
    return;
  }
  if (lanes.chosen || lanes.hovered >= 0) {
    drawWait(pen, play, row);
  }
  if (other >= 0) {
    outline(pen, play, other, 2);
  }
  outline(pen, play, row, 3);
}

function outline(pen, play, row, thickness) {
  const { stays } = play;
  const height = trackHeight(play);
  const y = barsTop(play, stays.node[row], height) + stays.track[row] * height;
  const x = timeToX(stays.read[row]);
  pen.strokeStyle = colours.ink;
  pen.lineWidth = thickness;
  pen.strokeRect(x - 1, y - 1, Math.max(3, timeToX(endOf(play, row)) - x + 2), height + 2);
}

function drawWait(pen, play, row) {
  const { stays } = play;
  if (!(stays.arrived[row] < stays.read[row])) {
    return;
  }
  const height = trackHeight(play);
  const y = barsTop(play, stays.node[row], height) + stays.track[row] * height + height / 2;
  pen.strokeStyle = colours.wait;
  pen.lineWidth = 2;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(Math.max(0, timeToX(stays.arrived[row])), y);
  pen.lineTo(timeToX(stays.read[row]), y);
  pen.stroke();
  pen.setLineDash([]);
}

/** Draw a whole play small: one row for each node; a column with an overlap is red and higher. */
function drawMiniature(canvas, play, nodes) {
  const { pen, width, height } = penOf(canvas);
  if (!play || !Number.isFinite(play.start)) {
    return;
  }
  const bounds = { from: play.start, to: Math.max(play.latest, play.start + 1000) };
  const scale = width / (bounds.to - bounds.from);
  const rowHeight = height / nodes;
  const columns = Math.ceil(width) + 1;
  const best = Array.from({ length: nodes }, () => new Uint8Array(columns));
  const { stays } = play;
  for (let row = 0; row < stays.size; row++) {
    const rank = RANKS[classOf(stays, row)];
    const cells = best[stays.node[row]];
    const last = Math.min(columns - 1, Math.floor((endOf(play, row) - bounds.from) * scale));
    for (let column = Math.max(0, Math.floor((stays.read[row] - bounds.from) * scale)); column <= last; column++) {
      cells[column] = Math.max(cells[column], rank);
    }
  }
  for (const fault of play.faults) {
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

/** Draw the whole play. This happens only with new data; the frame of the window is an element of its own. */
function drawOverview() {
  drawMiniature(overviewCanvas, shownPlay(), shownRun()?.nodes.length ?? 2);
}

/** Move the frame that shows which part the lanes show. */
function placeWindow() {
  const play = shownPlay();
  const frameOfWindow = byId('window');
  frameOfWindow.hidden = !play || !lanes.bounds();
  if (!frameOfWindow.hidden) {
    const width = lanesBox.width;
    const scale = width / Math.max(1, play.latest - play.start);
    const from = Math.max(0, (lanes.from - play.start) * scale);
    const to = Math.min(width, Math.max(from + 4, (lanes.to - play.start) * scale));
    frameOfWindow.style.transform = `translateX(${Math.min(from, width - 4)}px)`;
    frameOfWindow.style.width = `${Math.max(4, to - from)}px`;
  }
}

/* ------------------------------------------------------------------ lanes: slow motion */

const REPLAY_SECONDS = 9;
const replay = { running: false, cursor: 0, previous: 0 };

/** Play the record slowly: one width of the window takes some seconds. */
function toggleReplay() {
  if (replay.running) {
    stopReplay();
    return;
  }
  const play = shownPlay();
  if (!play || !Number.isFinite(play.start)) {
    return;
  }
  const width = Math.min(usualWindow(play), play.latest - play.start);
  lanes.look(lanes.from, lanes.from + width);
  Object.assign(replay, { running: true, cursor: lanes.from, previous: performance.now() });
  lanes.limit = replay.cursor;
  lanes.select(-1);
  renderTools();
  scheduleFrame();
}

function stopReplay() {
  replay.running = false;
  lanes.limit = Infinity;
  renderTools();
}

function stepReplay(now) {
  if (!replay.running) {
    return;
  }
  const width = lanes.to - lanes.from;
  replay.cursor += ((now - replay.previous) / 1000 / REPLAY_SECONDS) * width;
  replay.previous = now;
  lanes.limit = replay.cursor;
  if (replay.cursor > lanes.from + width * 0.75) {
    const from = replay.cursor - width * 0.75;
    lanes.set(from, from + width);
  }
  lanes.dirty = true;
  if (replay.cursor > (shownPlay()?.latest ?? 0)) {
    stopReplay();
  }
  scheduleFrame();
}

/* ------------------------------------------------------------------ lanes: pointer and keyboard */

/** The stay under a point of the lanes, or -1. */
function stayAt(x, y) {
  const play = shownPlay();
  const node = Math.floor(y / (lanesBox.laneHeight + LANE_GAP));
  const lane = play?.lanes[node];
  if (!lane) {
    return -1;
  }
  const height = trackHeight(play);
  const track = (y - barsTop(play, node, height)) / height;
  const slack = xToTime(3) - xToTime(0);
  const time = xToTime(x);
  let best = -1;
  let bestDistance = Infinity;
  const consider = (row) => {
    const { read, track: tracks } = play.stays;
    const away = Math.max(read[row] - time, time - endOf(play, row), 0);
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
  const play = shownPlay();
  if (!play || play.stays.size === 0) {
    return -1;
  }
  const { stays } = play;
  const rows = play.sortedRows();
  if (row < 0) {
    return rows.find((candidate) => stays.read[candidate] >= lanes.from) ?? rows[0] ?? -1;
  }
  const at = rows.indexOf(row);
  return rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
}

/** The stay of another node that is nearest in time. */
function nearestOn(node, time) {
  const play = shownPlay();
  const { stays } = play;
  const rows = play.sortedRows((row) => stays.node[row] === node);
  return rows.reduce((best, row) => (best < 0 || Math.abs(stays.read[row] - time) < Math.abs(stays.read[best] - time)
    ? row : best), -1);
}

function otherNode(step) {
  const play = shownPlay();
  if (!play || lanes.selected < 0) {
    return neighbour(-1, 1);
  }
  const node = play.stays.node[lanes.selected] + step;
  const found = play.lanes[node] ? nearestOn(node, play.stays.read[lanes.selected]) : -1;
  return found < 0 ? lanes.selected : found;
}

/** Go to the next overlapping stay; after the last one comes the first. */
function nextOverlap() {
  const play = shownPlay();
  if (!play || play.overlapping === 0) {
    return;
  }
  const { stays } = play;
  const rows = play.sortedRows((row) => stays.partners[row] > 0);
  const from = lanes.selected >= 0 ? stays.read[lanes.selected] : lanes.from;
  const seen = lanes.selected >= 0 ? lanes.selected : -1;
  const next = rows.find((row) => row !== seen && (stays.read[row] > from || (stays.read[row] === from && row > seen)));
  const row = next ?? rows[0];
  const width = Math.min(lanes.to - lanes.from, Math.max(usualWindow(play), (stays.end[row] - stays.read[row]) * 1.3));
  lanes.look(stays.read[row] - width * 0.35, stays.read[row] + width * 0.65);
  lanes.select(row);
}

function selectEdge(last) {
  const rows = shownPlay()?.sortedRows() ?? [];
  lanes.select((last ? rows.at(-1) : rows[0]) ?? -1);
}

/** Whether the lanes move with the run: the newest play, and its newest stays. */
function isFollowing() {
  const live = shownRun() === shown.live && shown.live?.running;
  return lanes.following && (!live || shown.followPlays);
}

function toggleFollow() {
  if (isFollowing() && shownRun()?.running) {
    lanes.following = false;
    shown.followPlays = false;
    renderTools();
    return;
  }
  const run = shownRun();
  Object.assign(lanes, { following: true, framed: false, selected: -1 });
  if (run && run === shown.live && run.running) {
    shown.followPlays = true;
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
  0: () => fitPlay(),
  n: () => nextOverlap(),
  p: () => toggleFollow(),
  s: () => toggleReplay(),
  Escape: () => lanes.select(-1),
};

function fitPlay() {
  const bounds = lanes.bounds();
  if (bounds) {
    lanes.look(bounds.from, bounds.to);
  }
}

function listenToLanes() {
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
    lanes.dirty = true;
    lanesCanvas.classList.toggle('on-bar', row >= 0);
    renderInspector();
    scheduleFrame();
  }
}

function listenToOverview() {
  const centreOn = (event) => {
    const play = shownPlay();
    if (play && Number.isFinite(play.start)) {
      const time = play.start + (event.offsetX / overviewCanvas.clientWidth) * (play.latest - play.start);
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

/* ------------------------------------------------------------------ lanes: the selected stay */

const INSPECTED = ['order', 'node', 'resource', 'value', 'written', 'token', 'wait', 'stay', 'state'];

/** The fields of a stay as texts; used by the inspector and by the table. */
function describe(run, play, row) {
  const { stays } = play;
  const known = (value) => (Number.isFinite(value) ? String(value) : '–');
  return {
    order: stays.order[row] >= 0 ? String(stays.order[row]) : '–',
    node: run.nodes[stays.node[row]],
    resource: play.resources[stays.resource[row]],
    value: known(stays.value[row]),
    written: known(stays.written[row]),
    token: known(stays.token[row]),
    wait: duration(stays.read[row] - stays.arrived[row]),
    stay: duration(stays.end[row] - stays.read[row]),
    state: stateText(stays, row),
  };
}

function stateText(stays, row) {
  const red = stays.state[row] === WROTE && stays.partners[row] > 0;
  return t(red ? 'state.overlap' : `state.${STATES[stays.state[row]]}`, { count: number(stays.partners[row]) });
}

function renderInspector() {
  const box = byId('inspector');
  const run = shownRun();
  const play = shownPlay();
  const row = lanes.hovered >= 0 ? lanes.hovered : lanes.selected;
  box.dataset.kind = 'none';
  delete box.dataset.order;
  if (!play || row < 0 || row >= play.stays.size) {
    box.replaceChildren(element('p', { className: 'hint', textContent: t('inspector.none') }));
    return;
  }
  const fields = describe(run, play, row);
  box.dataset.kind = CLASSES[classOf(play.stays, row)];
  box.dataset.order = fields.order;
  const list = element('dl');
  for (const name of INSPECTED) {
    list.append(element('div', { dataset: { field: name } }, element('dt', { textContent: t(`stay.${name}`) }),
      element('dd', { textContent: fields[name] })));
  }
  box.replaceChildren(element('p', { className: 'story', textContent: storyOf(run, play, row, fields) }), list);
  if (lanes.hovered < 0 && document.activeElement === byId('lanes')) {
    setText(byId('summary'), `${storyOf(run, play, row, fields)} ${INSPECTED.map((name) => `${t(`stay.${name}`)}: ${fields[name]}`).join(', ')}`);
  }
}

/** One sentence that says what happened in a stay. */
function storyOf(run, play, row, fields) {
  const { stays } = play;
  const other = stays.partners[row] > 0 ? play.partnerOf(row) : -1;
  if (other < 0) {
    return t(`story.${STATES[stays.state[row]]}`, fields);
  }
  const theirs = describe(run, play, other);
  const same = stays.value[row] === stays.value[other];
  return t(same ? 'story.twice' : 'story.overlap', { ...fields, other: theirs.order, otherNode: theirs.node, otherValue: theirs.value });
}

function renderTools() {
  const run = shownRun();
  const play = shownPlay();
  const live = run === shown.live && run?.running;
  setText(byId('follow'), t(!live ? 'lanes.frame' : isFollowing() ? 'lanes.pause' : 'lanes.follow'));
  byId('follow').dataset.following = String(isFollowing());
  byId('replay').setAttribute('aria-pressed', String(replay.running));
  const none = !play || play.stays.size === 0;
  byId('follow').disabled = none && !live;
  for (const id of ['replay', 'earlier', 'later', 'zoom-in', 'zoom-out', 'fit']) {
    byId(id).disabled = none;
  }
  byId('next-overlap').disabled = none || play.overlapping === 0;
  byId('empty').hidden = Boolean(run);
}

function renderLegend() {
  const entries = ['ok', 'red', 'refused', 'crashed', 'open', 'fault'];
  byId('legend').replaceChildren(...entries.map((name) => element('li', {},
    element('span', { className: `sample sample-${name}` }), t(`legend.${name}`))),
  element('li', { className: 'legend-note', textContent: t('legend.label') }));
}

/* ------------------------------------------------------------------ charts */

/** Upper bounds of the classes of the wait times, in milliseconds. */
const WAIT_CLASSES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, Infinity];
const RATE_BINS = 40;
const CHART_REFRESH = 900;

const charts = {
  all: {},
  version: '',
  updated: -Infinity,
  /** Charts that are off the screen are neither made nor drawn. */
  visible: false,
  wanted: false,
  /** Counts the calls of create(), which goes on in tasks of its own. */
  making: 0,

  reset() {
    this.version = '';
    this.updated = -Infinity;
  },

  /** Make the four charts; colours come from the style sheet. */
  create() {
    Object.values(this.all).forEach((chart) => chart.destroy());
    this.wanted = false;
    this.all = {};
    const line = (id, sets) => new Chart(byId(id), { type: 'line', data: { datasets: sets }, options: lineOptions() });
    if (!this.visible) {
      this.wanted = true;
      return;
    }
    const makers = {
      stock: () => line('chart-stock', [
        dataset('charts.left', colours.accent, []),
        dataset('charts.sold', colours.ok, [6, 3]),
        dataset('charts.oversold', colours.red, [2, 2], true),
      ]),
      twice: () => line('chart-twice', [
        dataset('charts.twice', colours.red, [], true),
        dataset('charts.lost', colours.crashed, [6, 3]),
      ]),
      rate: () => line('chart-rate', [dataset('charts.rate', colours.accent, [])]),
      wait: () => new Chart(byId('chart-wait'), {
        type: 'bar',
        data: { labels: WAIT_CLASSES.map(waitLabel), datasets: [{ label: t('charts.orders'), data: [], backgroundColor: colours.ok }] },
        options: waitOptions(),
      }),
    };
    const making = ++this.making;
    const make = ([[name, maker], ...rest]) => setTimeout(() => {
      if (making === this.making) {
        this.all[name] = maker();
        if (rest.length > 0) {
          make(rest);
        } else {
          this.reset();
          this.update();
        }
      }
    });
    make(Object.entries(makers));
  },

  /** Bring the charts to the state of the shown play. */
  update() {
    const play = shownPlay();
    const version = play ? `${shownRun().id}/${play.number}/${play.version}` : 'none';
    const early = shownRun()?.running && performance.now() - this.updated < CHART_REFRESH;
    if (version === this.version || early || !this.visible || !this.all.wait) {
      return;
    }
    this.version = version;
    this.updated = performance.now();
    const tallies = play?.tallies ?? [];
    const start = Number.isFinite(play?.start) ? play.start : tallies[0]?.at;
    const known = [...(play ? [{ at: start, stock: play.settings.stock, sold: 0, oversold: 0, duplicates: 0, lostUpdates: 0 }] : []), ...tallies];
    const points = (field) => known.map((tally) => ({ x: Math.max(0, tally.at - start) / 1e6, y: tally[field] }));
    const { stock, twice, rate, wait } = this.all;
    const waits = waitTimes(play);
    const fill = (chart, series) => series.forEach((data, i) => { chart.data.datasets[i].data = data; });
    fill(stock, ['stock', 'sold', 'oversold'].map(points));
    fill(twice, ['duplicates', 'lostUpdates'].map(points));
    fill(rate, [ratePoints(play)]);
    fill(wait, [waitCounts(waits)]);
    // A task for each chart keeps each task short.
    Object.values(this.all).forEach((chart) => setTimeout(() => chart.ctx && chart.update('none')));
    setText(byId('quantiles'), waits.length > 0
      ? t('charts.quantiles', { median: duration(quantile(waits, 0.5)), p99: duration(quantile(waits, 0.99)) }) : '');
    renderTallyTable(tallies, start, waits);
  },
};

function dataset(key, colour, dash, fill = false) {
  return {
    label: t(key), data: [], borderColor: colour, backgroundColor: `${colour}33`, borderWidth: 2, borderDash: dash,
    pointRadius: (context) => (context.dataset.data.length <= 12 ? 3 : 0), pointHitRadius: 8, fill, tension: 0, parsing: false,
  };
}

function baseOptions() {
  const axis = () => ({ ticks: { color: colours.muted, maxTicksLimit: 6 }, grid: { color: colours.line }, beginAtZero: true });
  return {
    animation: false, responsive: true, maintainAspectRatio: false, locale: texts.lang,
    interaction: { mode: 'index', intersect: false },
    scales: { x: axis(), y: axis() },
    plugins: { legend: { labels: { color: colours.ink, boxWidth: 22, boxHeight: 1, padding: 8 } } },
  };
}

function lineOptions() {
  const options = baseOptions();
  Object.assign(options.scales.x, { type: 'linear', title: { display: true, text: t('charts.seconds'), color: colours.muted } });
  options.scales.y.ticks.precision = 0;
  return options;
}

function waitOptions() {
  const options = baseOptions();
  options.plugins.legend.display = false;
  options.scales.x.ticks = { color: colours.muted, autoSkip: false, maxRotation: 60, font: { size: 10 } };
  options.scales.x.grid.display = false;
  options.scales.y.ticks.precision = 0;
  return options;
}

function waitLabel(limit, i) {
  const text = (value) => duration(value * 1000);
  return limit === Infinity ? `> ${text(WAIT_CLASSES[i - 1])}` : `≤ ${text(limit)}`;
}

/** Orders per second: stays that ended in each of some equal parts of the play. */
function ratePoints(play) {
  if (!play || !Number.isFinite(play.start)) {
    return [];
  }
  const { end, state, size } = play.stays;
  const parts = Math.min(Math.max(size / 10, 5), RATE_BINS);
  const part = Math.max((play.latest - play.start) / parts, 10_000);
  const counts = new Array(Math.ceil((play.latest - play.start) / part) || 1).fill(0);
  for (let row = 0; row < size; row++) {
    if (state[row] === WROTE) {
      counts[Math.min(counts.length - 1, Math.floor((end[row] - play.start) / part))]++;
    }
  }
  return counts.map((count, i) => ({ x: ((i + 0.5) * part) / 1e6, y: Math.round(count / (part / 1e6)) }));
}

/** Sorted wait times of a play, in microseconds: from the arrival of the order to its read. */
function waitTimes(play) {
  if (!play) {
    return new Float64Array();
  }
  const { arrived, read, size } = play.stays;
  const waits = new Float64Array(size);
  let count = 0;
  for (let row = 0; row < size; row++) {
    if (arrived[row] <= read[row]) {
      waits[count++] = read[row] - arrived[row];
    }
  }
  return waits.subarray(0, count).sort();
}

const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

function waitCounts(sorted) {
  let seen = 0;
  return WAIT_CLASSES.map((limit) => {
    const below = lowerBound(sorted.length, (i) => sorted[i] > limit * 1000);
    const count = below - seen;
    seen = below;
    return count;
  });
}

const TALLY_FIELDS = ['stock', 'sold', 'oversold', 'duplicates', 'lostUpdates', 'answered', 'errors', 'unserved'];
const TALLY_ROWS = 20;

/** The charts as tables: the newest values, written only while the tables are open. */
function renderTallyTable(tallies, start, waits) {
  if (!byId('charts-details').open) {
    return;
  }
  const cells = (tag, values) => values.map((value) => element(tag, { textContent: value, scope: tag === 'th' ? 'col' : undefined }));
  byId('tally-head').replaceChildren(...cells('th', [t('charts.seconds'), ...TALLY_FIELDS.map((field) => t(`figure.${field}`))]));
  byId('tally-body').replaceChildren(...tallies.slice(-TALLY_ROWS).reverse().map((tally) => element('tr', {},
    ...cells('td', [((tally.at - start) / 1e6).toFixed(2), ...TALLY_FIELDS.map((field) => number(tally[field]))]))));
  byId('wait-head').replaceChildren(...cells('th', [t('charts.wait'), t('charts.orders')]));
  const counts = waitCounts(waits);
  byId('wait-body').replaceChildren(...WAIT_CLASSES.map((limit, i) => element('tr', {},
    ...cells('td', [waitLabel(limit, i), number(counts[i])]))));
}

/* ------------------------------------------------------------------ verdicts */

/** The sentence that explains a verdict: as the server wrote it, or its translation by strategy, fault and verdict. */
function whyOf(play) {
  const { verdict, why, expected } = play.verdict;
  if (expected) {
    const key = `why.${play.strategy}.${play.fault}.${verdict}`;
    return hasText(key) ? t(key) : sentence(why);
  }
  const wanted = setup.strategies.find((strategy) => strategy.name === play.strategy)?.expected[play.fault];
  const key = wanted === verdict ? 'why.missed' : 'why.unexpected';
  return hasText(key) ? t(key, { verdict: t(`verdict.${wanted}`) }) : sentence(why);
}

/** Make a sentence of a text: a capital letter first, a full stop last. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/([^.!?。！？])$/, '$1.');
}

const faultName = (fault) => t(`fault.${fault}`);

function titleOf(play) {
  return play.fault === 'none' ? play.strategy : `${play.strategy} + ${faultName(play.fault)}`;
}

/** One card for each play of the run: they are made once, then only changed. */
const cards = { run: null, all: [] };

function renderCards() {
  const run = shownRun();
  if (cards.run !== run) {
    cards.run = run;
    cards.all = (run?.plays ?? []).map(createCard);
    byId('cards').classList.toggle('many', cards.all.length > 6);
    byId('cards').replaceChildren(...cards.all.map((card) => card.item));
  }
  cards.all.forEach((card) => updateCard(card, run));
}

function createCard(play) {
  const name = element('span', { className: 'card-name' });
  const canvas = element('canvas', { className: 'miniature' });
  canvas.setAttribute('aria-hidden', 'true');
  const figures = element('span', { className: 'card-figures' });
  const mark = element('span', { className: 'card-mark' });
  const button = element('button', { type: 'button', className: 'card', dataset: { play: play.number } },
    element('span', { className: 'card-head' }, mark, name), canvas, figures);
  button.addEventListener('click', () => {
    shown.followPlays = false;
    showPlay(play.number);
  });
  return { play, button, name, mark, canvas, figures, item: element('li', {}, button), version: '' };
}

function updateCard(card, run) {
  const { play, button } = card;
  button.setAttribute('aria-pressed', String(play.number === shown.play));
  const version = `${play.version}/${texts.lang}/${run.outcome}`;
  if (version === card.version) {
    return;
  }
  card.version = version;
  const status = play.status();
  if (button.dataset.verdict !== status) {
    button.dataset.verdict = status;
    card.mark.replaceChildren(icon(status));
  }
  setText(card.name, titleOf(play));
  setText(card.figures, cardFigures(play, status));
  drawMiniature(card.canvas, play, run.nodes.length);
}

function cardFigures(play, status) {
  const figures = play.figures();
  if (!figures) {
    return t('status.WAITING');
  }
  if (figures.oversold > 0 || figures.duplicates > 0) {
    return t('card.oversold', { oversold: number(figures.oversold), duplicates: number(figures.duplicates) });
  }
  if (status === 'BLOCKS') {
    return t('card.blocked', { unserved: number(figures.unserved) });
  }
  if (status === 'RUNNING' || status === 'STOPPED') {
    return t('card.soon', { sold: number(figures.sold), stock: number(play.settings.stock) });
  }
  return t('card.sold', { sold: number(figures.sold), stock: number(play.settings.stock) });
}

/** The large verdict over the lanes. */
function renderVerdict() {
  const play = shownPlay();
  const status = play?.status() ?? 'WAITING';
  const box = byId('verdict');
  box.hidden = !play;
  if (!play) {
    return;
  }
  box.dataset.verdict = status;
  box.dataset.play = play.number;
  byId('verdict-icon').setAttribute('href', `#icon-${status}`);
  setText(byId('verdict-name'), t('verdict.headline', { strategy: titleOf(play), verdict: t(`verdict.${status}`) }));
  setText(byId('verdict-why'), play.verdict ? whyOf(play) : phaseText(play));
  renderTiles(play);
}

function phaseText(play) {
  if (!play.phase) {
    return t(shownRun().running ? 'phase.waiting' : 'phase.never');
  }
  const known = t(`phase.${play.phase}`);
  return play.phaseText && texts.lang === 'en' ? sentence(play.phaseText) : known;
}

const TILES = ['stock', 'sold', 'oversold', 'duplicates', 'overlaps'];

function renderTiles(play) {
  const figures = play.figures();
  const box = byId('tiles');
  if (box.children.length !== TILES.length) {
    box.replaceChildren(...TILES.map((name) => element('div', { dataset: { figure: name } }, element('dt'), element('dd'))));
  }
  const values = { stock: play.settings.stock, sold: figures?.sold, oversold: figures?.oversold,
    duplicates: figures?.duplicates, overlaps: play.overlapping };
  TILES.forEach((name, i) => {
    const tile = box.children[i];
    setText(tile.firstChild, t(`tile.${name}`));
    setText(tile.lastChild, number(values[name]));
    tile.dataset.value = values[name] ?? '';
    tile.classList.toggle('bad', ['oversold', 'duplicates', 'overlaps'].includes(name) && values[name] > 0);
  });
}

/* ------------------------------------------------------------------ the table of all plays */

const FIGURES = ['sold', 'stockLeft', 'oversold', 'lostUpdates', 'duplicates', 'overlaps', 'errors', 'unserved', 'ordersPerSecond'];
const PLAY_COLUMNS = ['strategy', 'fault', 'verdict', ...FIGURES, 'why', 'run'];
const MAX_EARLIER = 60;

/** Plays of earlier runs of this visit. Only figures are kept; the stays are fetched when a row is chosen. */
const earlier = [];
let playsVersion = '';

/** Keep the figures of a run that another one replaces. */
function archive(run) {
  earlier.unshift(...run.plays.filter((play) => play.verdict).map((play) => rowOf(run, play)));
  earlier.length = Math.min(earlier.length, MAX_EARLIER);
}

function rowOf(run, play) {
  return { run: run.id, play: play.number, strategy: play.strategy, fault: play.fault, verdict: play.verdict,
    status: play.status(), overlaps: play.overlapping, pairs: play.pairs, figures: play.figures() ?? {} };
}

function renderPlays() {
  const runs = [shown.live, shown.record].filter(Boolean);
  const version = `${texts.lang}/${shown.play}/${earlier.length}/${runs.map((run) => `${run.id}:${run.plays.map((play) => play.status())}`)}/${Boolean(shown.record)}`;
  if (version === playsVersion) {
    return;
  }
  playsVersion = version;
  byId('plays-head').replaceChildren(...PLAY_COLUMNS.map((name) => element('th', { scope: 'col', textContent: t(`figure.${name}`) })));
  const own = runs.flatMap((run) => run.plays.map((play) => ({ ...rowOf(run, play), own: run })));
  const old = earlier.filter((row) => !runs.some((run) => run.id === row.run));
  const focused = document.activeElement?.closest?.('#plays-body tr')?.dataset.key;
  byId('plays-body').replaceChildren(...[...own, ...old].map(playRow));
  if (focused) {
    byId('plays-body').querySelector(`tr[data-key="${CSS.escape(focused)}"] button`)?.focus({ preventScroll: true });
  }
}

function playRow(row) {
  const current = row.own === shownRun() && row.own && row.play === shown.play;
  const button = element('button', { type: 'button', className: 'link', textContent: row.strategy });
  button.setAttribute('aria-pressed', String(Boolean(current)));
  const line = element('tr', { className: current ? 'current' : '', dataset: {
    key: `${row.run}:${row.play}`, run: row.run, play: row.play, strategy: row.strategy, fault: row.fault,
    verdict: row.verdict?.verdict ?? '', overlaps: row.overlaps, pairs: row.pairs,
    expected: row.verdict ? String(row.verdict.expected) : '',
  } });
  line.addEventListener('click', () => selectRow(row));
  const verdict = element('td', { className: 'verdict-cell', dataset: { verdict: row.status } }, icon(row.status),
    ` ${t(`verdict.${row.status}`)}`);
  if (row.verdict && !row.verdict.expected) {
    verdict.append(element('span', { className: 'unexpected', textContent: ` ${t('table.unexpected')}` }));
  }
  const figures = FIGURES.map((name) => {
    const value = name === 'overlaps' ? row.overlaps : row.figures[name];
    const bad = ['oversold', 'lostUpdates', 'duplicates', 'overlaps', 'unserved'].includes(name) && value > 0;
    return element('td', { className: bad ? 'figure bad' : 'figure', textContent: number(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10), dataset: { figure: name, value: value ?? '' } });
  });
  const header = element('th', { scope: 'row' }, button);
  line.append(header, element('td', { textContent: faultName(row.fault) }), verdict, ...figures,
    element('td', { className: 'why', textContent: row.verdict ? whyOf(row) : '' }),
    element('td', { className: 'mono', textContent: row.run }));
  return line;
}

/** Show the play of a row. The record of an earlier run is fetched first. */
async function selectRow(row) {
  if (row.own) {
    if (row.own === shown.live) {
      shown.record = null;
    }
    shown.followPlays = false;
    showPlay(row.play);
    return;
  }
  const response = await fetch(`lab/runs/${encodeURIComponent(row.run)}`);
  if (response.ok) {
    await openRecord(await response.text(), row.run, row.play);
  } else {
    say('message', await problemOf(response));
  }
}

/* ------------------------------------------------------------------ the lanes as a table */

const PAGE_ROWS = 50;
const staysTable = { page: 0, version: '' };

function renderStays() {
  if (!byId('lanes-details').open) {
    return;
  }
  const run = shownRun();
  const play = shownPlay();
  const onlyRed = byId('only-overlaps').checked;
  const version = `${run?.id}/${play?.number}/${play?.version}/${onlyRed}/${staysTable.page}/${texts.lang}`;
  if (version === staysTable.version) {
    return;
  }
  staysTable.version = version;
  byId('stays-head').replaceChildren(...INSPECTED.map((name) => element('th', { scope: 'col', textContent: t(`stay.${name}`) })));
  const rows = play ? play.sortedRows((row) => !onlyRed || play.stays.partners[row] > 0).reverse() : [];
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  staysTable.page = Math.min(staysTable.page, pages - 1);
  const first = staysTable.page * PAGE_ROWS;
  const visible = rows.slice(first, first + PAGE_ROWS);
  byId('stays-body').replaceChildren(...visible.map((row) => stayRow(run, play, row)));
  byId('stays-body').dataset.total = rows.length;
  setText(byId('rows-range'), t('lanes.range', { from: number(rows.length ? first + 1 : 0), to: number(first + visible.length), total: number(rows.length) }));
  byId('rows-newer').disabled = staysTable.page === 0;
  byId('rows-older').disabled = staysTable.page >= pages - 1;
}

function stayRow(run, play, row) {
  const fields = describe(run, play, row);
  const line = element('tr', { dataset: { node: fields.node, stay: play.stays.stay[row], order: fields.order,
    kind: CLASSES[classOf(play.stays, row)], partners: play.stays.partners[row] } });
  const button = element('button', { type: 'button', className: 'link', textContent: fields.order });
  button.addEventListener('click', () => lanes.select(row));
  line.append(element('th', { scope: 'row' }, button),
    ...INSPECTED.slice(1).map((name) => element('td', { textContent: fields[name] })));
  return line;
}

function turnPage(step) {
  staysTable.page = Math.max(0, staysTable.page + step);
  renderStays();
}

/* ------------------------------------------------------------------ form and link */

const GROUPS = ['none', 'hand-made', 'database', 'distlock'];
const NUMBERS = ['stock', 'orders', 'buyers'];
const PRESETS = {
  bug: { strategies: ['none', 'synchronized', 'distributed-lock'], fault: 'none' },
  crash: { strategies: ['setnx', 'setnx-expire', 'distributed-lock'], fault: 'crash' },
  slow: { strategies: ['set-px-unique', 'distributed-lock'], fault: 'slow' },
  clock: { strategies: ['setnx-getset', 'distributed-lock'], fault: 'clock' },
};

/** Say something where a screen reader reads it at once, also if the text is the same again. */
function say(id, text, kind = 'error') {
  byId(id).textContent = '';
  byId(id).dataset.kind = kind;
  setTimeout(() => { byId(id).textContent = text; }, 20);
}

function renderForm() {
  const settings = byId('strategies').childElementCount ? readForm() : null;
  byId('presets').replaceChildren(...Object.keys(PRESETS).map(presetLink));
  byId('strategies').replaceChildren(...GROUPS.map(strategyGroup).filter(Boolean));
  byId('faults').replaceChildren(...setup.faults.map((fault) => chip('radio', 'fault', fault, t(`fault.${fault}`))));
  for (const name of NUMBERS) {
    const limits = setup.limits[name] ?? {};
    Object.assign(byId(name), { min: limits.min ?? 1, max: limits.max ?? '' });
  }
  fillForm(settings ?? settingsOf(location.hash));
}

function presetLink(name) {
  const link = element('a', { href: linkOf({ ...usualSettings(), ...PRESETS[name] }), textContent: t(`preset.${name}`), dataset: { preset: name } });
  link.addEventListener('click', (event) => {
    event.preventDefault();
    fillForm({ ...readForm(), ...PRESETS[name] });
    formChanged();
  });
  return link;
}

function strategyGroup(group) {
  const members = setup.strategies.filter((strategy) => strategy.group === group);
  if (members.length === 0) {
    return null;
  }
  return element('fieldset', {}, element('legend', { textContent: t(`group.${group}`) }),
    element('div', { className: 'chips' }, ...members.map((strategy) => chip('checkbox', 'strategies', strategy.name, strategy.name))));
}

function chip(type, name, value, label) {
  return element('label', { className: 'chip' }, element('input', { type, name, value }), element('span', { textContent: label }));
}

function usualSettings() {
  const usual = Object.fromEntries(NUMBERS.map((name) => [name, setup.limits[name]?.usual ?? 100]));
  return { ...PRESETS.bug, ...usual };
}

function readForm() {
  const form = byId('form');
  const numbers = NUMBERS.map((name) => [name, form[name].value === '' ? null : Number(form[name].value)]);
  return {
    strategies: [...form.querySelectorAll('input[name=strategies]:checked')].map((input) => input.value),
    fault: form.querySelector('input[name=fault]:checked')?.value ?? 'none',
    ...Object.fromEntries(numbers),
  };
}

function fillForm(settings) {
  const form = byId('form');
  form.querySelectorAll('input[name=strategies]').forEach((input) => { input.checked = settings.strategies.includes(input.value); });
  form.querySelectorAll('input[name=fault]').forEach((input) => { input.checked = input.value === settings.fault; });
  NUMBERS.forEach((name) => { form[name].value = settings[name] ?? ''; });
  setText(byId('fault-hint'), t(`fault.${settings.fault}.hint`));
}

/** Read the settings of a link such as `#strategies=setnx&fault=slow`; what is missing is as usual. */
function settingsOf(hash) {
  const settings = usualSettings();
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  if (given.has('strategies')) {
    const known = new Set(setup.strategies.map((strategy) => strategy.name));
    const names = given.get('strategies').split(',').filter(Boolean);
    settings.strategies = names[0] === 'all' ? [...known] : names.filter((name) => known.has(name));
    const unknown = names.filter((name) => name !== 'all' && !known.has(name));
    if (unknown.length > 0 && known.size > 0) {
      say('message', t('form.unknown', { names: unknown.join(', ') }));
    }
  }
  if (setup.faults.includes(given.get('fault'))) {
    settings.fault = given.get('fault');
  }
  for (const name of NUMBERS.filter((candidate) => /^\d+$/.test(given.get(candidate) ?? ''))) {
    settings[name] = Number(given.get(name));
  }
  return settings;
}

function linkOf(settings) {
  const numbers = NUMBERS.map((name) => `${name}=${settings[name] ?? ''}`).join('&');
  return `#strategies=${settings.strategies.map(encodeURIComponent).join(',')}&fault=${settings.fault}&${numbers}`;
}

function formChanged() {
  const settings = readForm();
  history.replaceState(null, '', `${location.search}${linkOf(settings)}`);
  setText(byId('fault-hint'), t(`fault.${settings.fault}.hint`));
  setText(byId('message'), '');
}

/** Ask the server to start what the form says. */
async function startRun() {
  const button = byId('run');
  if (button.getAttribute('aria-busy') === 'true') {
    return;
  }
  button.setAttribute('aria-busy', 'true');
  setText(byId('message'), '');
  try {
    const response = await fetch('lab/runs', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(readForm()),
    });
    if (response.ok) {
      shown.record = null;
      shown.followPlays = true;
      showStage();
    } else {
      say('message', await problemOf(response));
    }
  } catch {
    say('message', t('form.unreachable'));
  } finally {
    button.removeAttribute('aria-busy');
  }
}

/** On a narrow screen the lanes are below the form. */
function showStage() {
  const stage = byId('stage');
  if (stage.getBoundingClientRect().top > innerHeight * 0.6) {
    stage.scrollIntoView({ behavior: reducedMotion.matches ? 'auto' : 'smooth', block: 'start' });
  }
}

async function stopRun() {
  const response = await fetch('lab/runs/current', { method: 'DELETE' }).catch(() => null);
  if (!response) {
    say('message', t('form.unreachable'));
  } else {
    say('message', response.ok ? t('form.stopping') : await problemOf(response), response.ok ? 'info' : 'error');
  }
}

async function copyLink() {
  formChanged();
  try {
    await navigator.clipboard.writeText(location.href);
    say('message', t('form.copied'), 'info');
  } catch {
    say('message', t('form.copyByHand', { link: location.href }), 'info');
  }
}

function listenToForm() {
  const form = byId('form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    startRun();
  });
  form.addEventListener('input', formChanged);
  byId('stop').addEventListener('click', stopRun);
  byId('copy').addEventListener('click', copyLink);
  addEventListener('hashchange', () => {
    if (location.hash.includes('=')) {
      fillForm(settingsOf(location.hash));
    }
  });
}

/* ------------------------------------------------------------------ guided tour */

const tour = { step: 0 };

function renderTour() {
  const steps = setup.strategies;
  byId('tour').hidden = steps.length === 0;
  if (steps.length === 0) {
    return;
  }
  byId('tour-steps').replaceChildren(...GROUPS.map(tourGroup).filter(Boolean));
  renderStep();
}

function tourGroup(group) {
  const members = setup.strategies.filter((strategy) => strategy.group === group);
  const links = members.map((strategy) => {
    const index = setup.strategies.indexOf(strategy);
    const button = element('button', { type: 'button', dataset: { step: strategy.name } },
      element('span', { className: 'step-number', textContent: index + 1 }), ` ${strategy.name}`);
    if (index === tour.step) {
      button.setAttribute('aria-current', 'step');
    }
    button.addEventListener('click', () => goToStep(index));
    return element('li', {}, button);
  });
  return members.length === 0 ? null : element('div', {}, element('h3', { textContent: t(`group.${group}`) }), element('ol', { start: setup.strategies.indexOf(members[0]) + 1 }, ...links));
}

function goToStep(index) {
  tour.step = Math.min(Math.max(index, 0), setup.strategies.length - 1);
  renderTour();
  byId('tour-step').focus({ preventScroll: true });
  byId('tour-step').scrollIntoView({ behavior: reducedMotion.matches ? 'auto' : 'smooth', block: 'start' });
}

function renderStep() {
  const strategy = setup.strategies[tour.step];
  const own = (part) => t(`tour.${strategy.name}.${part}`);
  const box = byId('tour-step');
  box.dataset.strategy = strategy.name;
  box.replaceChildren(
    element('p', { className: 'step-count', textContent: t('tour.count', { step: tour.step + 1, steps: setup.strategies.length }) }),
    element('h3', {}, element('code', { textContent: strategy.name }), ` ${own('title')}`),
    element('p', { textContent: own('what') }),
    codeOf(strategy),
    element('p', { className: 'step-limit' }, element('strong', { textContent: `${t(setup.faults.some((fault) => isBrokenBy(strategy, fault)) ? 'tour.breaks' : 'tour.price')} ` }), own('limit')),
    element('p', { className: 'step-runs-title', textContent: t('tour.try', { strategy: strategy.name }) }),
    element('div', { className: 'step-runs' }, ...setup.faults.map((fault) => tourButton(strategy, fault))),
    tourLinks(strategy),
  );
}

/** The few lines of the strategy's class, as they are in the source. */
function codeOf(strategy) {
  const figure = element('figure', { className: 'code' }, element('figcaption', { textContent: strategy.file }));
  const block = element('pre', { tabIndex: 0 }, highlight(strategy.code));
  block.setAttribute('role', 'region');
  block.setAttribute('aria-label', strategy.file);
  figure.append(block);
  return figure;
}

const TOKENS = /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("""[\s\S]*?"""|"(?:\\.|[^"\\])*")|(@\w+)|\b(public|private|static|final|class|return|if|else|while|for|try|finally|catch|new|throw|synchronized|boolean|long|int|void|record|this|null|true|false)\b/g;
const TOKEN_CLASSES = ['comment', 'string', 'annotation', 'keyword'];

/** Colour Java code. The code is inserted as text, never as markup. */
function highlight(code) {
  const target = element('code');
  let last = 0;
  for (const match of code.matchAll(TOKENS)) {
    const kind = TOKEN_CLASSES[match.slice(1).findIndex((group) => group !== undefined)];
    target.append(code.slice(last, match.index), element('span', { className: `code-${kind}`, textContent: match[0] }));
    last = match.index + match[0].length;
  }
  target.append(code.slice(last));
  return target;
}

/** Whether a fault breaks a strategy; some break without any fault. */
function isBrokenBy(strategy, fault) {
  return strategy.brokenBy.includes(fault) || (fault === 'none' && strategy.expected.none !== 'HOLDS');
}

/** A button that fills the form with a strategy and a fault, and runs it. */
function tourButton(strategy, fault) {
  const expected = strategy.expected[fault] ?? 'HOLDS';
  const breaks = isBrokenBy(strategy, fault);
  const button = element('button', { type: 'button', className: breaks ? 'tour-run alarm' : 'tour-run', dataset: { fault, strategy: strategy.name } },
    element('span', { className: 'tour-run-name', textContent: t('tour.run', { fault: faultName(fault) }) }),
    element('span', { className: 'tour-run-expected', dataset: { verdict: expected } }, icon(expected), ` ${t('tour.expected', { verdict: t(`verdict.${expected}`) })}`));
  button.addEventListener('click', () => {
    fillForm({ ...readForm(), strategies: [strategy.name], fault });
    formChanged();
    byId('stage').scrollIntoView({ behavior: reducedMotion.matches ? 'auto' : 'smooth', block: 'start' });
    startRun();
  });
  return button;
}

function tourLinks(strategy) {
  const step = (name, text, className) => {
    const index = setup.strategies.findIndex((candidate) => candidate.name === name);
    const button = element('button', { type: 'button', className, textContent: text, dataset: { to: name } });
    button.addEventListener('click', () => goToStep(index));
    return button;
  };
  const box = element('p', { className: 'step-links' });
  const before = setup.strategies[tour.step - 1];
  const after = setup.strategies[tour.step + 1];
  if (before) {
    box.append(step(before.name, `← ${before.name}`, 'quiet'));
  }
  if (strategy.fixedBy) {
    box.append(step(strategy.fixedBy, t('tour.fixedBy', { strategy: strategy.fixedBy }), 'primary fix'));
  }
  if (after) {
    box.append(step(after.name, `${after.name} →`, 'quiet'));
  }
  return box;
}

/* ------------------------------------------------------------------ records */

const FRAME_BUDGET = 10;

/** Open a record: its events are shown as those of the server would be. */
async function openRecord(text, name, play = null, fromFile = false) {
  let run;
  try {
    run = await runOf(text);
  } catch (error) {
    say('record-message', t('record.bad', { name, reason: error.message }));
    return;
  }
  setText(byId('record-message'), '');
  run.fromFile = fromFile;
  shown.record = run;
  shown.followPlays = false;
  showPlay(play ?? Math.max(0, run.plays.findIndex((candidate) => candidate.overlapping > 0)));
  byId('stage').focus({ preventScroll: true });
  showStage();
  setText(byId('summary'), t('record.opened', { run: run.id }));
}

/** Read a record and build its run in small pieces, so that the page stays responsive. */
async function runOf(text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    throw new Error(t('record.noJson'));
  }
  if (record?.format !== 'distlock-lab-record' || !Array.isArray(record.events)) {
    throw new Error(t('record.noRecord'));
  }
  if (record.version !== 1) {
    throw new Error(t('record.version', { version: String(record.version) }));
  }
  const [first, ...events] = record.events;
  if (first?.type !== 'run' || !Array.isArray(first.plays) || first.plays.length === 0) {
    throw new Error(t('record.noRun'));
  }
  const run = new Run(first);
  run.last = first.n;
  let began = performance.now();
  for (const event of events) {
    try {
      run.apply(event);
    } catch {
      throw new Error(t('record.event', { n: String(event?.n) }));
    }
    if (performance.now() - began > FRAME_BUDGET) {
      await new Promise((resolve) => { setTimeout(resolve); });
      began = performance.now();
    }
  }
  run.outcome ??= 'stopped';
  return run;
}

function listenToRecord() {
  byId('open').addEventListener('change', async (event) => {
    const [file] = event.target.files;
    if (file) {
      await openRecord(await file.text(), file.name, null, true);
      event.target.value = '';
    }
  });
  byId('back').addEventListener('click', () => {
    shown.record = null;
    shown.followPlays = true;
    showPlay(shown.live?.current ?? 0);
    byId('stage').focus({ preventScroll: true });
  });
}

function renderRecord() {
  const run = shownRun();
  const link = byId('download');
  if (run && !run.fromFile) {
    link.href = `lab/runs/${encodeURIComponent(run.id)}`;
    link.download = `distlock-lab-${run.id}.json`;
    link.removeAttribute('aria-disabled');
  } else {
    link.removeAttribute('href');
    link.setAttribute('aria-disabled', 'true');
  }
}

/** A line above the cards: an opened record, missing events, or a run that ended early. */
function renderNotice() {
  const run = shownRun();
  const lines = [];
  if (shown.record) {
    lines.push(t('record.shown', { run: shown.record.id }));
  }
  if (run?.gaps > 0) {
    lines.push(t('connection.gaps', { count: number(run.gaps) }));
  }
  if (run?.outcome === 'failed' || (run?.outcome === 'stopped' && !shown.record)) {
    lines.push(`${t(`outcome.${run.outcome}`)} ${run.message ?? ''}`);
  }
  byId('notice').hidden = lines.length === 0;
  byId('back').hidden = !shown.record || !shown.live;
  setText(byId('notice-text'), lines.join(' '));
}

/* ------------------------------------------------------------------ connection */

const RETRY_DELAY = 2000;
const connection = { state: 'connecting', source: null };

function setConnection(state) {
  connection.state = state;
  root.dataset.connection = state;
  setText(byId('connection'), t(`connection.${state}`));
}

/** Listen to the server. The browser reconnects by itself and names the last event that it has seen. */
function connect() {
  const source = new EventSource('lab/events');
  connection.source = source;
  source.onopen = () => setConnection('live');
  source.onmessage = (message) => receive(JSON.parse(message.data), message.lastEventId);
  source.onerror = () => {
    setConnection('reconnecting');
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(connect, RETRY_DELAY);
    }
  };
}

/** Apply one event of the live run. */
function receive(event, eventId) {
  if (event.type === 'run') {
    beginRun(event);
  } else if (shown.live && (!eventId || eventId.startsWith(`${shown.live.id}:`))) {
    shown.live.apply(event);
    announce(shown.live, event);
  }
  root.dataset.lastEvent = shown.live?.last ?? 0;
  root.dataset.gaps = shown.live?.gaps ?? 0;
  renderRunState();
  if (event.type === 'end') {
    showAfterwards(event);
  }
  followRun();
  refreshSoon();
}

const liveTimes = { at: 0, began: 0 };

/** If the run was over before the page opened, show its first play with overlaps. Its events then arrive faster than they happened. */
function showAfterwards(event) {
  const elapsed = (performance.now() - liveTimes.began) * 1000;
  const first = shown.live.plays.findIndex((play) => play.overlapping > 0);
  if (shown.followPlays && !shown.record && first >= 0 && event.at - liveTimes.at > 2 * elapsed) {
    shown.followPlays = false;
    showPlay(first);
  }
}

function beginRun(event) {
  if (shown.live?.id === event.run) {
    return;
  }
  if (shown.live) {
    archive(shown.live);
  }
  shown.live = new Run(event);
  shown.live.apply(event);
  Object.assign(liveTimes, { at: event.at, began: performance.now() });
  root.dataset.run = event.run;
  if (!shown.record) {
    shown.followPlays = true;
    showPlay(0);
  }
  setText(byId('summary'), t('summary.run', { count: number(event.plays.length) }));
}

/** Announce verdicts and the end to a screen reader, but not each figure. */
function announce(run, event) {
  if (event.type === 'verdict') {
    const play = run.plays[event.play];
    setText(byId('summary'), t('summary.verdict', { strategy: titleOf(play), verdict: t(`verdict.${event.verdict}`), why: whyOf(play) }));
  } else if (event.type === 'end' && event.outcome !== 'finished') {
    setText(byId('summary'), t(`outcome.${event.outcome}`));
  }
}

function renderRunState() {
  const state = !shown.live ? 'idle' : shown.live.running ? 'running' : 'finished';
  root.dataset.runState = state;
  root.dataset.shown = shown.record ? 'record' : 'live';
  byId('stop').disabled = state !== 'running';
}

/* ------------------------------------------------------------------ refresh */

const SLOW_REFRESH = 400;
const MIN_FRAME = 30;
let frame = 0;
let previousFrame = 0;
let slowTimer = 0;

/** Draw at most once for each frame of the screen. */
function scheduleFrame() {
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
function refreshSoon() {
  lanes.dirty = true;
  scheduleFrame();
  slowTimer ||= setTimeout(refreshSlowly, SLOW_REFRESH);
}

function refreshSlowly() {
  slowTimer = 0;
  renderAll();
}

function renderAll() {
  renderRunState();
  renderNotice();
  renderCards();
  renderVerdict();
  renderTools();
  drawOverview();
  renderPlays();
  renderRecord();
  setTimeout(renderStays);
  charts.update();
}

/* ------------------------------------------------------------------ start */

/** Report the longest task of the page; the browser's observer sees tasks of 50 ms and more. */
function watchLongTasks() {
  if (!PerformanceObserver.supportedEntryTypes?.includes('longtask')) {
    return;
  }
  new PerformanceObserver((list) => {
    const longest = Math.max(...list.getEntries().map((entry) => entry.duration));
    root.dataset.longestTask = Math.max(Number(root.dataset.longestTask), Math.round(longest));
  }).observe({ type: 'longtask', buffered: true });
}

/** Fetch what the lab can do; ask again while its services start. */
async function loadSetup() {
  try {
    const response = await fetch('lab/setup');
    if (!response.ok) {
      throw new Error(await problemOf(response));
    }
    const known = setup.strategies.length > 0;
    setup = await response.json();
    if (!known) {
      renderForm();
      renderTour();
    }
  } catch (error) {
    say('message', `${t('form.unreachable')} ${error.message}`);
    setup.ready = false;
  }
  showReadiness(setup.ready !== false);
  if (setup.ready === false) {
    setTimeout(loadSetup, RETRY_DELAY);
  }
}

/** Say that the services still start, and clear that message when they are up. */
function showReadiness(ready) {
  const { dataset } = byId('run');
  if (!ready && setup.strategies.length > 0 && dataset.ready !== 'false') {
    say('message', t('form.starting'), 'info');
  } else if (ready && dataset.ready === 'false') {
    setText(byId('message'), '');
  }
  dataset.ready = String(ready);
}

function renderEverything() {
  translatePage();
  renderLegend();
  renderForm();
  renderTour();
  renderInspector();
  setConnection(connection.state);
  charts.create();
  cards.all.forEach((card) => { card.version = ''; });
  lanes.dirty = true;
  renderAll();
  scheduleFrame();
}

async function switchLanguage(event) {
  event.preventDefault();
  const { lang } = event.currentTarget.dataset;
  await loadTexts(lang);
  history.replaceState(null, '', `?lang=${lang}${location.hash}`);
  renderEverything();
}

function repaint() {
  readColours();
  charts.create();
  cards.all.forEach((card) => { card.version = ''; });
  renderAll();
  scheduleFrame();
}

function listenToPage() {
  const clicks = {
    follow: toggleFollow, 'next-overlap': nextOverlap, replay: toggleReplay, fit: fitPlay,
    'zoom-in': () => lanes.zoom(0.6), 'zoom-out': () => lanes.zoom(1 / 0.6),
    earlier: () => lanes.pan(-0.5), later: () => lanes.pan(0.5),
    'rows-newer': () => turnPage(-1), 'rows-older': () => turnPage(1),
  };
  Object.entries(clicks).forEach(([id, action]) => byId(id).addEventListener('click', action));
  byId('only-overlaps').addEventListener('change', () => turnPage(-staysTable.page));
  byId('lanes-details').addEventListener('toggle', renderStays);
  byId('charts-details').addEventListener('toggle', () => { charts.reset(); charts.update(); });
  document.querySelectorAll('[data-lang]').forEach((link) => link.addEventListener('click', switchLanguage));
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('stage').focus();
  });
  new IntersectionObserver(([entry]) => {
    charts.visible = entry.isIntersecting;
    if (charts.visible && charts.wanted) {
      charts.create();
    }
    charts.update();
  }).observe(byId('figures'));
  darkMode.addEventListener('change', repaint);
  // A page in the browser's back/forward cache would keep one of the six connections to this server.
  addEventListener('pagehide', () => connection.source?.close());
  addEventListener('pageshow', (event) => {
    if (event.persisted) {
      connect();
    }
  });
}

async function start() {
  watchLongTasks();
  await loadTexts(wantedLanguage());
  readColours();
  renderEverything();
  listenToPage();
  listenToForm();
  listenToLanes();
  listenToOverview();
  listenToRecord();
  await loadSetup();
  connect();
}

start();
