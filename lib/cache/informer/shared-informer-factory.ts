import { deriveAbort, type DerivedAbort } from '../../kernel/abort.ts';
import { errorMessage, ListwatchError } from '../../kernel/errors.ts';
import { rejectUnknownOptions } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { withDeadline } from '../../kernel/wait.ts';
import type { CollectionOptions } from '../../meta/collection.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import { parseApiVersion } from '../../meta/resource.ts';
import { metaNamespaceIndexFunc, NAMESPACE_INDEX } from '../store/indexers.ts';
import type { WaitOptions } from './handler-registration.ts';
import type { InformerInspection } from './informer-inspection.ts';
import type { SharedIndexInformerOptions } from './informer-options.ts';
import type { ListerWatcherSource } from './lister-watcher-source.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

/** What all informers of a factory have in common. */
type CommonOptions = Pick<
  SharedIndexInformerOptions<KubernetesObject>,
  'runtime' | 'logger' | 'metrics' | 'onError' | 'backoff' | 'watchList' | 'pageSize'
>;

export interface SharedInformerFactoryOptions extends CommonOptions {
  /** Stops all informers when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** For informers that do not say otherwise: how often every object is handed out again, milliseconds. @defaultValue 0: never */
  readonly defaultResyncIntervalMs?: number | undefined;
  /** For informers that do not say otherwise: only this namespace. @defaultValue all */
  readonly namespace?: string | undefined;
}

const FACTORY_OPTIONS: readonly (keyof SharedInformerFactoryOptions)[] = [
  'runtime',
  'logger',
  'metrics',
  'onError',
  'backoff',
  'watchList',
  'pageSize',
  'signal',
  'defaultResyncIntervalMs',
  'namespace',
];

export interface InformerForOptions<T extends KubernetesObject>
  extends CollectionOptions,
    Pick<
      SharedIndexInformerOptions<T>,
      'indexers' | 'keyFunc' | 'transform' | 'resyncIntervalMs' | 'order'
    > {}

const FOR_OPTIONS: readonly (keyof InformerForOptions<KubernetesObject>)[] = [
  'namespace',
  'labelSelector',
  'fieldSelector',
  'indexers',
  'keyFunc',
  'transform',
  'resyncIntervalMs',
  'order',
];

/** Options that make another cache; whoever asks for a collection again must mean the same one. */
const FIXED_OPTIONS = ['keyFunc', 'transform', 'resyncIntervalMs', 'order'] as const;

interface Entry {
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly options: InformerForOptions<KubernetesObject>;
  /** The index functions that were asked for, by name. */
  readonly indexers: Map<string, unknown>;
}

/**
 * Shares informers: whoever asks for the same collection gets the same cache, filled by one watch.
 *
 * Guarantees:
 * - An informer asked for after `start` runs at once; nobody waits for one that was never started.
 * - `whenSynced` names what is missing, and why.
 * - An informer that was closed by itself is forgotten; asking again makes a new one.
 *
 * @example
 * await using informers = new SharedInformerFactory(client, { signal });
 * const pods = informers.for<Pod>('v1', 'pods', { indexers: { byNode: (pod) => [pod.spec?.nodeName ?? ''] } });
 * informers.start();
 * await informers.whenSynced({ timeoutMs: 30_000 });
 * @see client-go informers/factory.go @ 32ce75a7
 */
export class SharedInformerFactory implements AsyncDisposable {
  readonly #source: ListerWatcherSource;
  readonly #options: SharedInformerFactoryOptions;
  readonly #runtime: Runtime;
  readonly #abort: DerivedAbort;
  readonly #entries = new Map<string, Entry>();
  readonly #runs = new Set<Promise<void>>();
  #started = false;

  constructor(source: ListerWatcherSource, options: SharedInformerFactoryOptions = {}) {
    rejectUnknownOptions('SharedInformerFactory', options, FACTORY_OPTIONS);
    this.#source = source;
    this.#options = options;
    this.#runtime = options.runtime ?? realRuntime;
    this.#abort = deriveAbort(options.signal);
  }

