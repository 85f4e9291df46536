/** The form, and the link that fills it. */

import { byId, element, isStatic, problemOf, setText } from './tools.js';
import { t } from './texts.js';
import { say } from './say.js';
import { setup, shown } from './shown.js';
import { showStage } from './records.js';
import { addressOfView } from './catalogue.js';

export const GROUPS = ['none', 'hand-made', 'database', 'distlock'];
const NUMBERS = ['stock', 'orders', 'buyers'];
const PRESETS = {
  bug: { strategies: ['none', 'synchronized', 'distributed-lock'], fault: 'none' },
  crash: { strategies: ['setnx', 'setnx-expire', 'distributed-lock'], fault: 'crash' },
  slow: { strategies: ['set-px-unique', 'distributed-lock'], fault: 'slow' },
  pause: { strategies: ['set-px-unique', 'redis', 'distributed-lock'], fault: 'pause' },
  clock: { strategies: ['setnx-getset', 'distributed-lock'], fault: 'clock' },
};

export function renderForm() {
  const settings = byId('strategies').childElementCount ? readForm() : null;
  byId('presets').replaceChildren(...Object.keys(PRESETS).map(presetLink));
  byId('strategies').replaceChildren(...GROUPS.map(strategyGroup).filter(Boolean));
  byId('faults').replaceChildren(...setup.faults.map((fault) => chip('radio', 'fault', fault, t(`fault.${fault}`), t(`fault.${fault}.hint`))));
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
    element('div', { className: 'chips' }, ...members.map((strategy) => chip('checkbox', 'strategies', strategy.name, strategy.name, tooltipOf(strategy.name)))));
}

const tooltipOf = (strategy) => t('form.chip', { title: t(`tour.${strategy}.title`), what: t(`tour.${strategy}.what`) });

function chip(type, name, value, label, title) {
  return element('label', { className: 'chip', title }, element('input', { type, name, value }), element('span', { textContent: label }));
}

function usualSettings() {
  const usual = Object.fromEntries(NUMBERS.map((name) => [name, setup.limits[name]?.usual ?? 100]));
  return { ...PRESETS.bug, ...usual };
}

export function readForm() {
  const form = byId('form');
  const numbers = NUMBERS.map((name) => [name, form[name].value === '' ? null : Number(form[name].value)]);
  return {
    strategies: [...form.querySelectorAll('input[name=strategies]:checked')].map((input) => input.value),
    fault: form.querySelector('input[name=fault]:checked')?.value ?? 'none',
    ...Object.fromEntries(numbers),
  };
}

export function fillForm(settings) {
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

export function formChanged() {
  const settings = readForm();
  history.replaceState(null, '', `${location.search}${linkOf(settings)}`);
  setText(byId('fault-hint'), t(`fault.${settings.fault}.hint`));
  setText(byId('message'), '');
}

/** Ask the server to start what the form says. */
export async function startRun() {
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
      shown.followTrials = true;
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

async function stopRun() {
  const response = await fetch('lab/runs/current', { method: 'DELETE' }).catch(() => null);
  if (!response) {
    say('message', t('form.unreachable'));
  } else {
    say('message', response.ok ? t('form.stopping') : await problemOf(response), response.ok ? 'info' : 'error');
  }
}

/** Copy the address of this view. Its part after the hash fills the form. */
export async function copyLink() {
  if (!isStatic) {
    formChanged();
  }
  const link = addressOfView();
  try {
    await navigator.clipboard.writeText(link);
    say('copy-message', t('form.copied'), 'info');
  } catch {
    say('copy-message', t('form.copyByHand', { link }), 'info');
  }
}

export function listenToForm() {
  const form = byId('form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    startRun();
  });
  form.addEventListener('input', formChanged);
  byId('stop').addEventListener('click', stopRun);
  addEventListener('hashchange', () => {
    if (location.hash.includes('=')) {
      fillForm(settingsOf(location.hash));
    }
  });
}
