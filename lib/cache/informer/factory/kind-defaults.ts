import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { rejectUnknownOptions } from '../../../kernel/options/options.ts';
import type { CollectionOptions, ResourceName } from '../../../meta/collection-options.ts';
import type { Projection } from '../../../meta/json/field-path.ts';
import type { ObjectOf } from '../../../meta/object-types.ts';
import type { PartialObjectMetadata } from '../../../meta/partial-object-metadata.ts';

/** The options of the informers of one resource, unless a call says otherwise. */
export interface KindOptions extends CollectionOptions {
  /** Several namespaces; see `SharedIndexInformerOptions`. */
  readonly namespaces?: readonly string[] | undefined;
  /** Keeps only these fields; see `SharedIndexInformerOptions`. */
  readonly fields?: readonly string[] | undefined;
}

/** By resource, such as `v1/secrets` or `apps/v1/deployments`. */
export type KindDefaults = Readonly<Record<string, KindOptions>>;

/** The objects in the cache of a resource: reduced as its defaults say. */
export type CachedOf<
  Types extends object,
  Kinds extends object,
  ApiVersion extends string,
  Resource extends string,
> = `${ApiVersion}/${Resource}` extends keyof Kinds
  ? Kinds[`${ApiVersion}/${Resource}`] extends { readonly metadataOnly: true }
    ? PartialObjectMetadata
    : Kinds[`${ApiVersion}/${Resource}`] extends { readonly fields: readonly (infer Path)[] }
      ? Projection<ObjectOf<Types, ApiVersion, Resource>, Path & string>
      : ObjectOf<Types, ApiVersion, Resource>
  : ObjectOf<Types, ApiVersion, Resource>;

const KIND_OPTIONS: readonly (keyof KindOptions)[] = [
  'namespace',
  'namespaces',
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'metadataOnly',
  'fields',
];

/** @throws {ListwatchError} code INVALID_OPTION naming the resource. */
export function checkKindDefaults(kinds: KindDefaults): void {
  for (const [kind, options] of Object.entries(kinds)) {
    if (!/^(?:[^/\s]+\/)?[^/\s]+\/[^/\s]+$/.test(kind)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `SharedInformerFactory: option "kinds" has ${JSON.stringify(kind)}, which is no resource such as "v1/secrets"`,
      );
    }
    rejectUnknownOptions(`SharedInformerFactory: kinds["${kind}"]`, options, KIND_OPTIONS);
  }
}

/** The options of a call, completed: first by the defaults of the resource, then by those of the factory. */
export function withKindDefaults<O extends KindOptions>(
  { apiVersion, resource }: ResourceName,
  asked: O,
  kinds: KindDefaults,
  namespace: string | undefined,
): O {
  const kind = `${apiVersion}/${resource}`;
  const defaults: KindOptions = Object.hasOwn(kinds, kind) ? (kinds[kind] ?? {}) : {};
  const given = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined),
  ) as O;
  // A call for one namespace is not one for several, and the other way round.
  const { namespace: _one, namespaces: _several, ...rest } = defaults;
  const places = 'namespace' in given || 'namespaces' in given ? {} : placesOf(defaults, namespace);
  if (given.namespace !== undefined && given.namespaces !== undefined) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `SharedInformerFactory: ${kind} is asked for with "namespace" and "namespaces"; give one of them`,
    );
  }
  return { ...rest, ...places, ...given };
}

function placesOf({ namespace, namespaces }: KindOptions, all: string | undefined): KindOptions {
  if (namespaces !== undefined) return { namespaces };
  const one = namespace ?? all;
  return one === undefined ? {} : { namespace: one };
}
