import type { KeyValueEvent, Revision } from '../../server/mvcc/contract/key-value-store.ts';
import type { KeyValueHistory } from './key-value-history.ts';
import type { RecordedCompaction, WatchRecording } from './history-recorder.ts';
import { covers, sameKeyValue } from './replayed-state.ts';

/**
 * The guarantees of etcd for a watch:
 * - `filter`: no event outside the requested range;
 * - `ordered`: no event after one of a later revision;
 * - `unique`: no event twice;
 * - `atomic`: all events of one revision in one batch;
 * - `bookmarkable`: after a progress message, no event at or before its revision; progress never decreases;
 * - `resumable`: the first event is the first one in the range at or after the start;
 * - `reliable`: from the first event to the last event or progress, no event is missing or invented;
 * - `isCreate`: an event is marked as a creation exactly if it is one;
 * - `prevKV`: the previous state in an event is the state of the key before the change.
 * @see etcd tests/robustness/validate/watch.go @ c34dc7e
 */
export type WatchGuarantee =
  | 'filter'
  | 'ordered'
  | 'unique'
  | 'atomic'
  | 'bookmarkable'
  | 'resumable'
  | 'reliable'
  | 'isCreate'
  | 'prevKV';

/** @experimental */
export interface WatchViolation {
  readonly guarantee: WatchGuarantee;
  readonly client: string;
  /** The violation, with key and revision. */
  readonly message: string;
}

/** @experimental */
export interface WatchValidationOptions {
  /** The watch must have delivered everything up to this revision. */
  readonly through?: Revision | undefined;
  /** Revisions at which the state before a change may be missing. @defaultValue none */
  readonly compactions?: readonly RecordedCompaction[] | undefined;
}

interface Evidence {
  readonly recording: WatchRecording;
  readonly history: KeyValueHistory;
  readonly options: WatchValidationOptions;
  /** All delivered events, in the order of delivery. */
  readonly events: readonly KeyValueEvent[];
  /** The first requested revision. */
  readonly start: Revision;
}

type Validator = (evidence: Evidence) => Iterable<string>;

/**
 * Compares the events of a watch with the history. A correct watch gives no violation, even if members failed in the meantime.
 *
 * @experimental
 */
export function validateWatch(
  recording: WatchRecording,
  history: KeyValueHistory,
  options: WatchValidationOptions = {},
): WatchViolation[] {
  const events: KeyValueEvent[] = [];
  for (const { messages } of recording.batches) {
    for (const message of messages) if (message.type === 'event') events.push(message.event);
  }
  const start = recording.request.startRevision ?? recording.startedAt + 1n;
  const evidence = { recording, history, options, events, start };
  const { client } = recording;
  return Object.entries(VALIDATORS).flatMap(([guarantee, validate]) =>
    [...validate(evidence)].map((message) => ({
      guarantee: guarantee as WatchGuarantee,
      client,
      message,
    })),
  );
}

