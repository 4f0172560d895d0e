import type { InformerInspection } from '../../../cache/informer/observe/informer-inspection.ts';
import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child } from '../parts/page-dom.ts';
import { informerState } from '../parts/page-findings.ts';
import { bytes, count, percent, rate, span } from '../parts/page-format.ts';
import type { Tone } from '../parts/page-parts.ts';
import type { PageState } from '../parts/page-state.ts';
import { RESULTS } from '../parts/run-results.ts';

/** One step of the pipeline. */
export interface Station {
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  /** The most important figure, with its unit. */
  readonly value: string;
  readonly unit: string;
  readonly line?: readonly number[] | undefined;
  readonly rows: readonly (readonly [string, Child])[];
}

/** The parts from which the stations of informers are made. */
interface Flow {
  readonly state: PageState;
  readonly informers: readonly InformerInspection[];
  /** The name of the only informer that is shown; empty for all. */
  readonly wanted: string;
}

/** From the connection to the reconcile. */
export function stations(
  state: PageState,
  snapshot: InspectorSnapshot,
  informers: readonly InformerInspection[],
  wanted: string,
): Station[] {
  const flow = { state, informers, wanted };
  return [
    transportStation(snapshot),
    ...watchStations(flow),
    ...cacheStations(flow),
    ...controllerStations(state, snapshot),
  ];
}

function sumOf(
  informers: readonly InformerInspection[],
): (value: (informer: InformerInspection) => number) => number {
  return (value) => informers.reduce((total, one) => total + value(one), 0);
}

/** The counter of all informers, or of the one that is wanted. */
function counterOf({ wanted }: Flow): (what: string) => string {
  return (what) => (wanted === '' ? what : `${what} ${wanted}`);
}

function watchStations(flow: Flow): Station[] {
  const { informers } = flow;
  const { rates } = flow.state;
  const [of, sum] = [counterOf(flow), sumOf(informers)];
  const open = sum(({ connected }) => (connected ? 1 : 0));
  const ages = informers.flatMap(({ watchAgeMs }) => watchAgeMs ?? []);
  const lastAges = informers.flatMap(({ lastEventAgeMs }) => lastEventAgeMs ?? []);
  const last = lastAges.length === 0 ? undefined : Math.min(...lastAges);
  const states = informers.map(informerState);
  const down = states.some((one) => one === 'down' || one === 'failed');
  const waiting = states.includes('waiting');
  const errors = informers.flatMap(({ lastError }) => lastError ?? []);
  const error = errors.toSorted((one, other) => one.ageMs - other.ageMs)[0];
  return [
    {
      name: 'Watch',
      tone: down ? 'bad' : open === informers.length ? 'good' : 'busy',
      state: down ? 'down' : open === informers.length ? 'open' : 'opening',
      value: rate(rates.perSecond(of('events'))),
      unit: 'events/s',
      line: rates.line(of('events')),
      rows: [
        ['open', `${open} of ${informers.length}`],
        ['age', ages.length === 0 ? '–' : span(Math.min(...ages))],
        ['last event', last === undefined ? '–' : `${span(last)} ago`],
      ],
    },
    {
      name: 'Reflector',
      tone: down ? 'bad' : waiting ? 'busy' : 'good',
      state: down ? 'no watch' : reflectorText(informers),
      value: count(sum((one) => one.relists)),
      unit: 'relists',
      rows: [
        [
          'watching',
          informers.length === 0
            ? '–'
            : percent(sum((one) => one.watchingShare) / informers.length),
        ],
        ['stale events', count(sum((one) => one.staleEvents))],
        [
          'last error',
          error === undefined
            ? 'none'
            : h('span', { title: error.message }, `${span(error.ageMs)} ago`),
        ],
      ],
    },
  ];
}

