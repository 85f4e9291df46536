/** What the events of a run say: runs, trials, stays and their overlaps. */

import { lowerBound } from './tools.js';

export const OPEN = 0;
export const WROTE = 1;
export const REFUSED = 2;
export const CRASHED = 3;
export const STATES = ['open', 'wrote', 'refused', 'crashed'];

/** Classes of bars in the order in which they are drawn. */
export const CLASSES = ['ok', 'open', 'refused', 'crashed', 'red'];

export function classOf(stays, row) {
  switch (stays.state[row]) {
    case WROTE: return stays.partners[row] > 0 ? 4 : 0;
    case REFUSED: return 2;
    case CRASHED: return 3;
    default: return 1;
  }
}

/** The end of a stay; an open one lasts until now. */
export const endOf = (trial, row) => (trial.stays.state[row] === OPEN ? trial.latest : trial.stays.end[row]);

/** All stays of a trial, one typed column for each field. A row is a number. */
class StayTable {

  static COLUMNS = {
    order: Int32Array, stay: Int32Array, node: Uint8Array, resource: Uint16Array, state: Uint8Array,
    track: Uint16Array, partners: Uint32Array, arrived: Float64Array, read: Float64Array, end: Float64Array,
    lease: Float64Array, value: Float64Array, written: Float64Array, serial: Float64Array, token: Float64Array,
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

/** The stays of one node in one trial: which are closed, which are open, and on which track each is drawn. */
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
class Trial {

  constructor(number, strategy, fault, settings) {
    Object.assign(this, { number, strategy, fault, settings });
    this.stays = new StayTable();
    this.lanes = [];
    this.resources = [];
    this.resourceIndexes = [];
    this.overlapping = 0;
    this.pairs = 0;
    this.faults = [];
    /** How the leases of stays were renewed: lists by row. */
    this.renewals = new Map();
    /** How many callers wait: `{ at, waiting }`, over all nodes, in the order of the times. */
    this.queue = [];
    this.waitingOn = [];
    this.tallies = [];
    this.tallyStep = 1;
    this.tallyCount = 0;
    this.tally = null;
    this.hasLock = false;
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
    stays.lease[row] = event.lease ?? NaN;
    this.hasLock ||= event.lease != null || event.token != null;
    if (event.renewals?.length) {
      this.renewals.set(row, event.renewals);
    }
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

  addQueue(node, at, waiting) {
    this.waitingOn[node] = waiting;
    this.hasLock = true;
    this.queue.push({ at, waiting: this.waitingOn.reduce((sum, count) => sum + (count ?? 0), 0) });
    for (let i = this.queue.length - 1; i > 0 && this.queue[i].at < this.queue[i - 1].at; i--) {
      [this.queue[i - 1], this.queue[i]] = [this.queue[i], this.queue[i - 1]];
    }
  }

  /** When the lease of a stay ends after all its renewals; NaN if it has none. */
  leaseEnd(row) {
    return this.renewals.get(row)?.at(-1).lease ?? this.stays.lease[row];
  }

  /** Whether the lease ended while its holder was still inside. */
  isOutlived(row) {
    return this.leaseEnd(row) < endOf(this, row) && this.stays.state[row] !== CRASHED;
  }

  addTally(event) {
    this.tally = event;
    if (this.fault !== 'none' || this.faults.length > 0) {
      // A trial that is blocked has no stays, and its time goes on.
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

  /** The verdict, or how far the trial has come. */
  status() {
    return this.verdict?.verdict ?? { null: 'WAITING', stopped: 'STOPPED' }[this.phase] ?? 'RUNNING';
  }

}

/** One run: its settings, its trials and how far its events have come. */
export class Run {

  /**
   * @param event the first event, of the type `run`
   * @param nodes the names of the nodes, in the order of their lanes
   */
  constructor(event, nodes) {
    this.id = event.run;
    this.settings = { orders: event.orders, stock: event.stock, buyers: event.buyers };
    this.trials = event.trials.map((trial) => new Trial(trial.trial, trial.strategy, trial.fault, this.settings));
    this.nodes = [...nodes];
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
      this.trials.filter((trial) => !trial.verdict).forEach((trial) => {
        trial.phase &&= 'stopped';
        trial.version++;
      });
      return;
    }
    const trial = this.trials[event.trial];
    if (trial) {
      this.applyTo(trial, event);
      trial.version++;
    }
  }

  applyTo(trial, event) {
    switch (event.type) {
      case 'phase':
        trial.phase = event.phase;
        trial.phaseText = event.text ?? null;
        if (event.phase === 'running') {
          this.current = trial.number;
        }
        break;
      case 'stays':
        this.current = trial.number;
        event.stays.forEach((stay) => trial.upsert(this.nodeNumber(stay.node), stay));
        break;
      case 'queues':
        event.queues.forEach(({ node, at, waiting }) => trial.addQueue(this.nodeNumber(node), at, waiting));
        break;
      case 'fault':
        trial.addFault({ ...event, node: this.nodeNumber(event.node) });
        break;
      case 'tally':
        trial.addTally(event);
        break;
      case 'verdict':
        trial.verdict = event;
        // A node that was paused or killed by hand is a fault, too.
        trial.fault = event.fault ?? trial.fault;
        trial.phase = 'ended';
        trial.phaseText = null;
        break;
      default:
    }
  }

  get running() {
    return this.outcome === null;
  }

}
