/** The table of all trials, and the lanes as a table. */

import { byId, element, icon, setText } from './tools.js';
import { number, t, texts } from './texts.js';
import { showTrial, shown, shownTrial, shownRun } from './shown.js';
import { CLASSES, classOf } from './model.js';
import { lanes } from './view.js';
import { faultName, whyOf } from './verdicts.js';
import { catalogue, showRecord } from './catalogue.js';
import { INSPECTED, describe } from './inspector.js';

const FIGURES = ['sold', 'stockLeft', 'oversold', 'lostUpdates', 'duplicates', 'overlaps', 'errors', 'unserved', 'ordersPerSecond'];
const TRIAL_COLUMNS = ['strategy', 'fault', 'verdict', ...FIGURES];
const MAX_EARLIER = 60;

/** Trials of earlier runs of this visit. Only figures are kept; the stays are fetched when a row is chosen. */
export const earlier = [];
let trialsVersion = '';

/** Keep the figures of a run that another one replaces. */
export function archive(run) {
  earlier.unshift(...run.trials.filter((trial) => trial.verdict).map((trial) => rowOf(run, trial)));
  earlier.length = Math.min(earlier.length, MAX_EARLIER);
}

function rowOf(run, trial) {
  return { run: run.id, trial: trial.number, strategy: trial.strategy, fault: trial.fault, verdict: trial.verdict,
    status: trial.status(), overlaps: trial.overlapping, pairs: trial.pairs, figures: trial.figures() ?? {} };
}

export function renderTrials() {
  const runs = [shown.live, shown.record].filter(Boolean);
  const version = `${texts.lang}/${shown.trial}/${earlier.length}/${runs.map((run) => `${run.id}:${run.trials.map((trial) => trial.status())}`)}/${Boolean(shown.record)}`;
  if (version === trialsVersion) {
    return;
  }
  trialsVersion = version;
  byId('trials-head').replaceChildren(...TRIAL_COLUMNS.map((name) => element('th', { scope: 'col', textContent: t(`figure.${name}`) })));
  const listed = catalogue.map(({ record, strategy, fault, verdict }) => ({
    run: record, trial: 0, strategy, fault, verdict, status: verdict.verdict, overlaps: verdict.figures.overlaps, figures: verdict.figures,
    own: shown.record?.id === record ? shown.record : undefined,
  }));
  const own = runs.filter((run) => !listed.some((row) => row.run === run.id)).flatMap((run) => run.trials.map((trial) => ({ ...rowOf(run, trial), own: run })));
  const old = earlier.filter((row) => !runs.some((run) => run.id === row.run));
  const focused = document.activeElement?.closest?.('#trials-body tr')?.dataset.key;
  byId('trials-body').replaceChildren(...[...own, ...old, ...listed].flatMap(trialRow));
  if (focused) {
    byId('trials-body').querySelector(`tr[data-key="${CSS.escape(focused)}"] button`)?.focus({ preventScroll: true });
  }
}

function trialRow(row) {
  const current = row.own === shownRun() && row.own && row.trial === shown.trial;
  const button = element('button', { type: 'button', className: 'link', textContent: row.strategy });
  button.setAttribute('aria-pressed', String(Boolean(current)));
  const line = element('tr', { className: current ? 'current' : '', dataset: {
    key: `${row.run}:${row.trial}`, run: row.run, trial: row.trial, strategy: row.strategy, fault: row.fault,
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
  line.append(header, element('td', { textContent: faultName(row.fault) }), verdict, ...figures);
  const why = element('tr', { className: 'why-line', dataset: { current: String(Boolean(current)) } },
    element('td', { className: 'why', colSpan: TRIAL_COLUMNS.length, textContent: row.verdict ? whyOf(row) : '' }));
  why.addEventListener('click', () => selectRow(row));
  return [line, why];
}

/** Show the trial of a row. The record of an earlier run is fetched first. */
async function selectRow(row) {
  if (row.own) {
    if (row.own === shown.live) {
      shown.record = null;
    }
    shown.followTrials = false;
    showTrial(row.trial);
    return;
  }
  await showRecord(row.run, row.trial);
}

/* ------------------------------------------------------------------ the lanes as a table */

const PAGE_ROWS = 50;
export const staysTable = { page: 0, version: '' };

export function renderStays() {
  if (!byId('lanes-details').open) {
    return;
  }
  const run = shownRun();
  const trial = shownTrial();
  const onlyRed = byId('only-overlaps').checked;
  const version = `${run?.id}/${trial?.number}/${trial?.version}/${onlyRed}/${staysTable.page}/${texts.lang}`;
  if (version === staysTable.version) {
    return;
  }
  staysTable.version = version;
  byId('stays-head').replaceChildren(...INSPECTED.map((name) => element('th', { scope: 'col', textContent: t(`stay.${name}`) })));
  const rows = trial ? trial.sortedRows((row) => !onlyRed || trial.stays.partners[row] > 0).reverse() : [];
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  staysTable.page = Math.min(staysTable.page, pages - 1);
  const first = staysTable.page * PAGE_ROWS;
  const visible = rows.slice(first, first + PAGE_ROWS);
  byId('stays-body').replaceChildren(...visible.map((row) => stayRow(run, trial, row)));
  byId('stays-body').dataset.total = rows.length;
  setText(byId('rows-range'), t('lanes.range', { from: number(rows.length ? first + 1 : 0), to: number(first + visible.length), total: number(rows.length) }));
  byId('rows-newer').disabled = staysTable.page === 0;
  byId('rows-older').disabled = staysTable.page >= pages - 1;
}

function stayRow(run, trial, row) {
  const fields = describe(run, trial, row);
  const line = element('tr', { dataset: { node: fields.node, stay: trial.stays.stay[row], order: fields.order,
    kind: CLASSES[classOf(trial.stays, row)], partners: trial.stays.partners[row] } });
  const button = element('button', { type: 'button', className: 'link', textContent: fields.order });
  button.addEventListener('click', () => lanes.select(row));
  line.append(element('th', { scope: 'row' }, button),
    ...INSPECTED.slice(1).map((name) => element('td', { textContent: fields[name] })));
  return line;
}

export function turnPage(step) {
  staysTable.page = Math.max(0, staysTable.page + step);
  renderStays();
}
