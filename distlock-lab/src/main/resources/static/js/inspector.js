/** Words about one stay, the tools of the lanes, and the legend. */

import { byId, element, isStatic, problemOf, setText } from './tools.js';
import { duration, number, t, texts } from './texts.js';
import { say } from './say.js';
import { setup, shown, shownTrial, shownRun } from './shown.js';
import { CLASSES, STATES, WROTE, classOf } from './model.js';
import { isFollowing, isReplaying, lanes } from './view.js';
import { fillForm, formChanged, readForm } from './form.js';

export const INSPECTED = ['order', 'node', 'resource', 'value', 'written', 'token', 'wait', 'stay', 'state'];

/** The fields of a stay as texts; used by the inspector and by the table. */
export function describe(run, trial, row) {
  const { stays } = trial;
  const known = (value) => (Number.isFinite(value) ? String(value) : '–');
  return {
    order: stays.order[row] >= 0 ? String(stays.order[row]) : '–',
    node: run.nodes[stays.node[row]],
    resource: trial.resources[stays.resource[row]],
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

export function renderInspector() {
  const box = byId('inspector');
  const run = shownRun();
  const trial = shownTrial();
  const row = lanes.hovered >= 0 ? lanes.hovered : lanes.selected;
  box.dataset.kind = 'none';
  delete box.dataset.order;
  if (!trial || row < 0 || row >= trial.stays.size) {
    box.replaceChildren(element('p', { className: 'hint', textContent: t('inspector.none') }));
    return;
  }
  const fields = describe(run, trial, row);
  box.dataset.kind = CLASSES[classOf(trial.stays, row)];
  box.dataset.order = fields.order;
  const list = element('dl');
  for (const name of INSPECTED) {
    list.append(element('div', { dataset: { field: name } }, element('dt', { textContent: t(`stay.${name}`) }),
      element('dd', { textContent: fields[name] })));
  }
  box.replaceChildren(element('p', { className: 'sentence', textContent: storyOf(run, trial, row, fields) }), list);
  if (lanes.hovered < 0 && document.activeElement === byId('lanes')) {
    setText(byId('summary'), `${storyOf(run, trial, row, fields)} ${INSPECTED.map((name) => `${t(`stay.${name}`)}: ${fields[name]}`).join(', ')}`);
  }
}

/** One sentence that says what happened in a stay. */
function storyOf(run, trial, row, fields) {
  const { stays } = trial;
  const other = stays.partners[row] > 0 ? trial.partnerOf(row) : -1;
  if (other < 0) {
    return t(`story.${STATES[stays.state[row]]}`, fields);
  }
  const theirs = describe(run, trial, other);
  const same = stays.value[row] === stays.value[other];
  return t(same ? 'story.twice' : 'story.overlap', { ...fields, other: theirs.order, otherNode: theirs.node, otherValue: theirs.value });
}

export function renderTools() {
  const run = shownRun();
  const trial = shownTrial();
  const live = run === shown.live && run?.running;
  setText(byId('follow'), t(!live ? 'lanes.frame' : isFollowing() ? 'lanes.pause' : 'lanes.follow'));
  byId('follow').dataset.following = String(isFollowing());
  byId('replay').setAttribute('aria-pressed', String(isReplaying()));
  const none = !trial || trial.stays.size === 0;
  byId('follow').disabled = none && !live;
  for (const id of ['replay', 'earlier', 'later', 'zoom-in', 'zoom-out', 'fit']) {
    byId(id).disabled = none;
  }
  byId('next-overlap').disabled = none || trial.overlapping === 0;
  byId('empty').hidden = Boolean(run);
  renderStrike(live, run, trial);
}

/** Buttons that pause or kill a node while orders are in progress. */
function renderStrike(live, run, trial) {
  const box = byId('strike');
  const possible = Boolean(live && trial?.phase === 'running' && trial.fault === 'none' && trial.faults.length === 0);
  box.hidden = !possible;
  if (possible && box.dataset.lang !== texts.lang) {
    box.dataset.lang = texts.lang;
    box.replaceChildren(...run.nodes.map((node) => element('span', { className: 'strike-node' }, element('code', { textContent: node }),
      ...['pause', 'crash'].map((fault) => {
        const button = element('button', { type: 'button', textContent: t(`strike.${fault}`), dataset: { node, fault } });
        button.setAttribute('aria-label', `${t(`strike.${fault}`)} ${node}`);
        button.addEventListener('click', () => strike(node, fault));
        return button;
      }))));
  }
}

async function strike(node, fault) {
  const response = await fetch(`lab/nodes/${node}/${fault}`, { method: 'POST' }).catch(() => null);
  if (!response?.ok) {
    say('copy-message', response ? await problemOf(response) : t('form.unreachable'));
    return;
  }
  // The form, and the link that it gives, must not say that nothing goes wrong.
  fillForm({ ...readForm(), fault });
  formChanged();
  setText(byId('fault-hint'), t(`strike.${fault}.done`, { node }));
}

/** Links to the page of each node that shows its locks. A page without a server has no nodes. */
export function renderLockPages() {
  const box = byId('lock-pages');
  const links = setup.lockPages.map((page, node) =>
    element('a', { href: `${page}?lang=${texts.lang}`, target: '_blank', textContent: setup.nodes[node] }));
  box.hidden = isStatic || links.length === 0;
  box.replaceChildren(t('locks.pages'), ...links.flatMap((link) => [' ', link]));
}

export function renderLegend() {
  const entries = ['ok', 'red', 'refused', 'crashed', 'open', 'lease', 'queue', 'fault'];
  byId('legend').replaceChildren(...entries.map((name) => element('li', {},
    element('span', { className: `sample sample-${name}` }), t(`legend.${name}`))),
  element('li', { className: 'legend-note', textContent: t('legend.label') }));
}
