/** The guided tour: the code of each strategy, and what breaks it. */

import { byId, element, icon, isStatic, reveal } from './tools.js';
import { t } from './texts.js';
import { setup } from './shown.js';
import { faultName } from './verdicts.js';
import { catalogue, showRecord } from './catalogue.js';
import { GROUPS, fillForm, formChanged, readForm, startRun } from './form.js';

const tour = { step: 0 };

export function renderTour() {
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
  reveal(byId('tour-step'));
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
    element('p', { className: 'step-runs-title', textContent: t(isStatic ? 'tour.records' : 'tour.try', { strategy: strategy.name }) }),
    element('div', { className: 'step-runs' }, ...setup.faults.filter((fault) => !isStatic || catalogue.some(({ record }) => record === `${strategy.name}-${fault}`))
      .map((fault) => tourButton(strategy, fault))),
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
    element('span', { className: 'tour-run-name', textContent: t(isStatic ? 'tour.see' : 'tour.run', { fault: faultName(fault) }) }),
    element('span', { className: 'tour-run-expected', dataset: { verdict: expected } }, icon(expected), ` ${t('tour.expected', { verdict: t(`verdict.${expected}`) })}`));
  button.addEventListener('click', () => {
    if (isStatic) {
      showRecord(`${strategy.name}-${fault}`);
      return;
    }
    fillForm({ ...readForm(), strategies: [strategy.name], fault });
    formChanged();
    reveal(byId('stage'));
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
