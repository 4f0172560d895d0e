import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { rejectUnknownOptions } from '../../kernel/options/options.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../meta/object-types.ts';
import type { KubernetesObject, ObjectMeta, OwnerReference } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import { checkFinalizer } from '../helpers/finalizers.ts';
import type { ObjectChange } from '../change/object-change.ts';
import { specOrMetadataChanged, type Predicate } from '../change/predicates.ts';
import type { CleanUp, Finalizer, ReconcileObject, WhenGone } from './author-functions.ts';
import { Controller } from './controller.ts';
import { CONTROLLER_OPTIONS, type ControllerOptions } from './controller-options.ts';
import { OWNER_INDEX, ownerIndexFunc, ownersIn } from './owner-index.ts';
import type { OwnMetadata, SourceDeclaration } from './source-declaration.ts';
import { keysOf, type Targets } from './targets.ts';

/** Which objects of a resource a controller watches, and which of their changes count. */
export interface SourceOptions<T extends KubernetesObject> {
  /** E.g. `app=web`. @defaultValue all objects */
  readonly labelSelector?: string | undefined;
  /** Left out changes are no reason to reconcile. @defaultValue every change counts */
  readonly where?: Predicate<T> | undefined;
}

export interface OwnsOptions<T extends KubernetesObject> extends SourceOptions<T> {
  /** Each owner is reconciled, not only the one that is marked as the controller. @defaultValue false */
  readonly anyOwner?: boolean | undefined;
}

const SOURCE_OPTIONS = ['labelSelector', 'where'];
const OWNS_OPTIONS = [...SOURCE_OPTIONS, 'anyOwner'];

/** Returns the objects to reconcile after a change of another object: keys, names, or nothing. */
export type MapObject<U extends KubernetesObject> = (object: Stored<U>) => Targets;

/** Declares what a controller watches. Each method returns the same builder; `reconcile` ends it. */
export class ControllerBuilder<T extends KubernetesObject, Types extends object = object> {
  readonly #client: Client<Types>;
  readonly #apiVersion: string;
  readonly #resource: string;
  readonly #options: ControllerOptions;
  readonly #predicates: Predicate<T>[] = [];
  readonly #others: SourceDeclaration[] = [];
  readonly #finalizers: Finalizer<T, Types>[] = [];
  #whenGone: WhenGone<T, Types> | undefined;

  /** Use `controller(…)`. */
  constructor(
    client: Client<Types>,
    apiVersion: string,
    resource: string,
    options: ControllerOptions,
  ) {
    rejectUnknownOptions('controller', options, CONTROLLER_OPTIONS);
    this.#client = client;
    this.#apiVersion = apiVersion;
    this.#resource = resource;
    this.#options = options;
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
  owns<U extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    options: OwnsOptions<U> = {},
  ): this {
    rejectUnknownOptions('controller.owns', options, OWNS_OPTIONS);
    const { anyOwner = false, where, labelSelector } = options;
    const wanted = ({ controller }: OwnerReference): boolean => anyOwner || controller === true;
    this.#declare({
      apiVersion,
      resource,
      informer: { labelSelector, indexers: { [OWNER_INDEX]: ownerIndexFunc } },
      predicates: predicatesOf(where),
      mapping: (own) => (change) => ownersOf(own, change, wanted),
    });
    return this;
  }

  /**
   * Reconciles the objects that `map` returns when an object of this resource changes. After an update it is called for the object before
   * and after it, so that an object that is no longer concerned is reconciled too.
   */
  watches<ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    map: MapObject<ObjectOf<Types, ApiVersion, Resource>>,
    options?: SourceOptions<ObjectOf<Types, ApiVersion, Resource>>,
  ): this;
  watches<U extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    map: MapObject<NoInfer<U>>,
    options?: SourceOptions<NoInfer<U>>,
  ): this;
  watches<U extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    map: MapObject<U>,
    options: SourceOptions<U> = {},
  ): this {
    rejectUnknownOptions('controller.watches', options, SOURCE_OPTIONS);
    if (typeof map !== 'function') {
      const text = `controller.watches: the mapping of ${resource} must be a function, not ${typeof map}`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const { where, labelSelector } = options;
    this.#declare({
      apiVersion,
      resource,
      informer: { labelSelector },
      predicates: predicatesOf(where),
      mapping: () => (change) => mapped(map, change as ObjectChange<U>),
    });
    return this;
  }

  /** Changes of the own kind that the predicate leaves out are no reason to reconcile. With several, each has to pass a change. */
  where(predicate: Predicate<T>): this {
    this.#predicates.push(predicate);
    return this;
  }

  /**
   * Does work before an object may go. Each object gets the finalizer before its first reconcile; when it is being deleted, `cleanUp`
   * runs instead of the reconcile, until it has succeeded, and then the finalizer is removed. With several, the last one goes first.
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
   * The controller, which begins with `run`.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  reconcile(reconcile: ReconcileObject<T, Types>): Controller<T, Types> {
    requireFunction('reconcile', reconcile);
    const { everyUpdate = false, labelSelector } = this.#options;
    const byDefault: readonly Predicate[] = everyUpdate ? [] : [specOrMetadataChanged];
    const own: SourceDeclaration = {
      apiVersion: this.#apiVersion,
      resource: this.#resource,
      informer: { labelSelector },
      predicates: [...byDefault, ...(this.#predicates as unknown as readonly Predicate[])],
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
      functions: { reconcile, finalizers, whenGone: this.#whenGone },
      options: this.#options,
    });
  }

  #declare(declaration: SourceDeclaration): void {
    const { apiVersion, resource } = declaration;
    const isSame = (one: { apiVersion: string; resource: string }): boolean =>
      one.apiVersion === apiVersion && one.resource === resource;
    if (
      this.#others.some(isSame) ||
      isSame({ apiVersion: this.#apiVersion, resource: this.#resource })
    ) {
      const text = `controller: ${apiVersion}/${resource} is declared twice; declare each resource once`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
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
 *     await resource('apps/v1', 'deployments').apply(deploymentOf(shop, ownerReference), { fieldManager: 'shops' });
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

/** A predicate sees changes of the resource that it was declared for. */
function predicatesOf<U extends KubernetesObject>(
  where: Predicate<U> | undefined,
): readonly Predicate[] {
  return where === undefined ? [] : [where as unknown as Predicate];
}

function ownersOf(
  own: OwnMetadata,
  { metadata, oldMetadata }: ObjectChange,
  wanted: (owner: OwnerReference) => boolean,
): readonly string[] {
  const owners = (one: ObjectMeta): readonly string[] => ownersIn({ metadata: own }, one, wanted);
  const now = owners(metadata);
  if (oldMetadata === undefined || oldMetadata === metadata) return now;
  return union(owners(oldMetadata), now);
}

function mapped<U extends KubernetesObject>(
  map: MapObject<U>,
  { object, old }: ObjectChange<U>,
): readonly string[] {
  const now = keysOf(map(object));
  return old === undefined || old === object ? now : union(keysOf(map(old)), now);
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
