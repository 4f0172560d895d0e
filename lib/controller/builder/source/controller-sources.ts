import { SharedInformerFactory } from '../../../cache/informer/factory/shared-informer-factory.ts';
import { waitForCacheSync } from '../../../cache/informer/factory/wait-for-cache-sync.ts';
import type { WaitOptions } from '../../../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../../../client/rest/client.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import { NamespaceSet } from '../../../cache/informer/options/namespace-set.ts';
import type { MissingResourcePolicy } from '../../../cache/informer/options/start-failure.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { WriteCause } from '../../../client/rest/request/write-causes.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';
import { ControllerSource, type ControllerSourceOptions } from './controller-source.ts';
import { sourceName, type OwnKind, type SourceDeclaration } from './source-declaration.ts';

type SourceParts = ControllerSourceOptions;

/** The options of a controller that concern its sources; see `ControllerOptions`. */
export interface SourcesOptions {
  readonly informers?: SharedInformerFactory | undefined;
  readonly namespace?: string | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly missingResource?: MissingResourcePolicy | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

export interface ControllerSourcesParts {
  readonly controller: string;
  readonly client: Client;
  /** The controller's own kind first. */
  readonly declarations: readonly SourceDeclaration[];
  readonly options: SourcesOptions;
  /** Of informers that only this controller has. */
  readonly metrics: () => Metrics | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** The common options of all sources. */
  readonly source: Pick<SourceParts, 'ownWrites' | 'priority' | 'enqueue'>;
  /** The own kind only: see `ControllerSourceOptions`. */
  readonly own: Partial<Pick<SourceParts, 'onGone' | 'observe'>>;
  /** An informer has ended before the controller. */
  readonly onEnd: (error: Error) => void;
}

interface MadeFactory {
  readonly client: Client;
  /** Undefined: for all declarations that can share it. */
  readonly scope: string | undefined;
  readonly factory: SharedInformerFactory;
}

/** The sources of one controller, with their informers: of its cluster and of others, of its namespaces while they change. */
export class ControllerSources {
  readonly #parts: ControllerSourcesParts;
  readonly #sources: ControllerSource[] = [];
  /** Informers that only this controller has. */
  readonly #made: MadeFactory[] = [];
  #namespaces: readonly string[] | undefined;
  #closing = false;

  constructor(parts: ControllerSourcesParts) {
    this.#parts = parts;
    this.#namespaces = parts.options.namespaces;
  }

  /** In the order of their declarations: the controller's own kind first. */
  get all(): readonly ControllerSource[] {
    return this.#sources;
  }

  /** The declarations of a resource, by its name as in reasons. */
  of(resource: string): readonly ControllerSource[] {
    return this.#sources.filter((source) => source.resource === resource);
  }

  /** The source of the controller's own kind. */
  get own(): ControllerSource | undefined {
    return this.#sources[0];
  }

  /** The write of a client of the controller that has made a change. */
  writeOf(reason: ReconcileReason): WriteCause | undefined {
    if (reason.resource === undefined) return undefined;
    return this.#sources.find(({ resource }) => resource === reason.resource)?.writeOf(reason);
  }

