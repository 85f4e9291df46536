/**
 * The lab page: it shows the records of real runs and computes nothing but overlaps, rates and waits from them.
 * All times of the server are microseconds since 1970.
 */

import { byId, darkMode, isStatic, problemOf, root, setText, setupAddress } from './js/tools.js';
import { loadTexts, t, translatePage, wantedLanguage } from './js/texts.js';
import { say } from './js/say.js';
import { refreshSoon, register, renderAll, scheduleFrame } from './js/refresh.js';
import { onChange, setup } from './js/shown.js';
import { lanes, moveView, onMove } from './js/view.js';
import { readColours } from './js/brush.js';
import { drawLanes, drawOverview, placeWindow } from './js/lanes.js';
import { charts } from './js/charts.js';
import { cards, renderCards, renderVerdict } from './js/verdicts.js';
import { listenToRecord, renderNotice, renderRecord } from './js/records.js';
import { catalogue, loadCatalogue, openAddress, showRecord } from './js/catalogue.js';
import { copyLink, listenToForm, renderForm } from './js/form.js';
import { renderInspector, renderLegend, renderLockPages, renderTools } from './js/inspector.js';
import { fitTrial, listenToLanes, listenToOverview, nextOverlap, stepReplay, stopReplay, toggleFollow, toggleReplay } from './js/motion.js';
import { renderStays, renderTrials, staysTable, turnPage } from './js/tables.js';
import { renderTour } from './js/tour.js';
import { listenToStory, renderStory } from './js/story.js';
import { connect, connection, renderRunState, setConnection } from './js/connection.js';

/** Report the longest task of the page; the browser's observer sees tasks of 50 ms and more. */
function watchLongTasks() {
  if (!PerformanceObserver.supportedEntryTypes?.includes('longtask')) {
    return;
  }
  new PerformanceObserver((list) => {
    const longest = Math.max(...list.getEntries().map((entry) => entry.duration));
    root.dataset.longestTask = Math.max(Number(root.dataset.longestTask), Math.round(longest));
  }).observe({ type: 'longtask', buffered: true });
}

/** How often the page asks how far the start is. */
const START_DELAY = 600;

/** Fetch what the lab can do; ask again while its services start. */
async function loadSetup() {
  try {
    const response = await fetch(setupAddress);
    if (!response.ok) {
      throw new Error(await problemOf(response));
    }
    const known = setup.strategies.length > 0;
    Object.assign(setup, await response.json());
    if (!known) {
      renderForm();
      renderTour();
      renderLockPages();
    }
  } catch (error) {
    say('message', `${t('form.unreachable')} ${error.message}`);
    setup.ready = false;
  }
  showReadiness(setup.ready !== false);
  if (setup.ready === false) {
    setTimeout(loadSetup, START_DELAY);
  }
}

/** Say how far the services are, and clear that message when they are up. */
function showReadiness(ready) {
  const { dataset } = byId('run');
  const { step = 0, steps = 3, what = '' } = setup.starting ?? {};
  byId('starting').hidden = ready || setup.strategies.length === 0;
  byId('starting-bar').value = step;
  byId('starting-bar').max = steps + 1;
  setText(byId('starting-text'), t('form.starting', { step, steps, what }));
  setText(byId('empty-text'), t(ready ? 'empty.text' : 'empty.starting'));
  dataset.ready = String(ready);
}

function renderEverything() {
  translatePage();
  renderLegend();
  renderLockPages();
  renderStory();
  renderForm();
  renderTour();
  renderInspector();
  setConnection(connection.state);
  charts.create();
  cards.all.forEach((card) => { card.version = ''; });
  renderAll();
  scheduleFrame();
}

async function switchLanguage(event) {
  event.preventDefault();
  const { lang } = event.currentTarget.dataset;
  await loadTexts(lang);
  const address = new URL(location.href);
  address.searchParams.set('lang', lang);
  history.replaceState(null, '', address);
  renderEverything();
}

function repaint() {
  readColours();
  charts.create();
  cards.all.forEach((card) => { card.version = ''; });
  renderAll();
  scheduleFrame();
}

/** What is drawn, and when. Only this module knows all parts of the page. */
function registerParts() {
  register('frame', stepReplay, moveView, drawLanes, placeWindow);
  register('slow', renderRunState, renderNotice, renderCards, renderVerdict, renderTools, drawOverview, renderTrials, renderRecord,
    () => setTimeout(renderStays), () => charts.update());
  onMove(() => {
    renderInspector();
    renderTools();
  });
  onChange(() => {
    lanes.reset();
    stopReplay();
    renderInspector();
    charts.reset();
    refreshSoon();
  });
}

function listenToPage() {
  const clicks = {
    copy: copyLink, follow: toggleFollow, 'next-overlap': nextOverlap, replay: toggleReplay, fit: fitTrial,
    'zoom-in': () => lanes.zoom(0.6), 'zoom-out': () => lanes.zoom(1 / 0.6),
    earlier: () => lanes.pan(-0.5), later: () => lanes.pan(0.5),
    'rows-newer': () => turnPage(-1), 'rows-older': () => turnPage(1),
  };
  Object.entries(clicks).forEach(([id, action]) => byId(id).addEventListener('click', action));
  byId('only-overlaps').addEventListener('change', () => turnPage(-staysTable.page));
  byId('lanes-details').addEventListener('toggle', renderStays);
  byId('charts-details').addEventListener('toggle', () => { charts.reset(); charts.update(); });
  document.querySelectorAll('[data-lang]').forEach((link) => link.addEventListener('click', switchLanguage));
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('stage').focus();
  });
  new IntersectionObserver(([entry]) => {
    charts.visible = entry.isIntersecting;
    if (charts.visible && charts.wanted) {
      charts.create();
    }
    charts.update();
  }).observe(byId('figures'));
  darkMode.addEventListener('change', repaint);
  addEventListener('beforeprint', () => charts.print());
  // A page in the browser's back/forward cache would keep one of the six connections to this server.
  addEventListener('pagehide', () => connection.source?.close());
  addEventListener('pageshow', (event) => {
    if (event.persisted && !isStatic) {
      connect();
    }
  });
}

async function start() {
  watchLongTasks();
  await loadTexts(wantedLanguage());
  readColours();
  registerParts();
  renderEverything();
  listenToPage();
  listenToForm();
  listenToLanes();
  listenToOverview();
  listenToRecord();
  listenToStory();
  if (isStatic) {
    await loadCatalogue();
    await loadSetup();
    renderAll();
    if (!await openAddress()) {
      await showRecord(catalogue[0].record, 0, false);
    }
    return;
  }
  await loadSetup();
  connect();
  await openAddress();
}

start();
