import type { InspectorSnapshot, KeyReport, QueuedKey } from '../../contract/inspector-snapshot.ts';
import { h, type Child, type VNode } from '../parts/page-dom.ts';
import { informerState } from '../parts/page-findings.ts';
import { count, cut, exactClock, plural, span } from '../parts/page-format.ts';
import { badge, section, table, type Tone } from '../parts/page-parts.ts';
import type { PageState } from '../parts/page-state.ts';
import { causeChain } from './cause-chain.ts';
import { keyLists } from './key-lists.ts';
import { CauseLinks } from './cause-links.ts';
import { groupRuns } from './run-groups.ts';
import { RESULTS } from '../parts/run-results.ts';
import { reasonText, runsTable } from './runs-table.ts';

export function keyView(state: PageState, snapshot: InspectorSnapshot): Child {
  const key = state.parameters.get('key') ?? '';
  const report = state.key?.key === key ? state.key : undefined;
  const causes = new CauseLinks(snapshot.controllers);
  return [
    h(
      'section',
      { key: 'key' },
      h('h2', {}, 'One key on its way'),
      h(
        'div',
        { class: 'head' },
        h(
          'label',
          {},
          'Key ',
          h('input', {
            id: 'key',
            type: 'search',
            'data-input': 'key',
            value: key,
            placeholder: 'namespace/name',
            autocomplete: 'off',
            spellcheck: 'false',
          }),
        ),
        key !== '' &&
          report === undefined &&
          h('span', { class: 'note', role: 'status' }, 'Reading…'),
      ),
      report === undefined
        ? h('p', { class: 'none' }, 'Give a key, or choose one that fails or has run.')
        : steps(snapshot, report),
    ),
    key === '' && keyLists(snapshot),
    report !== undefined && ofRuns(report, causes),
    report !== undefined && section('What happened since this view is open', events(state)),
  ];
}

/** Controllers may have the same key, so the runs of each are grouped apart. */
function ofRuns({ key, runs: all }: KeyReport, causes: CauseLinks): Child {
  const names = [...new Set(all.map(({ controller }) => controller))];
  const groups = names.flatMap((name) =>
    groupRuns(all.filter(({ controller }) => controller === name).toReversed()),
  );
  const byTime = groups.toSorted(([one], [other]) => other.startedAtMs - one.startedAtMs);
  return [
    // Retries have the cause of the run that failed first.
    causeChain(byTime[0]?.at(-1), causes),
    section(
      'Its runs',
      runsTable({
        caption: `Runs of ${key}`,
        groups: byTime,
        of: { name: 'Controller', cell: ({ controller }) => controller },
        nameOf: ({ controller }) => controller,
        none: 'None of the runs that are remembered was of this key.',
      }),
    ),
  ];
}

function step(name: string, tone: Tone, state: string, ...text: Child[]): VNode {
  return h(
    'li',
    { key: name, class: tone },
    h('h3', {}, name),
    badge(tone, state),
    h('div', {}, ...text),
  );
}

/** In the order of the way: from the socket to the reconcile, and back to the server. */
function steps(snapshot: InspectorSnapshot, report: KeyReport): VNode {
  const names = report.caches.map(({ informer }) => informer);
  const holding = snapshot.informers.filter(({ name }) => names.includes(name));
  const concerned = holding.length > 0 ? holding : snapshot.informers;
  const open = concerned.filter((one) => informerState(one) === 'ok');
  const line = (texts: readonly string[]): Child => texts.map((text) => h('div', {}, text));
  const isOpen = open.length === concerned.length;
  const queued = concerned.reduce((sum, one) => sum + one.queued, 0);
  const handlers = concerned.flatMap((one) => one.handlers);
  const pending = handlers.reduce((sum, one) => sum + one.pending, 0);
  return h(
    'ol',
    { class: 'steps' },
    step(
      'Socket and watch',
      isOpen ? 'good' : 'bad',
      isOpen ? 'open' : 'not open',
      line(
        concerned.map(({ name, watchAgeMs, lastEventAgeMs, connected, lastError }) =>
          connected
            ? `${name}: open for ${span(watchAgeMs ?? 0)}, last event ${span(lastEventAgeMs ?? 0)} ago`
            : `${name}: no watch${lastError === undefined ? '' : `; ${cut(lastError.message, 200)}`}`,
        ),
      ),
    ),
    step(
      'Reflector and DeltaFIFO',
      queued > 0 ? 'busy' : 'good',
      queued > 0 ? 'changes wait' : 'nothing waits',
      line(
        concerned.map(
          ({ name, reflector, queued: own, lagMs }) =>
            `${name}: ${reflector}, ${count(own)} queued, lag ${span(lagMs)}`,
        ),
      ),
    ),
    step(
      'Store',
      report.caches.length > 0 ? 'good' : 'warn',
      report.caches.length > 0 ? 'has it' : 'has it not',
      report.caches.length === 0
        ? 'No cache has this key: it does not exist, or a selector leaves it out.'
        : report.caches.map(cached),
    ),
    step(
      'Handlers',
      pending > 0 ? 'busy' : 'good',
      pending > 0 ? `${count(pending)} behind` : 'up to date',
      line(
        handlers.map(
          ({ name, pending: own, failed }) =>
            `${name}: ${own === 0 ? 'has seen every change' : `${plural(own, 'event')} behind`}${failed > 0 ? `, threw ${plural(failed, 'time')}` : ''}`,
        ),
      ),
    ),
    ...report.queues.map((one) => queueStep(one)),
    ...runSteps(report),
  );
}

