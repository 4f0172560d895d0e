import { deriveAbort, onAbort } from '../../../kernel/time/abort.ts';
import { isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep, withDeadline } from '../../../kernel/time/wait.ts';
import type { KeyFunc } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { isResourceVersion } from '../../../meta/versions/resource-version.ts';
import type { ListerWatcher, ListPage } from '../../reflector/contract/lister-watcher.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';
import { classifyFailure } from '../../reflector/failure/watch-error.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import { pagesOf } from './audit-pages.ts';
import type { AuditOptions, AuditReport } from './audit-report.ts';
import {
  SnapshotComparison,
  type AuditVerdict,
  type CacheSnapshot,
} from './snapshot-comparison.ts';
import type { WaitOptions } from '../handlers/handler-registration.ts';

/** The least time between two attempts, milliseconds. */
const PAUSE_MS = 1000;

/** The longest wait between two attempts that a server can ask for, milliseconds. */
const LONGEST_PAUSE_MS = 60_000;

const OPTIONS = optionsOf<AuditOptions>()('audit', {
  timeoutMs: is.number({ min: 1 }).default(120_000),
  signal: is.abortSignal(),
  deep: is.flag().default(false),
  pageSize: is.integer({ min: 1 }).default(500),
});

/** The informer as an audit sees it. */
export interface AuditedInformer {
  readonly name: string;
  /** Empty if the store has no resource version. */
  readonly lastSyncResourceVersion: string;
  whenSynced(options?: WaitOptions): Promise<void>;
  caughtUp(resourceVersion: string, options?: WaitOptions): Promise<void>;
}

export interface AuditSource<T extends KubernetesObject> {
  readonly informer: AuditedInformer;
  /** The received state of the server, without own writes. */
  readonly store: Pick<ThreadSafeStore<ObjectView<T>>, 'resourceVersion' | 'entries'>;
  readonly listerWatcher: ListerWatcher<ObjectView<T>>;
  readonly keyFunc: KeyFunc;
  readonly transform: ((object: T) => T) | undefined;
  readonly order: 'arrival' | 'key';
  readonly runtime: Runtime;
  /** Aborts when the informer stops. */
  readonly stopped: AbortSignal;
}

/**
 * Compares the cache of an informer with the server, at one exact resource version. The state of the cache and its version are
 * read in one step, and the server is asked for that state, in pages, without the reflector. So concurrent changes do not
 * affect the result.
 *
 * A second comparison confirms a finding before it is reported: of several changes with one version, only some may have arrived.
 *
 * @throws {ListwatchError} code TIMEOUT naming the step it waited for; CLOSED when the informer has stopped, or stops;
 * INVALID_OPTION; the signal's reason when aborted. {ApiError} when the server refuses the list.
 */
export async function auditOf<T extends KubernetesObject>(
  source: AuditSource<T>,
  options: AuditOptions = {},
): Promise<AuditReport> {
  const { signal, deep, timeoutMs, pageSize } = OPTIONS.read(options);
  checkSource(source, deep);
  signal?.throwIfAborted();
  const ending = deriveAbort(signal);
  const release = onAbort(source.stopped, () => {
    const text = `the informer ${source.informer.name} stopped during its audit, or before it`;
    ending.abort(new ListwatchError('CLOSED', text));
  });
  const audit = new Audit<T>(source, { deep, pageSize, timeoutMs, signal: ending.signal });
  try {
    return await withDeadline(source.runtime, audit.run(), {
      timeoutMs,
      describe: () => audit.describe(),
    });
  } finally {
    release();
    ending.abort();
  }
}

function checkSource<T extends KubernetesObject>(
  { transform, order, informer }: AuditSource<T>,
  deep: boolean,
): void {
  const refuse = (rule: string): never => {
    throw new ListwatchError('INVALID_OPTION', `audit of ${informer.name}: ${rule}`);
  };
  if (order === 'key') refuse('a cache in the order of keys is at no resource version');
  if (deep && transform !== undefined) {
    refuse('option "deep" compares what the server sent, and a transform changes that');
  }
}

interface AuditSettings {
  readonly deep: boolean;
  readonly pageSize: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

class Audit<T extends KubernetesObject> {
  readonly #source: AuditSource<T>;
  readonly #settings: AuditSettings;
  readonly #startedAtMs: number;
  #attempts = 0;
  /** Why the server cannot be asked for an exact state. */
  #exactRefused: string | undefined;
  /** The present step, as text. */
  #doing: string;
  /** The resource version of the cache at the last attempt. */
  #resourceVersion = '';

  constructor(source: AuditSource<T>, settings: AuditSettings) {
    this.#source = source;
    this.#settings = settings;
    this.#startedAtMs = source.runtime.monotonicMs();
    this.#doing = 'the first list of the informer';
  }

  describe(): string {
    const attempt = this.#attempts > 1 ? `, attempt ${this.#attempts}` : '';
    return `the audit of ${this.#source.informer.name}${attempt}: ${this.#doing}`;
  }

  async run(): Promise<AuditReport> {
    const { signal } = this.#settings;
    signal.throwIfAborted();
    await this.#source.informer.whenSynced({ signal });
    for (let suspected = false; ; ) {
      const verdict = await this.#attempt();
      if (verdict === undefined) continue;
      if (verdict.consistent || suspected) return this.#report(verdict);
      suspected = true;
      await this.#pause('a second look at what the first one found', PAUSE_MS);
    }
  }