  /**
   * The informer of a collection, e.g. `for<Deployment>('apps/v1', 'deployments')`. Asked for again, its new indexes are added.
   * @throws {ListwatchError} code CLOSED once the factory is closed; INVALID_OPTION when it exists with another keyFunc,
   * transform, order or resync interval; INDEX_CONFLICT when it has another index function of that name.
   */
  for<T extends KubernetesObject = UnstructuredObject>(
    apiVersion: string,
    resource: string,
    options: InformerForOptions<T> = {},
  ): SharedIndexInformer<T> {
    rejectUnknownOptions('SharedInformerFactory.for', options, FOR_OPTIONS);
    if (this.#abort.signal.aborted) {
      throw new ListwatchError('CLOSED', `no informer of ${resource}: the factory is closed`);
    }
    const { namespace = this.#options.namespace, labelSelector, fieldSelector } = options;
    const collection: CollectionOptions = { namespace, labelSelector, fieldSelector };
    const key = JSON.stringify([
      apiVersion,
      resource,
      namespace ?? '',
      labelSelector ?? '',
      fieldSelector ?? '',
    ]);
    const existing = this.#entries.get(key);
    if (existing !== undefined && existing.informer.phase !== 'stopped') {
      return join(existing, options);
    }
    const informer = this.#make({ apiVersion, resource }, collection, options);
    const entry: Entry = {
      informer: informer as unknown as SharedIndexInformer<KubernetesObject>,
      options: options as unknown as InformerForOptions<KubernetesObject>,
      indexers: new Map<string, unknown>([
        [NAMESPACE_INDEX, metaNamespaceIndexFunc],
        ...Object.entries(options.indexers ?? {}),
      ]),
    };
    this.#entries.set(key, entry);
    informer.events.once('stopped', () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    if (this.#started) this.#run(entry.informer);
    return informer;
  }

  /** Runs all informers, and from now on each one as soon as it is asked for. Calling again is harmless. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const { informer } of this.#entries.values()) this.#run(informer);
  }

  /**
   * Resolves when every informer that has been asked for has its whole list.
   * @throws {ListwatchError} code TIMEOUT, CLOSED or NOT_STARTED naming what is missing; the signal's reason when aborted.
   */
  async whenSynced({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    if (!this.#started) {
      throw new ListwatchError('NOT_STARTED', 'the informers have not been started: call start()');
    }
    const informers = this.informers;
    await withDeadline(
      this.#runtime,
      Promise.all(informers.map((informer) => informer.whenSynced())),
      { timeoutMs, signal, describe: () => describeMissing(informers) },
    );
  }

  /** The informers there are now. */
  get informers(): readonly SharedIndexInformer<KubernetesObject>[] {
    return Array.from(this.#entries.values(), ({ informer }) => informer);
  }

  inspect(): InformerInspection[] {
    return this.informers.map((informer) => informer.inspect());
  }

  /** Stops all informers and resolves when they have ended. Calling again is harmless. */
  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.informers.map((informer) => informer.close()));
    await Promise.all(this.#runs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #make<T extends KubernetesObject>(
    reference: { readonly apiVersion: string; readonly resource: string },
    collection: CollectionOptions,
    options: InformerForOptions<T>,
  ): SharedIndexInformer<T> {
    const { group } = parseApiVersion(reference.apiVersion);
    const { indexers, keyFunc, transform, resyncIntervalMs, order } = options;
    const { runtime, logger, metrics, onError, backoff, watchList, pageSize } = this.#options;
    return new SharedIndexInformer<T>({
      runtime,
      logger,
      metrics,
      onError,
      backoff,
      watchList,
      pageSize,
      listerWatcher: this.#source.listerWatcher<T>(reference, collection),
      subject: { group, resource: reference.resource },
      indexers,
      keyFunc,
      transform,
      resyncIntervalMs: resyncIntervalMs ?? this.#options.defaultResyncIntervalMs,
      order,
    });
  }

  #run(informer: SharedIndexInformer<KubernetesObject>): void {
    const run = informer.run({ signal: this.#abort.signal }).catch((error: unknown) => {
      const { logger, onError } = this.#options;
      const message = `the informer ${informer.name} ended: ${errorMessage(error)}`;
      logger?.error(message, { error });
      onError?.(error, { informer: informer.name, source: 'internal', message });
    });
    this.#runs.add(run);
    void run.finally(() => this.#runs.delete(run));
  }
}

function describeMissing(informers: readonly SharedIndexInformer<KubernetesObject>[]): string {
  const missing = informers.flatMap((informer) => informer.inspect().waitingFor ?? []);
  return `${missing.length} of ${informers.length} informers: ${missing.join('; ')}`;
}

/** What somebody gets who asks for a collection again. */
function join<T extends KubernetesObject>(
  { informer: existing, options, indexers }: Entry,
  asked: InformerForOptions<T>,
): SharedIndexInformer<T> {
  // The type of the objects is what the caller says they are, as with every answer of a server.
  const informer = existing as unknown as SharedIndexInformer<T>;
  for (const option of FIXED_OPTIONS) {
    const wanted: unknown = asked[option];
    if (wanted === undefined || wanted === options[option]) continue;
    throw new ListwatchError(
      'INVALID_OPTION',
      `the informer ${informer.name} exists with another option "${option}"; ask for it with the same one, or make a SharedIndexInformer of your own`,
    );
  }
  const missing = Object.entries(asked.indexers ?? {}).filter(
    ([name, indexFunc]) => indexers.get(name) !== indexFunc,
  );
  informer.indexer.addIndexers(Object.fromEntries(missing));
  for (const [name, indexFunc] of missing) indexers.set(name, indexFunc);
  return informer;
}
