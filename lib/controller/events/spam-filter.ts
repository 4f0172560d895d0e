import { LRUCache } from 'lru-cache';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { KEPT } from './event-correlator.ts';
import { identity, type EventFact } from './event-fact.ts';

const BURST = 25;
const REFILL_MS = 300_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Limits the writes about one object: 25 at once, then one every 5 minutes, for each type of events.
 * @see client-go tools/record/events_cache.go
 */
export class SpamFilter {
  readonly #runtime: Runtime;
  readonly #buckets = new LRUCache<string, Bucket>(KEPT);

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Takes a token, if there is one. */
  allows({ type, regarding }: EventFact): boolean {
    const key = JSON.stringify([type, identity(regarding)]);
    const nowMs = this.#runtime.monotonicMs();
    const { tokens, atMs } = this.#buckets.get(key) ?? { tokens: BURST, atMs: nowMs };
    const filled = Math.min(BURST, tokens + (nowMs - atMs) / REFILL_MS);
    const allowed = filled >= 1;
    this.#buckets.set(key, { tokens: allowed ? filled - 1 : filled, atMs: nowMs });
    return allowed;
  }
}
