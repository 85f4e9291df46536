/** Verdicts and cards of the trials. */

import { byId, element, icon, setText } from './tools.js';
import { hasText, number, t, texts } from './texts.js';
import { setup, showTrial, shown, shownTrial, shownRun } from './shown.js';
import { sizeOf } from './brush.js';
import { drawMiniature } from './lanes.js';

/** The sentence that explains a verdict: as the server wrote it, or its translation by strategy, fault and verdict. */
export function whyOf(trial) {
  const { verdict, why, expected } = trial.verdict;
  if (expected) {
    const key = `why.${trial.strategy}.${trial.fault}.${verdict}`;
    return hasText(key) ? t(key) : sentence(why);
  }
  const wanted = setup.strategies.find((strategy) => strategy.name === trial.strategy)?.expected[trial.fault];
  const key = wanted === verdict ? 'why.missed' : 'why.unexpected';
  return hasText(key) ? t(key, { verdict: t(`verdict.${wanted}`) }) : sentence(why);
}

/** Make a sentence of a text: a capital letter first, a full stop last. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/([^.!?。！？])$/, '$1.');
}

export const faultName = (fault) => t(`fault.${fault}`);

/** The verdict as a sentence, with its figure. */
function headlineOf(trial, status) {
  const figures = trial.figures() ?? {};
  const kind = status === 'OVERSELLS' && !(figures.oversold > 0) ? 'TWICE' : status;
  const strategy = trial.strategy === 'none' ? t('tour.none.title') : trial.strategy;
  return t(`headline.${kind}`, {
    strategy: trial.fault === 'none' ? strategy : `${strategy} + ${faultName(trial.fault)}`, sold: number(figures.sold),
    tickets: number(figures.sold - figures.duplicates), twice: number(figures.duplicates),
    unserved: number(figures.unserved), errors: number(figures.errors),
  });
}

export function titleOf(trial) {
  return trial.fault === 'none' ? trial.strategy : `${trial.strategy} + ${faultName(trial.fault)}`;
}

/** One card for each trial of the run: they are made once, then only changed. */
export const cards = { run: null, all: [] };

export function renderCards() {
  const run = shownRun();
  if (cards.run !== run) {
    cards.run = run;
    cards.all = (run?.trials ?? []).map(createCard);
    byId('cards').classList.toggle('many', cards.all.length > 6);
    byId('cards').replaceChildren(...cards.all.map((card) => card.item));
  }
  cards.all.forEach((card) => updateCard(card, run));
}

function createCard(trial) {
  const name = element('span', { className: 'card-name' });
  const canvas = element('canvas', { className: 'miniature' });
  canvas.setAttribute('aria-hidden', 'true');
  const figures = element('span', { className: 'card-figures' });
  const mark = element('span', { className: 'card-mark' });
  const button = element('button', { type: 'button', className: 'card', dataset: { trial: trial.number } },
    element('span', { className: 'card-head' }, mark, name), canvas, figures);
  button.addEventListener('click', () => {
    shown.followTrials = false;
    showTrial(trial.number);
  });
  return { trial, button, name, mark, canvas, figures, item: element('li', {}, button), version: '' };
}

function updateCard(card, run) {
  const { trial, button } = card;
  button.setAttribute('aria-pressed', String(trial.number === shown.trial));
  const version = `${trial.version}/${texts.lang}/${run.outcome}/${sizeOf(card.canvas).width}`;
  if (version === card.version) {
    return;
  }
  card.version = version;
  const status = trial.status();
  if (button.dataset.verdict !== status) {
    button.dataset.verdict = status;
    card.mark.replaceChildren(icon(status));
  }
  setText(card.name, titleOf(trial));
  setText(card.figures, cardFigures(trial, status));
  drawMiniature(card.canvas, trial, run.nodes.length);
}

function cardFigures(trial, status) {
  const figures = trial.figures();
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
    return t('card.soon', { sold: number(figures.sold), stock: number(trial.settings.stock) });
  }
  return t('card.sold', { sold: number(figures.sold), stock: number(trial.settings.stock) });
}

/** The large verdict over the lanes. */
export function renderVerdict() {
  const trial = shownTrial();
  const status = trial?.status() ?? 'WAITING';
  const box = byId('verdict');
  box.hidden = !trial;
  if (!trial) {
    return;
  }
  box.dataset.verdict = status;
  box.dataset.trial = trial.number;
  byId('verdict-icon').setAttribute('href', `#icon-${status}`);
  setText(byId('verdict-name'), headlineOf(trial, status));
  setText(byId('verdict-why'), trial.verdict ? whyOf(trial) : phaseText(trial));
  renderTiles(trial);
}

function phaseText(trial) {
  if (!trial.phase) {
    return t(shownRun().running ? 'phase.waiting' : 'phase.never');
  }
  const known = t(`phase.${trial.phase}`);
  return trial.phaseText && texts.lang === 'en' ? sentence(trial.phaseText) : known;
}

const TILES = ['stock', 'sold', 'oversold', 'duplicates', 'overlaps'];

function renderTiles(trial) {
  const figures = trial.figures();
  const box = byId('tiles');
  if (box.children.length !== TILES.length) {
    box.replaceChildren(...TILES.map((name) => element('div', { dataset: { figure: name } }, element('dt'), element('dd'))));
  }
  const values = { stock: trial.settings.stock, sold: figures?.sold, oversold: figures?.oversold,
    duplicates: figures?.duplicates, overlaps: trial.overlapping };
  TILES.forEach((name, i) => {
    const tile = box.children[i];
    setText(tile.firstChild, t(`tile.${name}`));
    setText(tile.lastChild, number(values[name]));
    tile.dataset.value = values[name] ?? '';
    tile.classList.toggle('bad', ['oversold', 'duplicates', 'overlaps'].includes(name) && values[name] > 0);
  });
}
