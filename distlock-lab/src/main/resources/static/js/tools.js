/** Small tools: elements, icons, texts of elements. */

export const byId = (id) => document.getElementById(id);
export const root = document.documentElement;
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
export const darkMode = matchMedia('(prefers-color-scheme: dark)');

/** Create an element with properties, data attributes and children. */
export function element(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const created = Object.assign(document.createElement(tag), rest);
  Object.assign(created.dataset, dataset);
  created.append(...children);
  return created;
}

/** Create the icon of a verdict. */
export function icon(verdict) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#icon-${verdict}`);
  svg.append(use);
  return svg;
}

/** Set the text of an element only if it differs. An unchanged text costs no layout. */
export function setText(target, text) {
  const value = String(text);
  if (target.textContent !== value) {
    target.textContent = value;
  }
}

/** Read a problem (RFC 9457) from a failed answer. */
export async function problemOf(response) {
  try {
    const problem = await response.json();
    return problem.detail || problem.title || `HTTP ${response.status}`;
  } catch {
    return `HTTP ${response.status}`;
  }
}

/** Scroll to a part of the page. */
export function reveal(target) {
  target.scrollIntoView({ behavior: reducedMotion.matches ? 'auto' : 'smooth', block: 'start' });
}

/** Whether this page is served as plain files: it has records, and no form and no live run. */
export const isStatic = root.dataset.static === 'true';
export const setupAddress = isStatic ? 'lab/setup.json' : 'lab/setup';
export const recordAddress = (name) => (isStatic ? `records/${encodeURIComponent(name)}.json` : `lab/runs/${encodeURIComponent(name)}`);

/** Smallest index in 0..size for which the condition holds; the condition must be monotone. */
export function lowerBound(size, condition) {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
