/** Figures over time. */

import { byId, element, lowerBound, setText } from './tools.js';
import { duration, number, t, texts } from './texts.js';
import { shownTrial, shownRun } from './shown.js';
import { WROTE } from './model.js';
import { colours } from './brush.js';

/** Upper bounds of the classes of the wait times, in milliseconds. */
const WAIT_CLASSES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, Infinity];
const RATE_BINS = 40;
const CHART_REFRESH = 900;

export const charts = {
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
  create(atOnce = false) {
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
    const make = ([[name, maker], ...rest]) => later(atOnce, () => {
      if (making === this.making) {
        this.all[name] = maker();
        if (rest.length > 0) {
          make(rest);
        } else {
          this.reset();
          this.update(atOnce);
        }
      }
    });
    make(Object.entries(makers));
  },

  /** A printer does not wait: make and draw all charts now, even if they are off the screen. */
  print() {
    const { visible } = this;
    this.visible = true;
    this.create(true);
    this.visible = visible;
  },

  /** Bring the charts to the state of the shown trial. */
  update(atOnce = false) {
    const trial = shownTrial();
    const version = trial ? `${shownRun().id}/${trial.number}/${trial.version}` : 'none';
    const early = shownRun()?.running && performance.now() - this.updated < CHART_REFRESH;
    if (version === this.version || early || !this.visible || !this.all.wait) {
      return;
    }
    this.version = version;
    this.updated = performance.now();
    const tallies = trial?.tallies ?? [];
    const start = Number.isFinite(trial?.start) ? trial.start : tallies[0]?.at;
    const known = [...(trial ? [{ at: start, stock: trial.settings.stock, sold: 0, oversold: 0, duplicates: 0, lostUpdates: 0 }] : []), ...tallies];
    const points = (field) => known.map((tally) => ({ x: Math.max(0, tally.at - start) / 1e6, y: tally[field] }));
    const { stock, twice, rate, wait } = this.all;
    const waits = waitTimes(trial);
    const fill = (chart, series) => series.forEach((data, i) => { chart.data.datasets[i].data = data; });
    fill(stock, ['stock', 'sold', 'oversold'].map(points));
    fill(twice, ['duplicates', 'lostUpdates'].map(points));
    fill(rate, [ratePoints(trial)]);
    fill(wait, [waitCounts(waits)]);
    // A task for each chart keeps each task short.
    Object.values(this.all).forEach((chart) => later(atOnce, () => chart.ctx && chart.update('none')));
    setText(byId('quantiles'), waits.length > 0
      ? t('charts.quantiles', { median: duration(quantile(waits, 0.5)), p99: duration(quantile(waits, 0.99)) }) : '');
    renderTallyTable(tallies, start, waits);
  },
};

const later = (atOnce, task) => (atOnce ? task() : setTimeout(task));

export function dataset(key, colour, dash, fill = false) {
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

/** Orders per second: stays that ended in each of some equal parts of the trial. */
function ratePoints(trial) {
  if (!trial || !Number.isFinite(trial.start)) {
    return [];
  }
  const { end, state, size } = trial.stays;
  const parts = Math.min(Math.max(size / 10, 5), RATE_BINS);
  const part = Math.max((trial.latest - trial.start) / parts, 10_000);
  const counts = new Array(Math.ceil((trial.latest - trial.start) / part) || 1).fill(0);
  for (let row = 0; row < size; row++) {
    if (state[row] === WROTE) {
      counts[Math.min(counts.length - 1, Math.floor((end[row] - trial.start) / part))]++;
    }
  }
  return counts.map((count, i) => ({ x: ((i + 0.5) * part) / 1e6, y: Math.round(count / (part / 1e6)) }));
}

/** Sorted wait times of a trial, in microseconds: from the arrival of the order to its read. */
function waitTimes(trial) {
  if (!trial) {
    return new Float64Array();
  }
  const { arrived, read, size } = trial.stays;
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
