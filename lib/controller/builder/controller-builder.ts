import type { Indexers } from '../../cache/store/indexers.ts';
import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { requireClient } from '../../kernel/options/require-client.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../meta/object-types.ts';
import type { HasMetadata, KubernetesObject, OwnerReference } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { DaemonOptions } from '../helpers/object-daemons.ts';
import type { EveryOptions } from '../helpers/object-timer.ts';
import { HANDLED, type HandledOptions } from '../helpers/handled-state.ts';
import type { TaskDeclarations } from './object-tasks.ts';
import { checkFinalizer } from '../helpers/finalizers.ts';
import type { ObjectChange } from '../change/object-change.ts';
import { passesHeld, specOrMetadataChanged, type Predicate } from '../change/predicates.ts';
import type {
  CleanUp,
  DaemonWork,
  Finalizer,
  ReconcileObject,
  WhenGone,
} from './run/author-functions.ts';
import { Controller } from './controller.ts';
import {
  CONTROLLER,
  type ControllerOptions,
  type FilledControllerOptions,
} from './controller-options.ts';
import type { EventSource } from './source/external-source.ts';
import { mapped, ownersOf, type MapObject, type OwnLookup } from './source/change-mappings.ts';
import { OWNER_INDEX, ownerIndexFunc } from './source/owner-index.ts';
import {
  sourceName,
  type OtherCluster,
  type SourceDeclaration,
} from './source/source-declaration.ts';

/** Which objects of a resource a controller watches, and which of their changes count. */
export interface SourceOptions<T extends KubernetesObject> {
  /**
   * Distinguishes it from other declarations of the resource that select other objects: `context.lister(…, { source: name })`.
   * @defaultValue none
   */
  readonly name?: string | undefined;
  /** E.g. `app=web`. @defaultValue all objects */
  readonly labelSelector?: string | undefined;
  /** Left out changes are no reason to reconcile. @defaultValue every change counts */
  readonly where?: Predicate<T> | undefined;
  /** Its own namespaces; `all` also for a resource without namespaces. @defaultValue those of the controller */
  readonly namespaces?: 'all' | readonly string[] | undefined;
  /** Indexes that `context.byIndex` reads: a function from the object to values. @defaultValue none */
  readonly indexers?:
    | Readonly<Record<string, (object: Stored<T>) => readonly string[]>>
    | undefined;
}

/** Options of `watches`; `Types` are those of the client of another cluster. */
export interface WatchesOptions<T extends KubernetesObject, Types extends object = object>
  extends SourceOptions<T> {
  /** Watches the resource in another cluster. `context.lister(…, { cluster: name })` reads it. @defaultValue the cluster of the controller */
  readonly cluster?: OtherCluster<Types> | undefined;
}

export interface OwnsOptions<T extends KubernetesObject> extends SourceOptions<T> {
  /** Each owner is reconciled, not only the one that is marked as the controller. @defaultValue false */
  readonly anyOwner?: boolean | undefined;
}

const SOURCE = {
  name: is.filledText(),
  labelSelector: is.text(),
  where: is.callback(),
  namespaces: is.rule<'all' | readonly string[]>("'all' or an array of strings", (given) => {
    return given === 'all' || is.texts().accepts(given);
  }),
  indexers: is.object(),
};
const WATCHES = optionsOf<WatchesOptions<KubernetesObject>>()('controller.watches', {
  ...SOURCE,
  cluster: is.object(),
});
const OWNS = optionsOf<OwnsOptions<KubernetesObject>>()('controller.owns', {
  ...SOURCE,
  anyOwner: is.flag().default(false),
});

/** Declares what a controller watches. Each method returns the same builder; `reconcile` ends it. */
export class ControllerBuilder<T extends KubernetesObject, Types extends object = object> {
  readonly #client: Client<Types>;
  readonly #apiVersion: string;
  readonly #resource: string;
  readonly #options: FilledControllerOptions;
  readonly #predicates: Predicate<T>[] = [];
  readonly #others: SourceDeclaration[] = [];
  /** The functions of `watches`. */
  readonly #maps = new Map<SourceDeclaration, unknown>();
  readonly #external: [string, EventSource][] = [];
  readonly #finalizers: Finalizer<T, Types>[] = [];
  readonly #indexers: Record<string, (object: Stored<T>) => readonly string[]> = {};
  readonly #timers: TaskDeclarations<T, Types>['timers'][number][] = [];
  readonly #daemons: TaskDeclarations<T, Types>['daemons'][number][] = [];
  #remembers: HandledOptions | undefined;
  #whenGone: WhenGone<T, Types> | undefined;

