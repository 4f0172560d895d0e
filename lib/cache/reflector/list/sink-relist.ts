import type { Logger } from '../../../kernel/report/logger.ts';
import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent, ObjectEvent } from '../../../meta/watch-event.ts';
import type { ReflectorSink, Relist, ReplaceSink } from '../contract/reflector-sink.ts';
import { abortable } from '../../../kernel/time/abort.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';

export interface SinkRelistOptions<V extends HasMetadata> {
  readonly sink: ReflectorSink<V> | ReplaceSink<V>;
  readonly keyFunc: KeyFunc;
  readonly logger: Logger;
  readonly name: string;
}

/**
 * The relist that a reflector passes to its sink. It begins with its first piece and ends with `commit` or `discard`. Errors of
 * the sink are thrown, except errors of `discard`, which are logged.
 */
export class SinkRelist<V extends HasMetadata> {
  readonly #options: SinkRelistOptions<V>;
  #relist: Relist<V> | undefined;
  #taken = 0;

  constructor(options: SinkRelistOptions<V>) {
    this.#options = options;
  }

  /** Items that were added so far. */
  get taken(): number {
    return this.#taken;
  }

  add(items: readonly V[]): void {
    this.#begun().add(items);
    this.#taken += items.length;
  }

  apply(events: readonly WatchEvent<V>[]): void {
    this.#begun().apply(events);
  }

  waitForRoom(): Promise<void> | undefined {
    return this.#relist?.waitForRoom?.();
  }

  /** Makes the relist the content of the sink; returns its size. If it throws, the relist has to be discarded. */
  commit(resourceVersion: string): number {
    const size = this.#begun().commit(resourceVersion);
    this.#relist = undefined;
    this.#taken = 0;
    return size;
  }

  /** Discards the relist, if there is one. */
  discard(): void {
    const relist = this.#relist;
    this.#relist = undefined;
    this.#taken = 0;
    try {
      relist?.discard();
    } catch (error) {
      const { logger, name } = this.#options;
      logger.error('the sink failed to discard a relist', { reflector: name, error });
    }
  }

  #begun(): Relist<V> {
    const { sink, keyFunc } = this.#options;
    this.#relist ??= 'beginRelist' in sink ? sink.beginRelist() : gatheredRelist<V>(sink, keyFunc);
    return this.#relist;
  }
}

/**
 * Gathers a relist for a sink that takes it as a whole. `keyFunc` computes the keys of objects that arrive as events.
 *
 * Guarantees: all items are passed unchanged. Objects of events are in the order of their first event; objects without a key are
 * at the end.
 */
export function gatheredRelist<V extends HasMetadata>(
  sink: Pick<ReplaceSink<V>, 'replace'>,
  keyFunc: KeyFunc,
): Relist<V> {
  /** The items; after events, the objects without a key, which the sink reports. */
  let items: V[] = [];
  /** Defined after the first event. */
  let byKey: Map<string, V> | undefined;

  const put = (type: ObjectEvent<V>['type'], object: V): void => {
    let key: string;
    try {
      key = keyFunc(object);
    } catch {
      if (type !== 'DELETED') items.push(object);
      return;
    }
    if (type === 'DELETED') byKey?.delete(key);
    else byKey?.set(key, object);
  };
  const add = (more: readonly V[]): void => {
    for (const item of more) {
      if (byKey === undefined) items.push(item);
      else put('ADDED', item);
    }
  };
  const discard = (): void => {
    items = [];
    byKey = undefined;
  };
  return {
    add,
    apply: (events) => {
      if (byKey === undefined) {
        const before = items;
        items = [];
        byKey = new Map();
        add(before);
      }
      for (const event of events) {
        if (event.type !== 'BOOKMARK') put(event.type, event.object);
      }
    },
    commit: (resourceVersion) => {
      const all = byKey === undefined ? items : [...byKey.values(), ...items];
      discard();
      sink.replace(all, resourceVersion);
      return all.length;
    },
    discard,
  };
}

/** The interval of log lines about a full sink, milliseconds. */
const REMINDER_MS = 30_000;

/** Waits while the sink is full, and logs it at intervals; rejects when the signal aborts. */
export async function waitForRoom(
  room: Promise<void>,
  signal: AbortSignal,
  { runtime, logger, name }: { runtime: Runtime; logger: Logger; name: string },
): Promise<void> {
  const sinceMs = runtime.monotonicMs();
  let reminder: Timer;
  const arm = (): Timer =>
    runtime.setTimer(
      REMINDER_MS,
      () => {
        const waitedMs = Math.round(runtime.monotonicMs() - sinceMs);
        logger.warn('the sink is full; reading waits', { reflector: name, waitedMs });
        reminder = arm();
      },
      { background: true },
    );
  reminder = arm();
  try {
    await abortable(room, signal);
  } finally {
    reminder.cancel();
  }
}