const VALIDATORS: Readonly<Record<WatchGuarantee, Validator>> = {
  filter: function* ({ recording: { request }, events }) {
    for (const event of events) {
      if (!covers(request, event.kv.key)) yield `${name(event)} lies outside the range asked for`;
    }
  },

  ordered: function* ({ events }) {
    for (const [before, event] of pairs(events)) {
      if (event.kv.modRevision < before.kv.modRevision) {
        yield `${name(event)} came behind ${name(before)}`;
      }
    }
  },

  unique: function* ({ events }) {
    const seen = new Set<string>();
    for (const event of events) {
      if (seen.has(identity(event))) yield `${name(event)} came twice`;
      seen.add(identity(event));
    }
  },

  atomic: function* ({ recording: { batches } }) {
    let last: KeyValueEvent | undefined;
    for (const { messages } of batches) {
      const events = messages.flatMap((one) => (one.type === 'event' ? [one.event] : []));
      const [first] = events;
      if (first === undefined) continue;
      // A repeated event is reported by another check.
      const splits = last?.kv.modRevision === first.kv.modRevision && last.kv.key !== first.kv.key;
      if (splits) yield `revision ${first.kv.modRevision} is split over two batches`;
      last = events.at(-1);
    }
  },

  bookmarkable: function* ({ recording: { batches } }) {
    let delivered = 0n;
    let progress = 0n;
    for (const message of batches.flatMap(({ messages }) => messages)) {
      if (message.type === 'event') {
        const { modRevision } = message.event.kv;
        if (modRevision <= progress) {
          yield `${name(message.event)} came behind progress ${progress}`;
        }
        if (modRevision > delivered) delivered = modRevision;
        continue;
      }
      const { revision } = message;
      if (revision < delivered) {
        yield `progress ${revision} came behind an event of revision ${delivered}`;
      }
      if (revision < progress) yield `progress went back from ${progress} to ${revision}`;
      progress = revision;
    }
  },

  resumable: function* ({ recording, history, options, events, start }) {
    const expected = history.firstEvent(recording.request, start);
    if (expected === undefined) return;
    const first = lowest(events.filter(({ kv }) => covers(recording.request, kv.key)));
    if (first !== undefined) {
      if (first.kv.modRevision !== expected.kv.modRevision) {
        yield `it begins with ${name(first)}; from revision ${start} on the first is ${name(expected)}`;
      }
    } else if (reach(recording, options) >= expected.kv.modRevision) {
      yield `${name(expected)} was not delivered, though nothing else was either; it began at ${start}`;
    }
  },

  reliable: function* ({ recording, history, options, events }) {
    const inRange = events.filter(({ kv }) => covers(recording.request, kv.key));
    const delivered = new Map(inRange.map((event) => [identity(event), event]));
    const first = lowest(inRange)?.kv.modRevision;
    if (first === undefined) return;
    const reached = reach(recording, options);
    for (const expected of history.events(recording.request, first, reached)) {
      const actual = delivered.get(identity(expected));
      delivered.delete(identity(expected));
      if (actual === undefined) yield `${name(expected)} was not delivered`;
      else if (!sameChange(actual, expected)) {
        yield `${name(actual)} differs from what happened, ${name(expected)}`;
      }
    }
    for (const event of delivered.values()) yield `${name(event)} never happened`;
  },

  isCreate: function* ({ history, events }) {
    for (const event of events) {
      if (event.type === 'delete' || !isKnown(event, history)) continue;
      const { key, modRevision, createRevision, version } = event.kv;
      const existed = history.at(key, modRevision - 1n) !== undefined;
      const says = createRevision === modRevision;
      if (says === existed || (version === 1n) !== says) {
        const truth = existed ? 'existed before' : 'did not exist before';
        yield `${name(event)} says it ${says ? 'is' : 'is no'} creation (version ${version}), but the key ${truth}`;
      }
    }
  },

  prevKV: function* ({ recording, history, options, events }) {
    if (recording.request.previous !== true) return;
    const compacted = highest((options.compactions ?? []).map(({ revision }) => revision));
    for (const event of events) {
      if (!isKnown(event, history)) continue;
      const { key, modRevision } = event.kv;
      const expected = history.at(key, modRevision - 1n);
      if (event.previous === undefined && modRevision <= compacted) continue;
      if (sameKeyValue(event.previous, expected)) continue;
      yield `${name(event)} says the key was ${state(event.previous)} before; it was ${state(expected)}`;
    }
  },
};

/** The revision up to which the watch has delivered everything, by its own messages. */
function reach({ batches }: WatchRecording, { through = 0n }: WatchValidationOptions): Revision {
  const said = batches.flatMap(({ messages }) =>
    messages.map((one) => (one.type === 'event' ? one.event.kv.modRevision : one.revision)),
  );
  return highest([through, ...said]);
}

function highest(revisions: readonly Revision[]): Revision {
  let highest = 0n;
  for (const revision of revisions) if (revision > highest) highest = revision;
  return highest;
}

function lowest(events: readonly KeyValueEvent[]): KeyValueEvent | undefined {
  let lowest: KeyValueEvent | undefined;
  for (const event of events) {
    if (lowest === undefined || event.kv.modRevision < lowest.kv.modRevision) lowest = event;
  }
  return lowest;
}

/** Whether the history contains an event. Before its base nothing is known; another check reports events after its end. */
function isKnown({ kv: { modRevision } }: KeyValueEvent, history: KeyValueHistory): boolean {
  return modRevision > history.firstRevision && modRevision <= history.lastRevision;
}

function sameChange(left: KeyValueEvent, right: KeyValueEvent): boolean {
  return left.type === right.type && Buffer.compare(left.kv.value, right.kv.value) === 0;
}

function identity({ kv: { key, modRevision } }: KeyValueEvent): string {
  return `${modRevision} ${key}`;
}

function name({ type, kv: { key, modRevision } }: KeyValueEvent): string {
  return `${type} of ${JSON.stringify(key)} at revision ${modRevision}`;
}

function state(kv: KeyValueEvent['previous']): string {
  return kv === undefined ? 'missing' : `at revision ${kv.modRevision} (version ${kv.version})`;
}

function* pairs<Item>(items: readonly Item[]): Iterable<readonly [Item, Item]> {
  for (let index = 1; index < items.length; index += 1) {
    yield [items[index - 1] as Item, items[index] as Item];
  }
}