function cacheStations(flow: Flow): Station[] {
  const { informers } = flow;
  const { rates } = flow.state;
  const [of, sum] = [counterOf(flow), sumOf(informers)];
  const lag = Math.max(0, ...informers.map(({ lagMs }) => lagMs));
  const handlers = informers.flatMap((one) => one.handlers);
  const pending = handlers.reduce((total, one) => total + one.pending, 0);
  const failed = handlers.reduce((total, one) => total + one.failed, 0);
  const listed = sum((one) => one.listed);
  return [
    {
      name: 'DeltaFIFO',
      tone: lag > 1000 ? 'warn' : listed > 0 ? 'busy' : 'good',
      state: listed > 0 ? 'list comes in' : lag > 1000 ? 'behind' : 'flowing',
      value: count(sum((one) => one.queued)),
      unit: 'queued',
      rows: [
        ['lag', span(lag)],
        ['listed', listed > 0 ? count(listed) : '–'],
      ],
    },
    {
      name: 'Store',
      tone: informers.every(({ synced }) => synced) ? 'good' : 'busy',
      state: informers.every(({ synced }) => synced) ? 'synced' : 'not synced',
      value: count(sum((one) => one.objects)),
      unit: 'objects',
      rows: [
        ['memory', bytes(sum(({ memory }) => memory.slabBytes + memory.decodedBytes))],
        ['own writes', count(sum((one) => one.ownWrites))],
        ...(informers.length === 1
          ? ([['version', informers[0]?.storeResourceVersion ?? '']] as const)
          : []),
      ],
    },
    {
      name: 'Handlers',
      tone: pending > 1000 ? 'warn' : failed > 0 ? 'warn' : 'good',
      state: pending > 1000 ? 'slow' : failed > 0 ? 'some threw' : 'up to date',
      value: rate(rates.perSecond(of('delivered'))),
      unit: 'calls/s',
      line: rates.line(of('delivered')),
      rows: [
        ['behind', count(pending)],
        ['threw', count(failed)],
        ['handlers', count(handlers.length)],
      ],
    },
  ];
}

function transportStation({ client, informers }: InspectorSnapshot): Station {
  const outage = informers.find(({ waitingForServer }) => waitingForServer !== undefined);
  if (client === undefined) {
    return {
      name: 'Transport',
      tone: 'off',
      state: outage === undefined ? 'not shown' : 'no answer',
      value: '–',
      unit: 'streams',
      rows: [['shown with', h('code', {}, 'client')]],
    };
  }
  return {
    name: 'Transport',
    tone: outage === undefined ? 'good' : 'bad',
    state: outage === undefined ? 'answers' : 'no answer',
    value: count(client.streams),
    unit: 'streams',
    rows: [
      ['requests', count(client.requests)],
      ['connections', count(client.connectionsOpened)],
      ['server', client.server.replace(/^https?:\/\//, '')],
    ],
  };
}

function controllerStations({ rates }: PageState, snapshot: InspectorSnapshot): Station[] {
  const queues = [...snapshot.controllers.map(({ queue }) => queue), ...snapshot.queues];
  const sum = (value: (queue: (typeof queues)[number]) => number): number =>
    queues.reduce((total, one) => total + value(one), 0);
  const failing = sum((one) => one.failing.count);
  const waiting = sum((one) => one.waiting.count);
  const running = sum((one) => one.running.count);
  const oldest = Math.max(
    0,
    ...queues.flatMap((one) => one.waiting.keys.map(({ waitedMs }) => waitedMs ?? 0)),
  );
  const runs = snapshot.controllers.flatMap(({ history }) => history);
  const last = runs.toSorted((one, other) => other.startedAtMs - one.startedAtMs)[0];
  const longest = Math.max(
    0,
    ...queues.flatMap((one) => one.running.keys.map(({ runningMs }) => runningMs)),
  );
  return [
    {
      name: 'Queue',
      tone: failing > 0 ? 'bad' : oldest > 5000 ? 'warn' : 'good',
      state:
        failing > 0 ? 'keys fail' : oldest > 5000 ? 'keys wait' : waiting > 0 ? 'working' : 'empty',
      value: count(waiting),
      unit: 'waiting',
      rows: [
        ['oldest', oldest === 0 ? '–' : span(oldest)],
        ['delayed', count(sum((one) => one.delayed.count))],
        ['failing', count(failing)],
      ],
    },
    {
      name: 'Reconcile',
      tone: last?.result === 'failed' ? 'bad' : running > 0 ? 'busy' : 'good',
      state:
        running > 0
          ? `${count(running)} running`
          : last?.result === 'failed'
            ? 'last run failed'
            : 'idle',
      value: rate(rates.perSecond('runs')),
      unit: 'runs/s',
      line: rates.line('runs'),
      rows: [
        ['longest', longest === 0 ? '–' : span(longest)],
        ['last run', last === undefined ? '–' : `${span(snapshot.atMs - last.startedAtMs)} ago`],
        ['its result', last === undefined ? '–' : RESULTS[last.result]],
      ],
    },
  ];
}

/** The activity of the reflectors; if not all watch, that of one of the others. */
function reflectorText(informers: readonly InformerInspection[]): string {
  const names = new Set(informers.map(({ reflector }) => reflector));
  const [other] = [...names].filter((name) => name !== 'watching');
  return other ?? (names.size === 0 ? 'none' : 'watching');
}
