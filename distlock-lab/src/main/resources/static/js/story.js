/** The story: records that the page carries, one sentence and one picture for each. It needs no server. */

import { byId, element, isStatic, reveal, setText } from './tools.js';
import { number, t } from './texts.js';
import { dots, fit, timeline } from './picture.js';
import { runOf } from './records.js';

const SCENES = [
  { name: 'two-buyers', picture: timeline },
  { name: 'no-lock', picture: dots },
  { name: 'synchronized', picture: dots },
  { name: 'with-lock', picture: dots },
  { name: 'hand-made', picture: timeline },
  { name: 'distributed-lock', picture: timeline },
  { name: 'paused', picture: timeline },
  { name: 'token', picture: timeline },
];

const story = { scene: 0, runs: new Map() };

/** The figures that the sentences name. All are read from the record. */
function valuesOf(trial) {
  const { figures } = trial.verdict;
  const first = trial.sortedRows()[0];
  const renewals = [...trial.renewals.values()].reduce((most, all) => Math.max(most, all.length), 0);
  const waiting = trial.queue.reduce((most, { waiting: count }) => Math.max(most, count), 0);
  return {
    orders: number(trial.settings.orders), stock: number(trial.settings.stock), sold: number(figures.sold),
    tickets: number(figures.sold - figures.duplicates), rest: number(trial.settings.orders - figures.sold),
    read: number(trial.stays.value[first]), wrote: number(trial.stays.written[first]), renewals: number(renewals), waiting: number(waiting),
  };
}

/** Read the record of a scene once. */
async function trialOf(name) {
  if (!story.runs.has(name)) {
    const response = await fetch(`story/${name}.json`);
    story.runs.set(name, await runOf(await response.text()));
  }
  const run = story.runs.get(name);
  return { run, trial: run.trials[0] };
}

export async function renderStory() {
  renderSizers();
  const at = story.scene;
  const { name, picture } = SCENES[at];
  const { run, trial } = await trialOf(name);
  if (at !== story.scene) {
    return;
  }
  const values = valuesOf(trial);
  byId('story').dataset.scene = name;
  byId('story').dataset.verdict = trial.verdict.verdict;
  setText(byId('story-count'), t('story.count', { step: at + 1, steps: SCENES.length }));
  setText(byId('story-name'), t(`scene.${name}.name`));
  setText(byId('story-text'), t(`scene.${name}.text`, values));
  fit(byId('story-picture'));
  byId('story-picture').replaceChildren(picture(trial, run.nodes, t(`scene.${name}.text`, values)));
  byId('story-dots').replaceChildren(...SCENES.map(sceneButton));
  byId('story-back').disabled = at === 0;
  setText(byId('story-next'), t(at === SCENES.length - 1 ? 'story.try' : 'story.next'));
}

/** The texts of all scenes, invisible: the longest one gives all scenes their height. */
function renderSizers() {
  byId('story-sizers').replaceChildren(...SCENES.map(({ name }) => element('div', {},
    element('p', { className: 'story-count', textContent: '0' }), element('p', { className: 'story-name', textContent: t(`scene.${name}.name`) }),
    element('p', { className: 'story-text', textContent: t(`scene.${name}.text`).replace(/\{\w+\}/g, '000') }))));
}

function sceneButton(scene, index) {
  const button = element('button', { type: 'button', className: 'story-dot', dataset: { scene: scene.name } },
    element('span', { className: 'hidden', textContent: `${index + 1}: ${t(`scene.${scene.name}.name`)}` }));
  if (index === story.scene) {
    button.setAttribute('aria-current', 'step');
  }
  button.addEventListener('click', () => goTo(index));
  return button;
}

function goTo(index) {
  story.scene = Math.min(Math.max(index, 0), SCENES.length - 1);
  const onDots = byId('story-dots').contains(document.activeElement);
  return renderStory().then(() => onDots && byId('story-dots').children[story.scene].focus());
}

/** After the last scene comes the form. */
function next() {
  if (story.scene < SCENES.length - 1) {
    goTo(story.scene + 1);
  } else {
    const target = byId(isStatic ? 'stage' : 'setup');
    reveal(target);
    target.focus({ preventScroll: true });
  }
}

export function listenToStory() {
  let width = byId('story-picture').clientWidth;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.round(contentRect.width) !== width) {
      width = Math.round(contentRect.width);
      renderStory();
    }
  }).observe(byId('story-picture'));
  byId('story-back').addEventListener('click', () => goTo(story.scene - 1));
  byId('story-next').addEventListener('click', next);
  addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const free = document.activeElement === document.body || byId('story').contains(document.activeElement);
    if (step && free && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      goTo(story.scene + step);
    }
  });
}
