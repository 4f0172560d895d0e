import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import { sleep, withDeadline } from '../../../kernel/time/wait.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import type { InformerInspection } from '../observe/informer-inspection.ts';
import { informerMetrics } from '../observe/informer-metrics.ts';
import { reachVersion } from '../staleness/catch-up.ts';
import type { FollowedCache } from '../staleness/followed-cache.ts';
import { isComparable } from '../staleness/present-version.ts';
import { pagesOf } from './audit-pages.ts';
import {
  LiveComparison,
  type LiveCache,
  type MissedChange,
  type Suspects,
} from './live-comparison.ts';

const PAGE_SIZE = 500;
/** The longest wait for a page, milliseconds. */
const PAGE_MS = 60_000;
/** The longest wait for the cache to reach the version of the list, milliseconds. A server keeps the list for five minutes. */
const REACH_MS = 120_000;
/** The time between the first look and the second one, milliseconds. */
const LOOK_AGAIN_MS = 1000;
/** The findings of one audit that are logged one by one. */
const LOGGED_KEYS = 100;
/** Informers that were started together do not list together. */
const JITTER = 0.1;

export interface PeriodicAuditOptions {
  readonly cache: FollowedCache;
  /** The received state, without own writes. */
  readonly objects: () => LiveCache['objects'];
  readonly keyFunc: KeyFunc;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

type LastAudit = NonNullable<InformerInspection['lastAudit']>;

/**
 * Compares a cache with its server at intervals, and counts and logs the changes that it has missed.
 *
 * Each audit lists metadata in pages, waits until the cache has reached the version of the list, and compares the pages as they come. It
 * reads the list a second time if it suspects an object; see `LiveComparison`. Neither pages nor objects are kept.
 */
export class PeriodicAudit {
  readonly #options: PeriodicAuditOptions;
  #source: ListerWatcher<HasMetadata> | undefined;
  #last: (Omit<LastAudit, 'ageMs'> & { readonly atMs: number }) | undefined;

  constructor(options: PeriodicAuditOptions) {
    this.#options = options;
  }

  /** The last audit that came to an end. */
  inspect(): LastAudit | undefined {
    if (this.#last === undefined) return undefined;
    const { atMs, ...last } = this.#last;
    return { ...last, ageMs: this.#options.cache.runtime.monotonicMs() - atMs };
  }

  /** Audits at each interval until the signal aborts. Never rejects. */
  async run(intervalMs: number, signal: AbortSignal): Promise<void> {
    const { cache } = this.#options;
    const { runtime } = cache;
    try {
      await cache.whenSynced(signal);
      for (;;) {
        const delayMs = intervalMs * (1 - JITTER + 2 * JITTER * runtime.random());
        await sleep(runtime, delayMs, { signal, background: true });
        if (cache.source?.supports?.gate?.waitingFor === undefined) await this.#try(signal);
      }
    } catch {
      // It has ended, as has its informer.
    }
  }

  async #try(signal: AbortSignal): Promise<void> {
    const { metrics, cache, onError } = this.#options;
    const count = (result: string): void => {
      metrics.count(informerMetrics.audits.name, 1, { name: cache.name, result });
    };
    try {
      count((await this.#audit(signal)) === 0 ? 'consistent' : 'inconsistent');
    } catch (error) {
      signal.throwIfAborted();
      count('failed');
      onError(error);
    }
  }

  /** Returns the number of findings. */
  async #audit(signal: AbortSignal): Promise<number> {
    const first = await this.#look(undefined, signal);
    let { found } = first;
    if (found.size > 0) {
      await sleep(this.#options.cache.runtime, LOOK_AGAIN_MS, { signal, background: true });
      ({ found } = await this.#look(found, signal));
    }
    this.#report(first, found);
    return found.size;
  }

  /** Compares with a list, page by page. The cache has every change up to its version before the first page is compared. */
  async #look(again: Suspects | undefined, signal: AbortSignal): Promise<LiveComparison> {
    const { cache, objects, keyFunc } = this.#options;
    const { name, runtime } = cache;
    const live = { objects: objects(), keyFunc, runtime, signal, reached: () => cache.reached };
    const options = { name, runtime, listerWatcher: this.#listed(), listTimeoutMs: PAGE_MS };
    let comparison: LiveComparison | undefined;
    for await (const { items, resourceVersion } of pagesOf(options, { limit: PAGE_SIZE }, signal)) {
      if (comparison === undefined) {
        await this.#reach(resourceVersion, signal);
        comparison = new LiveComparison({ ...live, again, resourceVersion });
      }
      await comparison.take(items);
    }
    if (comparison === undefined) throw new ListwatchError('ASSERTION', 'a list without a page');
    await comparison.finish();
    return comparison;
  }

  async #reach(version: string, signal: AbortSignal): Promise<void> {
    const { cache } = this.#options;
    if (!isComparable(version)) {
      const shown = JSON.stringify(version);
      const text = `the server lists ${cache.name} at ${shown}, which cannot be compared with a cache`;
      throw new ListwatchError('INVALID_RESOURCE_VERSION', text);
    }
    await withDeadline(cache.runtime, reachVersion(cache, version, signal), {
      timeoutMs: REACH_MS,
      signal,
      describe: () =>
        `the cache of ${cache.name} to reach resource version ${version}, that of the list of an audit`,
    });
  }

  /** Keys of another KeyFunc may need more than metadata. */
  #listed(): ListerWatcher<HasMetadata> {
    const { source } = this.#options.cache;
    if (source === undefined) throw new ListwatchError('ASSERTION', 'an audit without a source');
    const isByName = this.#options.keyFunc === metaNamespaceKeyFunc;
    this.#source ??= (isByName ? source.supports?.metadata?.() : undefined) ?? source;
    return this.#source;
  }

  #report({ resourceVersion, objects }: LiveComparison, found: Suspects): void {
    const { cache, metrics, logger } = this.#options;
    const { name, runtime } = cache;
    const counts: Record<MissedChange, number> = { missing: 0, stale: 0, 'left-over': 0 };
    let logged = 0;
    for (const [key, { kind }] of found) {
      counts[kind] += 1;
      logged += 1;
      if (logged > LOGGED_KEYS) continue;
      logger.warn('the cache has missed a change', { informer: name, key, kind, resourceVersion });
    }
    if (logged > LOGGED_KEYS) {
      const others = logged - LOGGED_KEYS;
      logger.warn('the cache has missed more changes', { informer: name, others, resourceVersion });
    }
    for (const [kind, count] of Object.entries(counts)) {
      if (count > 0) metrics.count(informerMetrics.missedChanges.name, count, { name, kind });
    }
    const { missing, stale, 'left-over': leftOver } = counts;
    const atMs = runtime.monotonicMs();
    this.#last = { atMs, resourceVersion, objects, missing, stale, leftOver };
  }
}
