import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Latch } from '../../kernel/time/latch.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { metaNamespaceKeyFunc } from '../../meta/key.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { DeltaFIFO } from '../delta/delta-fifo.ts';
import type { WaitOptions } from '../informer/handlers/handler-registration.ts';
import type { ErrorReporter } from '../informer/observe/error-reporter.ts';
import type { CollectionInspection } from '../informer/observe/informer-inspection.ts';
import type { ResolvedInformerOptions } from '../informer/options/informer-options.ts';
import type { ObjectMemory } from '../memory/object-memory.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../reflector/contract/received-objects.ts';
import type { ReflectorSink } from '../reflector/contract/reflector-sink.ts';
import { MIN_WATCH_TIMEOUT_MS } from '../reflector/options/reflector-options.ts';
import type { ReflectorTransition } from '../reflector/options/reflector-report.ts';
import { Reflector } from '../reflector/reflector.ts';
import { startResync } from '../reflector/resync-timer.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import type { CollectionUser } from './collection-user.ts';
import { NamespaceReflectors } from './namespaces/namespace-reflectors.ts';
import { askedBy } from './received-collection.ts';
import type { WarmStart } from './warm/warm-start.ts';
import { WarmStarter } from './warm/warm-starter.ts';

/** A collection, as its feed needs it. */
export interface FedCollection<T extends KubernetesObject> {
  readonly options: ResolvedInformerOptions<T>;
  readonly errors: ErrorReporter;
  readonly metrics: Metrics;
  readonly store: ThreadSafeStore<ObjectView<T>>;
  readonly fifo: DeltaFIFO<ObjectView<T>>;
  readonly sink: ReflectorSink<ObjectView<T>>;
  readonly memory: ObjectMemory<ObjectView<T>>;
  readonly users: Iterable<CollectionUser<T>>;
  /** Its objects as they were received; of one namespace, if it has several. */
  received(namespace?: string): ReceivedObjects<ObjectView<T>>;
  /** The content that comes next is of an earlier run: the collection does not count as synced until `confirm`. */
  hold(): void;
  confirm(): void;
  /** A namespace has got something, or is no longer followed. */
  noteProgress(): void;
}

const COLD = { resumeFrom: '', onMoved: (): void => {} };

/** Fills a collection: its source with its decorators, one reflector or one for each namespace, and a warm start. */
export class CollectionFeed<T extends KubernetesObject> {
  readonly #collection: FedCollection<T>;
  /** With option `namespaces`, in place of the reflector. */
  readonly #namespaces: NamespaceReflectors<ObjectView<T>> | undefined;
  #reflector: Reflector<ObjectView<T>>;
  #intercept = (source: ListerWatcher<ObjectView<T>>): ListerWatcher<ObjectView<T>> => source;
  #resync: Pick<CollectionUser<T>, 'resyncIntervalMs' | 'resyncDue'> | undefined;
  #warm: WarmStarter<T> | undefined;
  #keeping: Promise<void> | undefined;

  constructor(collection: FedCollection<T>) {
    this.#collection = collection;
    const { options, sink } = collection;
    this.#reflector = this.#makeReflector(options.listerWatcher, sink);
    this.#namespaces = this.#makeNamespaces();
  }

  /** Before it runs: it reads through another source. */
  intercept(wrap: (source: ListerWatcher<ObjectView<T>>) => ListerWatcher<ObjectView<T>>): void {
    this.#intercept = wrap;
  }

  /** The newest resource version received. */
  get lastSyncResourceVersion(): string {
    return this.#followed.lastSyncResourceVersion;
  }

  /** The newest version that was received of a namespace. */
  versionOf(namespace: string): string {
    return this.#namespaces?.versionOf(namespace) ?? '';
  }

  /** The present step, as text: an outage, the namespaces without a first list, or the state of the reflector. */
  get situation(): {
    readonly text: string;
    readonly isOutage: boolean;
    readonly isState: boolean;
  } {
    const { waitingFor } = this.#followed;
    const missing = this.#namespaces?.missing;
    const reason = waitingFor ?? missing;
    const text = reason === undefined ? ` (${this.#stateName})` : `; ${reason}`;
    return { text, isOutage: waitingFor !== undefined, isState: reason === undefined };
  }

  inspect(): Pick<
    CollectionInspection,
    | 'reflector'
    | 'connected'
    | 'waitingForServer'
    | 'lastSyncResourceVersion'
    | 'staleEvents'
    | 'namespaces'
  > {
    const { connected, waitingFor, lastSyncResourceVersion, staleEvents } = this.#followed;
    const namespaces = this.#namespaces?.inspect();
    return {
      reflector: this.#stateName,
      connected,
      waitingForServer: waitingFor,
      lastSyncResourceVersion,
      staleEvents,
      ...(namespaces === undefined ? {} : { namespaces }),
    };
  }

  /** A list with this scope is in the store. */
  applied(scope: string): void {
    this.#namespaces?.applied(scope);
  }