function cached({
  informer,
  resourceVersion,
  generation,
  deleting,
}: KeyReport['caches'][number]): Child {
  const key = new URLSearchParams({ informer });
  return h(
    'div',
    {},
    h('a', { href: `#/objects?${key.toString()}` }, informer),
    `: version ${resourceVersion}${generation === undefined ? '' : `, generation ${generation}`}${deleting ? ', being deleted' : ''}`,
  );
}

const QUEUE_TONES = {
  waiting: 'busy',
  running: 'busy',
  delayed: 'busy',
  idle: 'good',
  unknown: 'off',
} as const;

function queueStep({ queue, state, text, failures, reason }: QueuedKey): VNode {
  const failing =
    failures > 0 &&
    `It has failed ${plural(failures, 'time')} in a row${reason === undefined ? '' : `: ${reason}`}`;
  return step(
    `Queue ${queue}`,
    failures > 0 ? 'bad' : QUEUE_TONES[state],
    failures > 0 ? `${state}, failing` : state,
    h('div', {}, text),
    failing !== false && h('div', {}, failing),
  );
}

/** The last run, and whether the cache has moved on since. */
function runSteps({ runs, caches, atMs }: KeyReport): VNode[] {
  const [last] = runs;
  if (last === undefined)
    return [
      step('Reconcile', 'off', 'no run known', 'No controller that is shown has run it lately.'),
    ];
  const { controller, result, startedAtMs, durationMs, reasons, error } = last;
  const tone = result === 'failed' ? 'bad' : result === 'conflict' ? 'warn' : 'good';
  const cause = reasons[0];
  const why = cause === undefined ? '' : `; reason: ${reasonText(cause)}`;
  // A retry has no version; the change before it has.
  const newest = runs
    .flatMap((run) => run.reasons.toReversed())
    .find(({ resourceVersion }) => resourceVersion !== undefined)?.resourceVersion;
  const written = caches.filter(
    ({ resourceVersion }) => newest !== undefined && resourceVersion !== newest,
  );
  const back =
    newest === undefined
      ? 'None of its runs that are remembered was caused by a version of an object.'
      : written.length === 0
        ? `The cache is at the version that last caused a run, @${newest}: nothing was written to the object since, or its event has not come yet.`
        : `Since the version that last caused a run, @${newest}, the cache has got ${written.map((one) => `@${one.resourceVersion}`).join(', ')}: a write came back by the watch.`;
  return [
    step(
      'Reconcile',
      tone,
      RESULTS[result],
      h(
        'div',
        {},
        `${controller} ran it ${span(Math.max(0, atMs - startedAtMs))} ago for ${span(durationMs)}${why}.`,
      ),
      error !== undefined && h('div', { class: 'error' }, error),
    ),
    step(
      'Back to the server',
      result === 'failed' ? 'off' : 'good',
      result === 'failed' ? 'not done' : 'seen',
      back,
    ),
  ];
}

function events({ steps: all }: PageState): Child {
  return table({
    caption: 'What happened',
    none: 'Nothing yet.',
    rows: all,
    key: ({ atMs, text }) => `${atMs} ${text}`,
    columns: [
      { name: 'At', class: 'slim', cell: ({ atMs }) => exactClock(atMs) },
      { name: 'What', class: 'wide', cell: ({ text }) => text },
    ],
  });
}
