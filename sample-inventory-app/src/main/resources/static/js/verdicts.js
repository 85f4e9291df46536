/** Verdicts and cards of the plays. */

import { byId, element, icon, setText } from './tools.js';
import { hasText, number, t, texts } from './texts.js';
import { setup, showPlay, shown, shownPlay, shownRun } from './shown.js';
import { drawMiniature } from './lanes.js';

/** The sentence that explains a verdict: as the server wrote it, or its translation by strategy, fault and verdict. */
export function whyOf(play) {
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

export const faultName = (fault) => t(`fault.${fault}`);

/** The verdict as a sentence, with its figure. */
function headlineOf(play, status) {
  const figures = play.figures() ?? {};
  const kind = status === 'OVERSELLS' && !(figures.oversold > 0) ? 'TWICE' : status;
  const strategy = play.strategy === 'none' ? t('tour.none.title') : play.strategy;
  return t(`headline.${kind}`, {
    strategy: play.fault === 'none' ? strategy : `${strategy} + ${faultName(play.fault)}`, oversold: number(figures.oversold),
    twice: number(figures.duplicates), unserved: number(figures.unserved), errors: number(figures.errors),
  });
}

export function titleOf(play) {
  return play.fault === 'none' ? play.strategy : `${play.strategy} + ${faultName(play.fault)}`;
}

/** One card for each play of the run: they are made once, then only changed. */
export const cards = { run: null, all: [] };

export function renderCards() {
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
export function renderVerdict() {
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
  setText(byId('verdict-name'), headlineOf(play, status));
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