  /** Writes of these clients so far. One that several sources have is counted several times. */
  get writes(): number {
    let writes = 0;
    for (const source of this.#sources) writes += source.writes;
    return writes;
  }

  /** Lists after breaks of watches. An update that a list has found may contain changes of others besides an own write. */
  get relists(): number {
    let relists = 0;
    for (const source of this.#sources) relists += source.relists;
    return relists;
  }

  /** @throws {ListwatchError} code INVALID_OPTION for a cluster that no source is in. */
  clientOf(name: string): Client {
    const { declarations, controller } = this.#parts;
    const found = declarations.find(({ cluster }) => cluster?.name === name)?.cluster;
    if (found !== undefined) return found.client;
    const text = `${controller} watches nothing in a cluster ${JSON.stringify(name)}: name it in option "cluster" of .watches`;
    throw new ListwatchError('INVALID_OPTION', text);
  }

  /** Whether an object of this namespace is one of the controller; a cluster-scoped object has none. */
  watches(namespace: string | undefined): boolean {
    if (this.#namespaces === undefined || namespace === undefined || namespace === '') return true;
    return this.#namespaces.includes(namespace);
  }

  /** Acquires and starts the informers. @throws {ListwatchError} code INVALID_OPTION when a shared informer has other options. */
  open(): void {
    for (const declaration of this.#parts.declarations) this.#open(declaration);
    const { informers } = this.#parts.options;
    const shared = this.#parts.declarations.map(({ cluster }) => cluster?.informers);
    const made = this.#made.map(({ factory }) => factory);
    for (const factory of new Set([informers, ...shared, ...made])) {
      factory?.start();
    }
  }

  /** Passes on all objects again, as those that exist at the start. */
  replay(): void {
    for (const source of this.#sources) source.replay();
  }

  /** @throws {CacheSyncError} see `waitForCacheSync`. */
  async whenSynced({ timeoutMs, signal }: WaitOptions): Promise<void> {
    const { runtime, logger } = this.#parts;
    const registrations = this.#sources.map(({ registration }) => registration);
    await waitForCacheSync(registrations, { timeoutMs, signal, runtime, logger });
  }

  /** The sources that are not synced, as text. */
  get missing(): readonly string[] {
    return this.#sources.flatMap(({ registration }) =>
      registration.synced ? [] : [registration.waitingFor ?? registration.name],
    );
  }

  /** See `Controller`. */
  async setNamespaces(namespaces: readonly string[], options: WaitOptions): Promise<void> {
    const { controller, declarations } = this.#parts;
    if (this.#namespaces === undefined) {
      const text = `${controller}: setNamespaces: it watches one namespace, or all; make it with option "namespaces"`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    // Refused names must change nothing.
    const { names } = new NamespaceSet(`${controller}: setNamespaces`, namespaces);
    this.#namespaces = names;
    const followers = this.#sources.filter((_, at) => declarations[at]?.namespaces === undefined);
    const informers = new Set(followers.map(({ lease }) => lease.informer));
    const changes = Array.from(informers, (informer) => informer.setNamespaces(names, options));
    await Promise.all(changes);
  }

  /** Releases the informers; those without another lease end. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#sources.map(({ lease }) => lease.close()));
    await Promise.all(this.#made.map(({ factory }) => factory.close()));
  }

  #open(declaration: SourceDeclaration): void {
    const { controller, logger, runtime, source, own, declarations } = this.#parts;
    const { apiVersion, resource, role, name, cluster, predicates } = declaration;
    const { causes } = cluster?.client ?? this.#parts.client;
    causes.keep();
    // To wait is what informers do by default; naming it would refuse a shared informer that was made without it.
    const fails = this.#parts.options.missingResource === 'fail';
    const missingResource = fails ? 'fail' : undefined;
    const informed = {
      missingResource,
      ...this.#scope(declaration),
      ...declaration.informer,
    } as const;
    const lease = this.#factory(declaration).acquire(apiVersion, resource, informed);
    const follows = declaration.namespaces === undefined;
    const made = new ControllerSource({
      ...source,
      ...(declaration === declarations[0] ? own : {}),
      resource: sourceName(declaration, cluster?.name),
      role,
      name,
      lease,
      causes,
      predicates,
      map: declaration.mapping(this.#ownKind),
      isWatched: (namespace) => !follows || this.watches(namespace),
      controller,
      logger,
      runtime,
    });
    this.#sources.push(made);
    const { informer } = lease;
    const onStopped = (): void => {
      if (!this.#closing) this.#parts.onEnd(informer.failure ?? closed(controller, informer.name));
    };
    informer.events.once('stopped', onStopped);
    onAbort(lease.signal, () => informer.events.off('stopped', onStopped));
  }

  #scope({ namespaces }: SourceDeclaration): { namespace?: string; namespaces?: string[] } {
    if (namespaces === 'all') return { namespace: '' };
    const several = namespaces ?? this.#namespaces;
    if (several !== undefined) return { namespaces: [...several] };
    const { namespace } = this.#parts.options;
    return namespace === undefined ? {} : { namespace };
  }

  #factory(declaration: SourceDeclaration): SharedInformerFactory {
    const { options, client: own, controller: name } = this.#parts;
    const { cluster } = declaration;
    const client = cluster?.client ?? own;
    const shared = cluster === undefined ? options.informers : cluster.informers;
    if (shared !== undefined) return shared;
    const scope = this.#ownScope(declaration);
    const present = this.#made.find((one) => one.client === client && one.scope === scope);
    if (present !== undefined) return present.factory;
    const { runtime, logger } = options;
    const metrics = this.#parts.metrics();
    const factory = new SharedInformerFactory(client, {
      name: scope ?? name,
      runtime,
      logger,
      metrics,
      // A run that follows a state of the past undoes what the process before this one has done.
      firstList: 'newest',
    });
    this.#made.push({ client, scope, factory });
    return factory;
  }

  /**
   * A factory has one informer for the several namespaces of a resource, because they may change. A declaration with other ones than an earlier
   * one of the same resource needs a factory of its own, which this names.
   */
  #ownScope(declaration: SourceDeclaration): string | undefined {
    const { declarations, controller } = this.#parts;
    const named = (one: SourceDeclaration): string => sourceName(one, one.cluster?.name);
    const several = (one: SourceDeclaration): string | undefined => {
      const { namespaces } = this.#scope(one);
      if (namespaces === undefined) return undefined;
      return one.namespaces === undefined ? 'followed' : namespaces.toSorted().join(',');
    };
    const scope = several(declaration);
    const first = declarations.find((one) => named(one) === named(declaration));
    if (scope === undefined || first === undefined || several(first) === scope) return undefined;
    return `${controller}: ${scope}`;
  }

  readonly #ownKind: OwnKind = {
    metadata: (key) => this.own?.lease.informer.indexer.metadata(key),
    indexKeys: (index, value) => this.own?.lease.informer.indexer.indexKeys(index, value) ?? [],
  };
}

function closed(controller: string, informer: string): ListwatchError {
  const text = `the controller ${controller} ends: its informer ${informer} was closed; close the controller before the informers that it shares`;
  return new ListwatchError('CLOSED', text);
}
