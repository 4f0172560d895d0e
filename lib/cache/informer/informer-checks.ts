import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type { HasMetadata, KubernetesObject } from '../../meta/object.ts';
import type { Collection } from '../collection/collection.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import { PeriodicAudit } from './audit/periodic-audit.ts';
import type { WaitOptions } from './handlers/handler-registration.ts';
import type { InformerInspection } from './observe/informer-inspection.ts';
import type { InformerJournal } from './observe/informer-journal.ts';
import type { ResolvedInformerOptions } from './options/informer-options.ts';
import { catchUp } from './staleness/catch-up.ts';
import type { FollowedCache } from './staleness/followed-cache.ts';
import { StalenessMeter } from './staleness/staleness-meter.ts';

export interface InformerChecksParts<T extends KubernetesObject> {
  readonly options: ResolvedInformerOptions<T>;
  readonly journal: InformerJournal;
  readonly collection: () => Collection<T>;
  /** Aborts when the informer stops. */
  readonly stopped: AbortSignal;
  readonly whenSynced: (options: WaitOptions) => Promise<void>;
  readonly reach: (resourceVersion: string, options: WaitOptions) => Promise<void>;
}

/** Asks the server of an informer, besides its lists and watches, how far the cache is behind and what it has missed. */
export class InformerChecks<T extends KubernetesObject> {
  readonly #parts: InformerChecksParts<T>;
  readonly #cache: FollowedCache;
  readonly #staleness: StalenessMeter;
  readonly #audit: PeriodicAudit;

  constructor(parts: InformerChecksParts<T>) {
    const { options, journal, collection } = parts;
    const { keyFunc, logger } = options;
    const { errors, metrics } = journal;
    this.#parts = parts;
    const cache = followedCache(parts);
    this.#cache = cache;
    this.#staleness = new StalenessMeter(cache);
    this.#audit = new PeriodicAudit({
      cache,
      objects: () => collection().store,
      keyFunc,
      metrics,
      logger,
      onError: (error) => errors.report(error, { source: 'audit' }),
    });
  }

  /** The informer runs: the checks of its options begin, and end with it. */
  start(): void {
    const { options, stopped } = this.#parts;
    const { stalenessIntervalMs, auditIntervalMs } = options;
    if (stalenessIntervalMs > 0) void this.#staleness.run(stalenessIntervalMs, stopped);
    if (auditIntervalMs > 0) void this.#audit.run(auditIntervalMs, stopped);
  }

  inspect(): Pick<InformerInspection, 'staleness' | 'lastAudit'> {
    const staleness = this.#staleness.inspect();
    const lastAudit = this.#audit.inspect();
    return {
      ...(staleness === undefined ? {} : { staleness }),
      ...(lastAudit === undefined ? {} : { lastAudit }),
    };
  }

  /** @throws as `SharedIndexInformer.caughtUp`. */
  async caughtUp({ timeoutMs, signal }: WaitOptions): Promise<void> {
    const { options, stopped } = this.#parts;
    const { name, runtime } = options;
    signal?.throwIfAborted();
    const ending = deriveAbort(signal);
    const release = onAbort(stopped, () => {
      const text = `the informer ${name} stopped before its cache had caught up with the server`;
      ending.abort(new ListwatchError('CLOSED', text));
    });
    let doing = '';
    const work = catchUp(this.#cache, ending.signal, (step) => {
      doing = step;
    });
    try {
      await withDeadline(runtime, work, { timeoutMs, describe: () => doing });
    } finally {
      release();
      ending.abort();
    }
  }
}

function followedCache<T extends KubernetesObject>({
  options,
  collection,
  whenSynced,
  reach,
}: InformerChecksParts<T>): FollowedCache {
  const { name, runtime, namespaces } = options;
  return {
    name,
    runtime,
    get source(): ListerWatcher<HasMetadata> | undefined {
      return sourceOf(options);
    },
    hasOneWatch: namespaces === undefined,
    get reached(): string {
      return collection().overlay.inspect().processed;
    },
    whenSynced: (signal) => whenSynced({ signal }),
    reach: (resourceVersion, signal) => reach(resourceVersion, { signal }),
  };
}

/** All namespaces of a server have its version. */
function sourceOf<T extends KubernetesObject>({
  listerWatcher,
  inNamespace,
  namespaces,
}: ResolvedInformerOptions<T>): ListerWatcher<HasMetadata> | undefined {
  if (namespaces === undefined) return listerWatcher;
  const [first] = namespaces.names;
  return first === undefined ? undefined : (inNamespace?.(first) ?? listerWatcher);
}
