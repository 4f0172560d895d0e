import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import { nextTask, sleep, withDeadline } from '../../../kernel/time/wait.ts';
import { metaNamespaceKeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type {
  ListerWatcher,
  ListPage,
  ListRequest,
} from '../../reflector/contract/lister-watcher.ts';
import { listPage, PageSequence } from '../../reflector/list/list-page.ts';
import type { InformerInspection } from '../observe/informer-inspection.ts';
import { informerMetrics } from '../observe/informer-metrics.ts';
import { reachVersion } from '../staleness/catch-up.ts';
import type { FollowedCache } from '../staleness/followed-cache.ts';
import { isComparable } from '../staleness/present-version.ts';
import {
  FirstLook,
  SecondLook,
  type MissedChange,
  type PagedCache,
  type Suspect,
} from './page-comparison.ts';

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
  readonly paged: () => PagedCache;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

type LastAudit = NonNullable<InformerInspection['lastAudit']>;

/**
 * Compares a cache with its server at intervals, and counts and logs the changes that it has missed.
 *
 * Each audit lists metadata in pages, waits until the cache has reached the version of the list, and compares the pages as they come. It
 * reads the list a second time if it suspects an object; see `SecondLook`. Neither pages nor objects are kept.
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
    const paged = this.#options.paged();
    let first: FirstLook | undefined;
    for await (const { items, resourceVersion } of this.#pages(signal)) {
      first ??= new FirstLook({ ...paged, resourceVersion, signal });
      await first.take(items);
    }
    if (first === undefined) return 0;
    await first.finish();
    const found = await this.#lookAgain(paged, first.suspects, signal);
    this.#report(first, found);
    return found.size;
  }

  async #lookAgain(
    paged: PagedCache,
    suspects: ReadonlyMap<string, Suspect>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, MissedChange>> {
    if (suspects.size === 0) return new Map();
    await sleep(paged.runtime, LOOK_AGAIN_MS, { signal, background: true });
    const second = new SecondLook(paged, suspects);
    for await (const { items, resourceVersion } of this.#pages(signal)) {
      second.take(items, resourceVersion);
    }
    return second.finish();
  }

  /** The list, page by page. The cache has every change up to its version before the first page is passed on. */
  async *#pages(
    signal: AbortSignal,
  ): AsyncGenerator<Pick<ListPage<HasMetadata>, 'items' | 'resourceVersion'>, void> {
    const { name, runtime } = this.#options.cache;
    const listerWatcher = this.#listed();
    const options = { name, runtime, listerWatcher, listTimeoutMs: PAGE_MS };
    const pages = new PageSequence();
    let request: ListRequest = { limit: PAGE_SIZE };
    let resourceVersion: string | undefined;
    for (;;) {
      const page = await listPage(options, request, signal);
      pages.check(request, page, name);
      if (resourceVersion === undefined) {
        resourceVersion = page.resourceVersion;
        await this.#reach(resourceVersion, signal);
      }
      yield { items: page.items, resourceVersion };
      const { continueToken = '' } = page;
      if (continueToken === '') return;
      request = { limit: PAGE_SIZE, continueToken };
      // A source in this process may answer without letting other tasks run.
      await nextTask(runtime);
    }
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
    const isByName = this.#options.paged().keyFunc === metaNamespaceKeyFunc;
    this.#source ??= (isByName ? source.supports?.metadata?.() : undefined) ?? source;
    return this.#source;
  }

  #report({ resourceVersion, objects }: FirstLook, found: ReadonlyMap<string, MissedChange>): void {
    const { cache, metrics, logger } = this.#options;
    const { name, runtime } = cache;
    const counts: Record<MissedChange, number> = { missing: 0, stale: 0, 'left-over': 0 };
    let logged = 0;
    for (const [key, kind] of found) {
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