  /** Follows the collection until the signal aborts. `first`: the user that has started it. */
  async run(first: CollectionUser<T>, signal: AbortSignal): Promise<void> {
    const { options, sink } = this.#collection;
    this.#resync = first;
    const { warmStart } = options;
    const warm = warmStart && this.#makeWarmStarter(warmStart);
    this.#warm = warm;
    const source = this.#chain(options.listerWatcher, this.#collection.received());
    const from = (await warm?.begin(source, signal)) ?? '';
    this.#keeping = warm?.keep(signal);
    // The handlers have determined the interval of resyncs by now.
    this.#reflector = this.#makeReflector(source, warm?.sink ?? sink, options.name, {
      resumeFrom: from,
      onMoved: () => warm?.moved(),
    });
    await this.#followed.run({ signal });
  }

  /** The collection no longer changes: it is saved once more. */
  async finish(): Promise<void> {
    await this.#keeping;
    await this.#warm?.last();
  }

  /**
   * Follows the namespaces of the option from now on; resolves when the first lists of the new ones are in the store.
   * @throws as `untilOpen`, and CLOSED when `stopped` opens first
   */
  async namespacesChanged(
    stopped: Latch,
    options: WaitOptions,
    situation: () => string,
  ): Promise<void> {
    this.#namespaces?.follow();
    const { runtime, name } = this.#collection.options;
    for (const latch of this.#namespaces?.synced ?? []) {
      await untilOpen(runtime, [latch, stopped], {
        ...options,
        describe: () => `${latch.name} of ${name}${situation()}`,
      });
      if (latch.isOpen) continue;
      const text = `the informer ${name} stopped before it had the ${latch.name}`;
      throw new ListwatchError('CLOSED', text);
    }
  }

  get #followed(): NamespaceReflectors<ObjectView<T>> | Reflector<ObjectView<T>> {
    return this.#namespaces ?? this.#reflector;
  }

  get #stateName(): CollectionInspection['reflector'] {
    return this.#namespaces?.stateName ?? this.#reflector.state.name;
  }

  /** The decorators around a source, in the order that `ListerWatcher` documents. */
  #chain(
    given: ListerWatcher<ObjectView<T>>,
    cache: ReceivedObjects<ObjectView<T>>,
  ): ListerWatcher<ObjectView<T>> {
    const decorate = this.#warm?.decorator;
    const decorated = decorate && (given.supports?.decorated?.(decorate) ?? decorate(given));
    const source = this.#intercept(decorated ?? given);
    return this.#hasKeysOfNames ? askedBy<T>(cache, source) : source;
  }

  /** A source finds objects by name, so it gets the cache of a collection whose keys are made of names. */
  get #hasKeysOfNames(): boolean {
    return this.#collection.options.keyFunc === metaNamespaceKeyFunc;
  }

  #makeWarmStarter(warmStart: WarmStart): WarmStarter<T> {
    const { options, memory, store, sink, errors } = this.#collection;
    const { runtime, projection, reflector, listerWatcher } = options;
    return new WarmStarter<T>({
      warmStart,
      collection: {
        description: listerWatcher.description,
        resource: listerWatcher.resource,
        fields: projection?.paths,
      },
      cache: this.#hasKeysOfNames ? this.#collection.received() : undefined,
      sink,
      memory,
      store,
      runtime,
      minWatchTimeoutMs: reflector.minWatchTimeoutMs ?? MIN_WATCH_TIMEOUT_MS,
      report: (error) => errors.report(error, { source: 'warm-start' }),
      hold: () => this.#collection.hold(),
      confirm: () => this.#collection.confirm(),
    });
  }

  #makeNamespaces(): NamespaceReflectors<ObjectView<T>> | undefined {
    const { options, fifo, sink, errors } = this.#collection;
    const { namespaces, inNamespace, runtime, name, listerWatcher } = options;
    if (namespaces === undefined) return undefined;
    return new NamespaceReflectors<ObjectView<T>>({
      namespaces,
      fifo,
      reflectorOf: (namespace, namespaceSink) => {
        const source = inNamespace?.(namespace) ?? listerWatcher;
        const chain = this.#chain(source, this.#collection.received(namespace));
        return this.#makeReflector(chain, namespaceSink, `${name}/${namespace}`);
      },
      onArrival: () => this.#collection.noteProgress(),
      startResync: () =>
        startResync({ runtime, sink, ...this.#resyncOptions }, (error) => {
          errors.report(error, { source: 'internal' });
        }),
    });
  }

  get #resyncOptions(): { resyncIntervalMs: number; shouldResync: () => boolean } {
    const resync = this.#resync;
    return {
      resyncIntervalMs: resync?.resyncIntervalMs ?? 0,
      shouldResync: () => resync?.resyncDue() === true,
    };
  }

  #makeReflector(
    listerWatcher: ListerWatcher<ObjectView<T>>,
    sink: ReflectorSink<ObjectView<T>>,
    name: string = this.#collection.options.name,
    warm: { readonly resumeFrom: string; readonly onMoved: () => void } = COLD,
  ): Reflector<ObjectView<T>> {
    const { options, metrics, users } = this.#collection;
    const { keyFunc, reflector, runtime, logger } = options;
    const takers = new WeakMap<CollectionUser<T>, (transition: ReflectorTransition) => void>();
    let listed = false;
    return new Reflector<ObjectView<T>>({
      ...reflector,
      ...this.#resyncOptions,
      listerWatcher,
      sink,
      name,
      keyFunc,
      runtime,
      logger,
      metrics,
      resumeFrom: warm.resumeFrom,
      onError: (error, context) => {
        for (const user of users) user.watchError(error, context);
      },
      onTransition: (transition) => {
        warm.onMoved();
        for (const user of users) {
          const take = takers.get(user) ?? user.transitions(listed);
          takers.set(user, take);
          take(transition);
        }
        listed ||= transition.to === 'watching';
      },
    });
  }
}