  static {
    // For a program in JavaScript that forgets `.reconcile(…)`. Not declared, so that TypeScript refuses the call.
    Object.defineProperty(this.prototype, 'run', {
      value(this: ControllerBuilder<KubernetesObject>): never {
        const name = sourceName({ apiVersion: this.#apiVersion, resource: this.#resource });
        const text = `controller of ${name}: run() before .reconcile(…); end the declaration with it`;
        throw new ListwatchError('INVALID_OPTION', text);
      },
    });
  }

  /** Use `controller(…)`. */
  constructor(
    client: Client<Types>,
    apiVersion: string,
    resource: string,
    options: ControllerOptions,
  ) {
    requireClient('controller', client, 'resource');
    this.#client = client;
    this.#apiVersion = apiVersion;
    this.#resource = resource;
    this.#options = CONTROLLER.read(options);
  }

  /** Reconciles an object when an object that it owns changes. `context.owned` returns those. */
  owns<ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    options?: OwnsOptions<ObjectOf<Types, ApiVersion, Resource>>,
  ): this;
  owns<U extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options?: OwnsOptions<NoInfer<U>>,
  ): this;
  owns<ApiVersion extends string, Resource extends string>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    options?: OwnsOptions<ObjectOf<Types, ApiVersion, Resource>>,
  ): this;
  owns<U extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    options: OwnsOptions<U> = {},
  ): this {
    const { anyOwner, indexers } = OWNS.read(options);
    const wanted = ({ controller }: OwnerReference): boolean => anyOwner || controller === true;
    this.#declare({
      ...declared(options),
      role: 'owned',
      apiVersion,
      resource,
      cluster: undefined,
      informer: informed(options, { [OWNER_INDEX]: ownerIndexFunc, ...indexers }),
      mapping: (own) => (change) => ownersOf(own, change, wanted),
    });
    return this;
  }

  /**
   * Reconciles the objects that `map` returns when an object of this resource changes. After an update it is called for the object before
   * and after it, so that an object that is no longer concerned is reconciled too. A resource may be watched more than once, also the own one:
   * declarations with the same objects share a cache.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  watches<
    ApiVersion extends string,
    Resource extends PluralOf<Others, ApiVersion>,
    Others extends object = Types,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    map: MapObject<ObjectOf<Others, ApiVersion, Resource>>,
    options?: WatchesOptions<ObjectOf<Others, ApiVersion, Resource>, Others>,
  ): this;
  watches<U extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    map: MapObject<NoInfer<U>>,
    options?: WatchesOptions<NoInfer<U>>,
  ): this;
  watches<ApiVersion extends string, Resource extends string, Others extends object = Types>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Others, ApiVersion>>,
    map: MapObject<ObjectOf<Others, ApiVersion, Resource>>,
    options?: WatchesOptions<ObjectOf<Others, ApiVersion, Resource>, Others>,
  ): this;
  watches<U extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    map: MapObject<U>,
    options: WatchesOptions<U> = {},
  ): this {
    if (typeof map !== 'function') {
      const text = `controller.watches: the mapping of ${resource} must be a function, not ${typeof map}`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const { cluster, indexers = {} } = WATCHES.read(options);
    checkCluster(cluster);
    this.#declare(
      {
        ...declared(options),
        role: 'watched',
        apiVersion,
        resource,
        cluster,
        informer: informed(options, indexers),
        mapping: (own) => {
          const lookup: OwnLookup = { byIndex: (index, value) => own.indexKeys(index, value) };
          return (change) => mapped(map, change as ObjectChange<U>, lookup);
        },
      },
      map,
    );
    return this;
  }

  /**
   * Reconciles the objects that a source outside the API server names, such as a queue, a web hook or a poll: keys, or `{ namespace, name }`.
   *
   * @param name says in reasons and in `inspect` what it is
   * @example
   * shops.triggeredBy('payments', async function* ({ signal }) {
   *   for await (const { shop } of payments.listen({ signal })) yield { namespace: 'shops', name: shop };
   * });
   * @throws {ListwatchError} code INVALID_OPTION for a name that is taken.
   */
  triggeredBy(name: string, source: EventSource): this {
    if (this.#external.some(([other]) => other === name)) {
      const text = `controller.triggeredBy: two sources have the name ${JSON.stringify(name)}; give each its own`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    this.#external.push([name, source]);
    return this;
  }

  /**
   * Indexes of the controller's own kind: a mapping of `watches` finds with `byIndex` the objects that are concerned, and so does
   * `context.byIndex`.
   * @example
   * controller(client, 'v1', 'pods')
   *   .indexers({ byNode: ({ spec }) => [spec?.nodeName ?? ''] })
   *   .watches('v1', 'nodes', ({ metadata }, { byIndex }) => byIndex('byNode', metadata.name))
   */
  indexers(indexers: Readonly<Record<string, (object: Stored<T>) => readonly string[]>>): this {
    Object.assign(this.#indexers, indexers);
    return this;
  }

  /**
   * Changes of the own kind that the predicate leaves out are no reason to reconcile. With several, each has to pass a change. Changes of
   * an object that has a finalizer of this controller always pass: its deletion waits for the cleanup.
   */
  where(predicate: Predicate<T>): this {
    this.#predicates.push(predicate);
    return this;
  }

  /**
   * Does work before an object may go. Each object gets the finalizer before its first reconcile; when it is being deleted, `cleanUp`
   * runs instead of the reconcile, until it has succeeded, and then the finalizer is removed. With several, the last one goes first.
   * Option `labelSelector` is refused with it: an object that loses its labels would keep the finalizer. Use `where`.
   *
   * @param name a domain and a word, such as `example.com/cleanup`; two programs must not use one
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  finalizer(name: string, cleanUp: CleanUp<T, Types>): this {
    checkFinalizer(
      name,
      this.#finalizers.map((one) => one.name),
    );
    requireFunction('finalizer', cleanUp);
    this.#finalizers.push({ name, cleanUp });
    return this;
  }

  /**
   * Called for an object that is gone: after its deletion was seen, with its last state, and for a key that never had an object. An object
   * that was deleted while the controller did not run is not reported; work that must not be missed needs a `finalizer`.
   */
  whenGone(whenGone: WhenGone<T, Types>): this {
    requireFunction('whenGone', whenGone);
    this.#whenGone = whenGone;
    return this;
  }

  /**
   * Runs `work` for each object at an interval, beside its reconcile: the first time after a random part of the interval. A result is
   * that of a reconcile; `requeueAfterMs` is the time until the next run, instead of the interval. A run that fails is repeated after a
   * back-off, and one that is `terminal` after the interval. Its writes are no reason to reconcile.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  every(intervalMs: number, work: ReconcileObject<T, Types>, options: EveryOptions = {}): this {
    requireFunction('every', work);
    this.#timers.push({ intervalMs, work, options });
    return this;
  }

  /**
   * Runs a long task for each object, from its creation until it is being deleted: its signal aborts then. One that fails is started
   * again after a pause, see `DaemonOptions`.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  daemon(work: DaemonWork<T, Types>, options: DaemonOptions = {}): this {
    requireFunction('daemon', work);
    this.#daemons.push({ work, options });
    return this;
  }

  /**
   * Keeps what was handled last of each object: `context.handled` says which fields have changed since then.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  remembers(options: HandledOptions = {}): this {
    this.#remembers = HANDLED.read(options);
    return this;
  }

  /**
   * The controller, which begins with `run`.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  reconcile(reconcile: ReconcileObject<T, Types>): Controller<T, Types> {
    requireFunction('reconcile', reconcile);
    const { everyUpdate = false, labelSelector, namespace, namespaces } = this.#options;
    if (namespace !== undefined && namespaces !== undefined) {
      const text = 'controller: give option "namespace" or "namespaces", not both';
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const held = this.#finalizers.map(({ name }) => name);
    if (labelSelector !== undefined && held.length > 0) {
      const name = sourceName({ apiVersion: this.#apiVersion, resource: this.#resource });
      const selector = JSON.stringify(labelSelector);
      const text = `controller of ${name}: option "labelSelector" excludes .finalizer(…), because the deletion of an object that has lost its labels would hang; use .where(withLabels(${selector})) instead`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const byDefault: readonly Predicate[] = everyUpdate ? [] : [specOrMetadataChanged];
    const byAuthor = this.#predicates as unknown as readonly Predicate[];
    const own: SourceDeclaration = {
      role: 'own',
      name: undefined,
      apiVersion: this.#apiVersion,
      resource: this.#resource,
      cluster: undefined,
      namespaces: undefined,
      informer: informed<T>({ labelSelector }, this.#indexers),
      predicates: [...byDefault, ...byAuthor.map((one) => passesHeld(one, held))],
      mapping:
        () =>
        ({ key }) =>
          key,
    };
    const finalizers = this.#finalizers;
    return new Controller({
      client: this.#client,
      apiVersion: this.#apiVersion,
      resource: this.#resource,
      declarations: [own, ...this.#others],
      external: this.#external,
      tasks: { timers: this.#timers, daemons: this.#daemons },
      remembers: this.#remembers,
      functions: { reconcile, finalizers, whenGone: this.#whenGone },
      options: this.#options,
    });
  }

  /** A resource may be watched several times, also the own one, with other objects or another mapping; `map` is that of `watches`. */
  #declare(declaration: SourceDeclaration, map?: unknown): void {
    const resource = sourceName(declaration, declaration.cluster?.name);
    const same = this.#others.filter((one) => sourceName(one, one.cluster?.name) === resource);
    if (map === undefined && same.some(({ role }) => role === 'owned')) {
      const text = `controller.owns: ${resource} is declared twice; declare it once`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const { name } = declaration;
    if (name !== undefined && same.some((one) => one.name === name)) {
      const text = `controller: two declarations of ${resource} have the name ${JSON.stringify(name)}; give each its own`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    if (
      map !== undefined &&
      same.some((one) => this.#maps.get(one) === map && sameScope(one, declaration))
    ) {
      const text = `controller.watches: ${resource} is declared twice with one mapping; declare it once`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    this.#maps.set(declaration, map);
    this.#others.push(declaration);
  }
}

/**
 * Begins a controller of a resource.
 *
 * The objects of built-in resources are typed, and those that the client declares; for others the call names a type:
 * `controller<Widget>(client, 'example.com/v1', 'widgets')`.
 *
 * @example
 * const shops = controller<Shop>(client, 'example.com/v1', 'shops')
 *   .owns('apps/v1', 'deployments')
 *   .reconcile(async (shop, { resource, ownerReference }) => {
 *     const { name } = shop.metadata;
 *     await resource('apps/v1', 'deployments').apply(deploymentOf(shop, ownerReference));
 *     return { status: { message: `runs ${name}` } };
 *   });
 * await shops.run({ signal });
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function controller<
  Types extends object,
  ApiVersion extends string,
  Resource extends PluralOf<Types, ApiVersion>,
>(
  client: Client<Types>,
  apiVersion: ApiVersion,
  resource: Resource,
  options?: ControllerOptions,
): ControllerBuilder<ObjectOf<Types, ApiVersion, Resource>, Types>;
export function controller<
  T extends KubernetesObject = KubernetesObject,
  Plural extends string = string,
>(
  client: Client,
  apiVersion: string,
  resource: OtherPlural<Plural>,
  options?: ControllerOptions,
): ControllerBuilder<NoInfer<T>>;
export function controller<
  Types extends object,
  ApiVersion extends string,
  Resource extends string,
>(
  client: Client<Types>,
  apiVersion: ApiVersion,
  resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
  options?: ControllerOptions,
): ControllerBuilder<ObjectOf<Types, ApiVersion, Resource>, Types>;
export function controller<T extends KubernetesObject>(
  client: Client,
  apiVersion: string,
  resource: string,
  options: ControllerOptions = {},
): ControllerBuilder<T> {
  return new ControllerBuilder<T>(client, apiVersion, resource, options);
}

function requireFunction(method: string, given: unknown): void {
  if (typeof given === 'function') return;
  const text = `controller.${method} must get a function, not ${typeof given}`;
  throw new ListwatchError('INVALID_OPTION', text);
}

/** A cluster without a name could not be distinguished from the others. */
function checkCluster(cluster: OtherCluster | undefined): void {
  if (cluster === undefined) return;
  const { name }: { readonly name?: unknown } = cluster;
  if (typeof name === 'string' && /^[^:/\s]+$/.test(name)) return;
  const text = `controller.watches: option "cluster" must have a name without colon, slash and space, not ${JSON.stringify(name)}`;
  throw new ListwatchError('INVALID_OPTION', text);
}

/** Whether both take the same changes: of the same objects, with the same predicate. */
function sameScope(one: SourceDeclaration, other: SourceDeclaration): boolean {
  const scope = ({ informer, namespaces }: SourceDeclaration): string =>
    JSON.stringify([informer.labelSelector, namespaces]);
  return scope(one) === scope(other) && one.predicates[0] === other.predicates[0];
}

/** A predicate and an index see objects of the resource that they were declared for. */
function declared<U extends KubernetesObject>({
  name,
  where,
  namespaces,
}: SourceOptions<U>): Pick<SourceDeclaration, 'name' | 'namespaces' | 'predicates'> {
  const predicates = where === undefined ? [] : [where as unknown as Predicate];
  return { name, namespaces, predicates };
}

function informed<U extends KubernetesObject>(
  { labelSelector }: Pick<SourceOptions<U>, 'labelSelector'>,
  indexers: object,
): SourceDeclaration['informer'] {
  return { labelSelector, indexers: indexers as Indexers<HasMetadata> };
}
