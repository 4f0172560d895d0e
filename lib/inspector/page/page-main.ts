import type {
  AuditAnswer,
  KeyReport,
  KeySearch,
  ObjectReport,
  SavedState,
  SnapshotUpdate,
} from '../contract/inspector-snapshot.ts';
import { clusterView } from './views/cluster-view.ts';
import { informersView } from './views/informers-view.ts';
import { keyView } from './views/key-view.ts';
import { objectsView } from './views/objects-view.ts';
import { overviewView } from './views/overview-view.ts';
import { h, patch, type Child } from './parts/page-dom.ts';
import { findingsOf } from './parts/page-findings.ts';
import { clock, plural } from './parts/page-format.ts';
import { newState, noteSteps } from './parts/page-state.ts';
import { queuesView } from './views/queues-view.ts';
import { reconcilesView, showsFailed } from './views/reconciles-view.ts';
import { serverView } from './views/server-view.ts';

const VIEWS = [
  'overview',
  'informers',
  'queues',
  'reconciles',
  'objects',
  'key',
  'server',
  'cluster',
];
const KEY_INTERVAL_MS = 1000;

const part = (id: string): HTMLElement =>
  document.querySelector<HTMLElement>(`#${id}`) as HTMLElement;

const data = document.querySelector('#saved');
const saved = data === null ? undefined : (JSON.parse(data.textContent ?? '') as SavedState);
const state = newState(saved);
let events: EventSource | undefined;
let paused = false;
let keyTimer: number | undefined;
let searchNumber = 0;

function render(): void {
  const { snapshot, view } = state;
  document.title = `${snapshot?.title ?? 'listwatch'}: ${view}`;
  patch(part('title'), [snapshot?.title ?? 'listwatch']);
  patch(part('tabs'), tabs());
  patch(part('connection'), connection());
  const shown: Child =
    snapshot === undefined ? h('p', { class: 'none' }, 'Waiting for the first update…') : content();
  patch(part('view'), h('div', {}, shown).children);
  announce();
}

function content(): Child {
  const { snapshot, view } = state;
  if (snapshot === undefined) return undefined;
  switch (view) {
    case 'informers':
      return informersView(state, snapshot);
    case 'queues':
      return queuesView(snapshot);
    case 'reconciles':
      return reconcilesView(state, snapshot);
    case 'objects':
      return objectsView(state, snapshot);
    case 'key':
      return keyView(state, snapshot);
    case 'server':
      return serverView(state, snapshot);
    case 'cluster':
      return clusterView(snapshot);
    default:
      return overviewView(state, snapshot);
  }
}

function tabs() {
  const { server, cluster } = state.snapshot ?? {};
  const parts: Readonly<Record<string, object | undefined>> = { server, cluster };
  return VIEWS.filter((view) => !(view in parts) || parts[view] !== undefined).map((view) =>
    h(
      'a',
      { key: view, href: `#/${view}`, 'aria-current': view === state.view && 'page' },
      view[0]?.toUpperCase() + view.slice(1),
    ),
  );
}

function connection() {
  const at = state.snapshot === undefined ? '' : clock(state.snapshot.atMs);
  const texts = {
    connecting: 'connecting…',
    live: `live, ${at}`,
    paused: `paused at ${at}`,
    lost: `no connection since ${at}; it is tried again`,
    saved: `saved ${new Date(state.snapshot?.atMs ?? 0).toISOString()}`,
  };
  const tones = { connecting: 'busy', live: 'good', paused: 'warn', lost: 'bad', saved: 'off' };
  const dropped = state.dropped > 0 ? `, ${plural(state.dropped, 'update')} missed` : '';
  const left = state.snapshot?.leftOut ?? 0;
  return [
    h('span', { class: `badge ${tones[state.connection]}` }, texts[state.connection] + dropped),
    ...(left > 0 ? [h('span', { class: 'note' }, `${plural(left, 'part')} not shown`)] : []),
  ];
}

/** For readers of screens: only when the number of problems or the connection changes. */
function announce(): void {
  const problems =
    state.snapshot === undefined
      ? 0
      : findingsOf(state.snapshot).filter(({ level }) => level === 'problem').length;
  const text = `${state.connection === 'live' ? 'live' : state.connection}, ${plural(problems, 'problem')}`;
  if (part('announce').textContent !== text) part('announce').textContent = text;
}

function connect(): void {
  if (saved !== undefined || paused || document.hidden || events !== undefined) return;
  events = new EventSource('/api/events');
  events.addEventListener('message', ({ data: text }: MessageEvent<string>) => {
    const { snapshot, dropped } = JSON.parse(text) as SnapshotUpdate;
    state.snapshot = snapshot;
    state.dropped = dropped;
    state.connection = 'live';
    state.rates.note(snapshot);
    render();
  });
  events.addEventListener('error', () => {
    state.connection = state.snapshot === undefined ? 'connecting' : 'lost';
    // The browser tries again by itself, unless the answer was no stream.
    if (events?.readyState === EventSource.CLOSED) {
      disconnect();
      setTimeout(connect, 2000);
    }
    render();
  });
}

function disconnect(): void {
  events?.close();
  events = undefined;
}

