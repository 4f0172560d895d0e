import { isListwatchError } from '../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import {
  prefixEnd,
  type KeyValueStore,
  type KeyValueWatchRequest,
  type Revision,
  type TxnRequest,
} from '../../lib/server/mvcc/contract/key-value-store.ts';

export const RAW_PREFIX = '/raw/';
const KEYS = 10;
const RAW: Pick<KeyValueWatchRequest, 'key' | 'rangeEnd'> = {
  key: RAW_PREFIX,
  rangeEnd: prefixEnd(RAW_PREFIX),
};

export interface RawClientOptions {
  readonly name: string;
  readonly store: KeyValueStore;
  readonly random: () => number;
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

/** The keys and the revision that a client saw last. */
interface Knowledge {
  readonly revisions: Map<string, Revision>;
  newest: Revision;
}

/** One client that reads and writes a few keys, each value unique, with what it last saw as the comparison. */
export class RawClient {
  readonly #options: RawClientOptions;
  readonly #known: Knowledge = { revisions: new Map(), newest: 1n };
  #count = 0;

  constructor(options: RawClientOptions) {
    this.#options = options;
  }

  get newest(): Revision {
    return this.#known.newest;
  }

  async run(): Promise<void> {
    const { paceMs, random, signal } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#once();
      } catch {
        // It is in the history.
      }
      await sleep(realRuntime, random() * 2 * paceMs, { signal }).catch(() => {});
    }
  }

  async #once(): Promise<void> {
    const { store, random } = this.#options;
    const draw = random();
    const key = this.#key();
    if (draw < 0.2) {
      this.#learn((await store.range({ key })).revision);
    } else if (draw < 0.27) {
      const { items, revision } = await store.range({ ...RAW });
      for (const kv of items) this.#known.revisions.set(kv.key, kv.modRevision);
      this.#learn(revision);
    } else if (draw < 0.3) {
      const past = this.#known.newest - BigInt(Math.floor(random() * 50));
      await store.range({ ...RAW, revision: past < 1n ? 1n : past });
    } else {
      await this.#write(key, draw);
    }
  }

  async #write(key: string, draw: number): Promise<void> {
    const { store } = this.#options;
    const request = this.#request(key, draw);
    const { succeeded, revision, responses } = await store.txn(request);
    this.#learn(revision);
    if (succeeded) {
      for (const { type, key: written } of request.success) {
        this.#known.revisions.set(written, type === 'put' ? revision : 0n);
      }
      return;
    }
    const [found] = responses;
    if (found?.type !== 'range') return;
    this.#known.revisions.set(key, found.items[0]?.modRevision ?? 0n);
  }

  #request(key: string, draw: number): TxnRequest {
    const put = { type: 'put', key, value: this.#value() } as const;
    if (draw < 0.4) return { compare: [], success: [put] };
    if (draw < 0.45) return { compare: [], success: [{ type: 'delete', key }] };
    if (draw < 0.5) {
      const other = this.#key();
      const second = { ...put, key: other, value: this.#value() };
      return { compare: [], success: other === key ? [put] : [put, second] };
    }
    const operand = this.#known.revisions.get(key) ?? 0n;
    const compare = [{ key, target: 'modRevision', operator: '=', operand }] as const;
    const success = draw < 0.6 ? [{ type: 'delete', key } as const] : [put];
    return { compare, success, failure: [{ type: 'range', key }] };
  }

  #key(): string {
    return `${RAW_PREFIX}${Math.floor(this.#options.random() * KEYS)}`;
  }

  #value(): Buffer {
    this.#count += 1;
    return Buffer.from(`${this.#options.name}:${this.#count}`);
  }

  #learn(revision: Revision): void {
    if (revision > this.#known.newest) this.#known.newest = revision;
  }
}

export interface WanderingWatcherOptions {
  readonly store: KeyValueStore;
  readonly random: () => number;
  /** The newest revision known to any client. */
  readonly newest: () => Revision;
  readonly signal: AbortSignal;
}

/** Revisions around the newest one, and now and then far back: members send at most 1000 at once. */
function startOf(newest: Revision, random: () => number): Revision | undefined {
  const draw = random();
  if (draw < 0.2) return undefined;
  const back = draw < 0.35 ? 3000 : 100;
  const start = newest - BigInt(Math.floor(random() * back)) + BigInt(Math.floor(random() * 20));
  return start < 1n ? 1n : start;
}

/** Opens one watch after the other, here and there in history, and leaves each after a while. */
export async function watchHereAndThere(options: WanderingWatcherOptions): Promise<void> {
  const { store, random, newest, signal } = options;
  while (!signal.aborted) {
    const startRevision = startOf(newest(), random);
    const leave = new AbortController();
    const stop = AbortSignal.any([signal, leave.signal]);
    const timer = setTimeout(() => leave.abort(), 300 + random() * 4000);
    try {
      const watch = await store.watch({ ...RAW, startRevision, previous: true, signal: stop });
      for await (const _batch of watch) if (random() < 0.1) await watch.requestProgress();
    } catch {
      // Compacted away, as a rule; it is in the recording.
      await sleep(realRuntime, 20, { signal }).catch(() => {});
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A watch that is meant to last: it begins anew only where history was compacted away under it. */
export class SteadyWatcher {
  readonly name: string;
  readonly #store: KeyValueStore;
  readonly #range: Pick<KeyValueWatchRequest, 'key' | 'rangeEnd'>;
  readonly #signal: AbortSignal;
  /** The newest revision that it has received. */
  seen: Revision = 1n;
  restarts = 0;
  readonly unexpected: string[] = [];

  constructor(options: {
    readonly name: string;
    readonly store: KeyValueStore;
    readonly range: Pick<KeyValueWatchRequest, 'key' | 'rangeEnd'>;
    readonly signal: AbortSignal;
  }) {
    this.name = options.name;
    this.#store = options.store;
    this.#range = options.range;
    this.#signal = options.signal;
  }

  async run(): Promise<void> {
    let startRevision: Revision | undefined = 2n;
    while (!this.#signal.aborted) {
      try {
        const signal = this.#signal;
        const watch = await this.#store.watch({
          ...this.#range,
          startRevision,
          previous: true,
          signal,
        });
        for await (const batch of watch) {
          for (const message of batch) {
            const revision =
              message.type === 'event' ? message.event.kv.modRevision : message.revision;
            if (revision > this.seen) this.seen = revision;
          }
        }
      } catch (error) {
        if (!isListwatchError(error, 'COMPACTED')) this.unexpected.push(String(error));
        await sleep(realRuntime, 20, { signal: this.#signal }).catch(() => {});
      }
      this.restarts += 1;
      startRevision = await this.#now();
    }
  }

  /** Where a reader that has lost its place begins anew: behind the state that it reads. */
  async #now(): Promise<Revision | undefined> {
    while (!this.#signal.aborted) {
      try {
        const { revision } = await this.#store.range({ ...this.#range, countOnly: true });
        if (revision > this.seen) this.seen = revision;
        return revision + 1n;
      } catch {
        await sleep(realRuntime, 20, { signal: this.#signal }).catch(() => {});
      }
    }
    return undefined;
  }
}
