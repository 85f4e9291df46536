/** Texts of the page in its languages, and numbers as these languages write them. */

import { root, setText } from './tools.js';

export const texts = { lang: 'en', own: {}, english: {} };

/** Find a text and fill in its `{names}`; a text that is missing in a language is shown in English. */
export function t(key, values = {}) {
  const text = texts.own[key] ?? texts.english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (match, name) => values[name] ?? match);
}

export const hasText = (key) => key in texts.own;
export const number = (value) => (Number.isFinite(value) ? formatter(3).format(value) : '–');

const formatters = new Map();

/** Formatters are costly to make, so there is one for each language and precision. */
export function formatter(maximumFractionDigits) {
  const key = `${texts.lang}/${maximumFractionDigits}`;
  if (!formatters.has(key)) {
    formatters.set(key, new Intl.NumberFormat(texts.lang, { maximumFractionDigits }));
  }
  return formatters.get(key);
}

/** Write a duration in microseconds with a unit that suits it. */
export function duration(micros) {
  if (!Number.isFinite(micros)) {
    return '–';
  }
  const [value, unit] = Math.abs(micros) < 1e6 ? [micros / 1e3, 'ms'] : [micros / 1e6, 's'];
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${formatter(digits).format(value)} ${unit}`;
}

/** Load the texts of a language. */
export async function loadTexts(lang) {
  const load = async (name) => (await fetch(`texts/${name}.json`)).json();
  if (!texts.english.title) {
    texts.english = await load('en');
  }
  texts.own = lang === 'en' ? texts.english : await load(lang);
  texts.lang = lang;
}

/** Choose the language: the address first, then the browser. */
export function wantedLanguage() {
  const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language ?? 'en';
  return asked.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Fill every element that names a text. */
export function translatePage() {
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