async function ask<Result>(path: string, parameters: Record<string, string>, method = 'GET') {
  const response = await fetch(`${path}?${new URLSearchParams(parameters).toString()}`, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim());
  return JSON.parse(text) as Result;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function search(): Promise<void> {
  const informer = chosenInformer();
  searchNumber += 1;
  const own = searchNumber;
  if (informer === '') return;
  try {
    const text = state.parameters.get('text') ?? '';
    const found = await ask<KeySearch>('/api/keys', { informer, text });
    if (own === searchNumber) state.search = found;
  } catch {
    if (own === searchNumber) state.search = undefined;
  }
  render();
}

function chosenInformer(): string {
  return state.parameters.get('informer') ?? state.snapshot?.informers[0]?.name ?? '';
}

async function readObject(compare: boolean): Promise<void> {
  const key = state.parameters.get('key') ?? '';
  if (key === '') return;
  const extra = compare ? { server: '1' } : {};
  try {
    state.object = await ask<ObjectReport>('/api/object', {
      informer: chosenInformer(),
      key,
      ...extra,
    });
  } catch (error) {
    state.object = { problem: messageOf(error) };
  }
  render();
}

async function audit(name: string): Promise<void> {
  state.audits.set(name, 'running');
  render();
  let answer: AuditAnswer;
  try {
    answer = await ask<AuditAnswer>('/api/audit', { informer: name }, 'POST');
  } catch (error) {
    answer = { problem: messageOf(error) };
  }
  state.audits.set(name, answer);
  render();
}

async function followKey(): Promise<void> {
  window.clearTimeout(keyTimer);
  const key = state.parameters.get('key') ?? '';
  if (state.view !== 'key' || key === '') return;
  const kept = saved?.keys.find((one) => one.key === key);
  if (saved !== undefined) {
    state.key = kept ?? { key, atMs: saved.snapshot.atMs, caches: [], queues: [], runs: [] };
    render();
    return;
  }
  if (!document.hidden && !paused) {
    const report = await ask<KeyReport>('/api/key', { key }).catch(() => undefined);
    if (report !== undefined && state.parameters.get('key') === key) noteSteps(state, report);
    render();
  }
  window.clearTimeout(keyTimer);
  keyTimer = window.setTimeout(() => void followKey(), KEY_INTERVAL_MS);
}

function route(): void {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const before = { view: state.view, informer: chosenInformer(), key: state.parameters.get('key') };
  state.view = VIEWS.includes(path) ? path : 'overview';
  state.parameters = new URLSearchParams(query);
  if (state.view === 'objects' && saved === undefined) {
    if (before.view !== 'objects' || before.informer !== chosenInformer()) state.search = undefined;
    if (state.search === undefined) void search();
    if (before.key !== state.parameters.get('key') || before.informer !== chosenInformer()) {
      state.object = undefined;
    }
    if (state.object === undefined) void readObject(false);
  }
  if (state.view === 'key') void followKey();
  if (before.view !== state.view) part('view').scrollTo(0, 0);
  render();
  // A narrow window shows a part of the tabs.
  const tab = part('tabs').querySelector('[aria-current]');
  if (before.view !== state.view) tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function setParameter(name: string, value: string): void {
  const parameters = new URLSearchParams(state.parameters);
  parameters.set(name, value);
  history.replaceState(null, '', `#/${state.view}?${parameters.toString()}`);
  route();
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-do]') : null;
  const { do: what, name = '' } = button?.dataset ?? {};
  if (what === 'audit') void audit(name);
  if (what === 'reload') void readObject(false);
  if (what === 'compare') void readObject(true);
  if (what === 'pause') pause(!paused);
  if (what === 'failed') setParameter('show', showsFailed(state) ? '' : 'failed');
});

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement)) return;
  if (target.dataset['change'] === 'pipeline') setParameter('informer', target.value);
  if (target.dataset['change'] === 'informer') {
    location.hash = `#/objects?informer=${encodeURIComponent(target.value)}`;
  }
});

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  const what = target.dataset['input'];
  if (what === 'find') {
    state.find = target.value;
    render();
  }
  if (what === 'key') setParameter('key', target.value.trim());
  if (what === 'text') {
    setParameter('text', target.value);
    void search();
  }
});

document.addEventListener('keydown', (event) => {
  const typing =
    event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view !== undefined) location.hash = `#/${view}`;
  else if (event.key === 'p') pause(!paused);
  else if (event.key === '/') {
    const field = document.querySelector<HTMLInputElement>('main input');
    if (field === null) location.hash = '#/objects';
    else field.focus();
    event.preventDefault();
  }
});

function pause(wanted: boolean): void {
  if (saved !== undefined) return;
  paused = wanted;
  part('pause').textContent = paused ? 'Resume' : 'Pause';
  part('pause').setAttribute('aria-pressed', String(paused));
  if (paused) {
    disconnect();
    state.connection = 'paused';
  } else {
    state.connection = 'connecting';
    connect();
  }
  render();
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) disconnect();
  else connect();
});
window.addEventListener('hashchange', route);

if (saved !== undefined) {
  state.rates.note(saved.snapshot);
  part('pause').hidden = true;
  part('save').hidden = true;
}
route();
connect();