  #report(verdict: AuditVerdict): AuditReport {
    const refused = this.#exactRefused;
    return {
      ...verdict,
      comparison: refused === undefined ? 'exact' : 'bracketed',
      ...(refused === undefined ? {} : { note: refused }),
      attempts: this.#attempts,
      durationMs: this.#source.runtime.monotonicMs() - this.#startedAtMs,
    };
  }

  /** Undefined if this attempt has no result and another one may have. */
  async #attempt(): Promise<AuditVerdict | undefined> {
    this.#attempts += 1;
    try {
      return await this.#compare();
    } catch (error) {
      this.#settings.signal.throwIfAborted();
      await this.#recover(error);
      return undefined;
    }
  }

  async #compare(): Promise<AuditVerdict | undefined> {
    const before = await this.#snapshot();
    const isExact = this.#exactRefused === undefined;
    let comparison: SnapshotComparison<T> | undefined;
    for await (const { items, resourceVersion } of this.#pages(isExact ? before : undefined)) {
      if (isExact && resourceVersion !== before.resourceVersion) {
        this.#exactRefused = `asked for exactly resource version ${before.resourceVersion}, the server listed ${resourceVersion || 'none'}`;
        return undefined;
      }
      if (comparison === undefined) {
        const after = isExact ? before : await this.#snapshotAfter(before, resourceVersion);
        if (after === undefined) return undefined;
        const { keyFunc, runtime } = this.#source;
        const options = { ...this.#settings, keyFunc, runtime, before, after, resourceVersion };
        comparison = new SnapshotComparison(options);
      }
      await comparison.take(items);
    }
    return await comparison?.finish();
  }

  /** The cache at the version of a list or later. Undefined if the list is older than the snapshot before it. */
  async #snapshotAfter(
    before: CacheSnapshot<T>,
    resourceVersion: string,
  ): Promise<CacheSnapshot<T> | undefined> {
    if (isNewer(before.resourceVersion, resourceVersion)) {
      await this.#pause(`a list that is not older than ${before.resourceVersion}`, PAUSE_MS);
      return undefined;
    }
    this.#doing = `the cache to reach resource version ${resourceVersion}, that of the list`;
    const { signal } = this.#settings;
    await this.#source.informer.caughtUp(resourceVersion, { signal });
    return this.#takeSnapshot();
  }

  /** @throws the error if another attempt would fail with it again. */
  async #recover(error: unknown): Promise<void> {
    const { kind, message, retryAfterMs } = classifyFailure(error);
    switch (kind) {
      case 'expired':
      case 'gone':
        await this.#newer(`history is gone (${message})`);
        return;
      case 'invalid':
        if (this.#exactRefused !== undefined) throw error;
        this.#exactRefused = `the server does not list at an exact resource version: ${message}`;
        return;
      case 'too-large':
      case 'too-many-requests':
      case 'connection-refused':
      case 'connection-lost':
        await this.#pause(`another attempt after: ${message}`, retryAfterMs);
        return;
      default:
        if (!isListwatchError(error, 'HISTORY_REPLACED')) throw error;
        await this.#pause(`another attempt after: ${message}`, PAUSE_MS);
    }
  }

  /** A snapshot of the cache, as soon as it has a resource version. */
  async #snapshot(): Promise<CacheSnapshot<T>> {
    for (;;) {
      const snapshot = this.#takeSnapshot();
      this.#resourceVersion = snapshot.resourceVersion;
      if (snapshot.resourceVersion !== '' && snapshot.resourceVersion !== '0') return snapshot;
      await this.#newer('it is at none');
    }
  }

  #takeSnapshot(): CacheSnapshot<T> {
    const { informer, store } = this.#source;
    const ordered = informer.lastSyncResourceVersion !== '';
    return {
      resourceVersion: ordered ? store.resourceVersion : '',
      objects: new Map(store.entries()),
    };
  }

  /** Waits until the cache has a later version. */
  async #newer(why: string): Promise<void> {
    const { signal } = this.#settings;
    const seen = this.#resourceVersion;
    const what = `the cache to move on from resource version ${seen || 'none'}, since ${why}`;
    // A cache without a version, or at one without a successor, can only be compared again.
    if (!isResourceVersion(seen)) return await this.#pause(what, PAUSE_MS);
    this.#doing = what;
    await this.#source.informer.caughtUp(String(BigInt(seen) + 1n), { signal });
  }

  async #pause(doing: string, delayMs: number): Promise<void> {
    this.#doing = doing;
    const atLeastMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, delayMs));
    await sleep(this.#source.runtime, atLeastMs, { signal: this.#settings.signal });
  }

  /** The pages of a list, at the version of a snapshot if one is given. */
  async *#pages(
    at: CacheSnapshot<T> | undefined,
  ): AsyncGenerator<ListPage<ObjectView<T>>, undefined> {
    const { pageSize: limit, timeoutMs: listTimeoutMs, signal } = this.#settings;
    const { listerWatcher, informer, runtime } = this.#source;
    const options = { listerWatcher, runtime, name: informer.name, listTimeoutMs };
    const resourceVersion = at?.resourceVersion;
    const match = at === undefined ? undefined : 'Exact';
    const where = at === undefined ? '' : ` at ${at.resourceVersion}`;
    let objects = 0;
    const asking = (): void => {
      this.#doing = `a page of the list${where}, after ${objects} objects`;
    };
    asking();
    const first = { resourceVersion, resourceVersionMatch: match, limit } as const;
    for await (const page of pagesOf(options, first, signal)) {
      objects += page.items.length;
      yield page;
      asking();
    }
  }
}
