import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceSubresourceScale,
} from '../../types/built-in/apiextensions-v1-kinds.ts';
import { schemaDocument } from './schema-document.ts';
import type { InferSchema, SchemaInput } from './schema-input.ts';
import { structuralSchema } from './structural-schema.ts';

/** One version of a custom resource. */
export interface VersionOptions<
  Spec extends SchemaInput = SchemaInput,
  Status extends SchemaInput = SchemaInput,
> {
  /** A schema of zod, of typebox, or a JSON schema. */
  readonly spec: Spec;
  /** Makes the subresource `status` too. @defaultValue no status */
  readonly status?: Status | undefined;
  /** Whether objects are stored in this version; exactly one of several has it. @defaultValue true for the only one */
  readonly storage?: boolean | undefined;
  /** @defaultValue true */
  readonly served?: boolean | undefined;
  /** Clients are warned that they use it, with this text if it is one. @defaultValue false */
  readonly deprecated?: boolean | string | undefined;
  /** The columns of `kubectl get`. @defaultValue the age */
  readonly columns?: readonly CustomResourceColumnDefinition[] | undefined;
  /** Paths of the subresource `scale`. @defaultValue none */
  readonly scale?: CustomResourceSubresourceScale | undefined;
  /** JSON paths by which field selectors may choose, e.g. `.spec.color`. @defaultValue none */
  readonly selectableFields?: readonly string[] | undefined;
}

export interface DefineResourceOptions<
  Group extends string = string,
  Plural extends string = string,
  Versions extends Readonly<Record<string, VersionOptions>> = Readonly<
    Record<string, VersionOptions>
  >,
> {
  /** A DNS name of at least two parts, e.g. `shop.example.com`. */
  readonly group: Group;
  /** E.g. `Coupon`. */
  readonly kind: string;
  /** E.g. `coupons`. */
  readonly plural: Plural;
  /** @defaultValue the kind in lower case */
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  /** @defaultValue 'Namespaced' */
  readonly scope?: 'Namespaced' | 'Cluster' | undefined;
  /** By their names, e.g. `v1`. */
  readonly versions: Versions;
}

/** An object of a version, typed by its schemas. */
export interface DefinedObject<Spec, Status> extends KubernetesObject {
  readonly spec: Spec;
  readonly status?: Status | undefined;
}

type StatusIn<Version> = Version extends { readonly status: infer Status }
  ? InferSchema<Status>
  : undefined;

type SpecIn<Version> = Version extends { readonly spec: infer Spec } ? InferSchema<Spec> : unknown;

/** The types of the objects of a definition by API version and plural, as `Client`, `connect` and `controller` take them. */
export type DefinedTypes<Group extends string, Plural extends string, Versions> = {
  [Version in keyof Versions & string as `${Group}/${Version}/${Plural}`]: DefinedObject<
    SpecIn<Versions[Version]>,
    StatusIn<Versions[Version]>
  >;
};

/** A custom resource: its manifest, and the types of its objects. */
export interface ResourceDefinition<Types extends object> {
  /** The CustomResourceDefinition, for `client.applyAll`. */
  readonly manifest: CustomResourceDefinition & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
  };
  /** Exists only for the compiler. */
  readonly types?: Types;
}

/**
 * The types of a definition: `connect<TypesOf<typeof coupons>>()`; of several: `TypesOf<typeof coupons> & TypesOf<typeof shops>`.
 */
export type TypesOf<Definition> =
  Definition extends ResourceDefinition<infer Types extends object> ? Types : never;

const OWNER = 'defineResource';
const RESOURCE = optionsOf<DefineResourceOptions>()(OWNER, {
  group: is.openRule<string>('a DNS name such as "shop.example.com"', (given) => {
    return typeof given === 'string' && GROUP_NAME.test(given);
  }).required,
  kind: is.text().required,
  plural: is.text().required,
  singular: is.text(),
  shortNames: is.texts(),
  categories: is.texts(),
  scope: is.oneOf('Namespaced', 'Cluster').default('Namespaced'),
  versions: is.object().required,
});
const list = is.rule<readonly unknown[]>('an array', Array.isArray);
const VERSION = optionsOf<VersionOptions>()(OWNER, {
  spec: is.anything().required,
  status: is.anything(),
  storage: is.flag(),
  served: is.flag().default(true),
  deprecated: is.anything(),
  columns: list,
  scale: is.object(),
  selectableFields: is.texts(),
});
const VERSION_NAME = /^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/;
const GROUP_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/**
 * A custom resource from schemas in code, so that the types of a program and the schema of the server are one.
 *
 * Of a schema, the values as they are written count: fields with a default are optional, and refinements and transformations of zod are left
 * out. What a structural schema cannot say is refused, with the field and the remedy. Fields that the schema does not have are removed by
 * API servers, whether it is strict or not; `z.looseObject`, and `additionalProperties: true`, keep them.
 *
 * @example
 * const coupons = defineResource({
 *   group: 'shop.example.com',
 *   kind: 'Coupon',
 *   plural: 'coupons',
 *   versions: { v1: { spec: z.object({ percent: z.int().min(0).max(100) }) } },
 * });
 * await using client = await connect<TypesOf<typeof coupons>>();
 * await client.applyAll([coupons.manifest]);
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function defineResource<
  const Group extends string,
  const Plural extends string,
  const Versions extends Readonly<Record<string, VersionOptions>>,
>(
  options: DefineResourceOptions<Group, Plural, Versions>,
): ResourceDefinition<DefinedTypes<Group, Plural, Versions>> {
  const read = RESOURCE.read(options);
  const { group, kind, plural, singular, shortNames, categories, scope } = read;
  const versions = Object.entries<VersionOptions>(read.versions);
  checkVersions(versions);
  return {
    manifest: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope,
        names: {
          kind,
          plural,
          singular: singular ?? kind.toLowerCase(),
          listKind: `${kind}List`,
          ...(shortNames && { shortNames: [...shortNames] }),
          ...(categories && { categories: [...categories] }),
        },
        versions: versions.map(([name, version]) =>
          versionOf(name, version, versions.length === 1),
        ),
      },
    },
  };
}

function checkVersions(
  versions: readonly (readonly [name: string, version: VersionOptions])[],
): void {
  for (const [name, version] of versions) {
    VERSION.read(version, `${OWNER}: version ${name}`);
    if (!VERSION_NAME.test(name)) {
      invalid(`a version must have a name such as v1 or v1beta1, not ${JSON.stringify(name)}`);
    }
  }
  const stored = versions.filter(([, { storage }]) => storage === true).map(([name]) => name);
  if (versions.length === 1 && stored.length === 0 && versions[0]?.[1].storage !== false) return;
  if (stored.length === 1) return;
  const found = stored.length === 0 ? 'none has' : `${stored.join(' and ')} have`;
  invalid(`one version must have storage: true, but ${found}`);
}

function versionOf(name: string, version: VersionOptions, isOnly: boolean) {
  const { spec, status, storage = isOnly, served = true, deprecated = false } = version;
  const { columns, scale, selectableFields } = version;
  const schemaOf = (schema: SchemaInput, field: string) =>
    structuralSchema(schemaDocument(schema, `${OWNER}: ${name} ${field}`), `${name} ${field}`);
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: schemaOf(spec, 'spec'),
    ...(status && { status: schemaOf(status, 'status') }),
  };
  const subresources = { ...(status && { status: {} }), ...(scale && { scale }) };
  return {
    name,
    served,
    storage,
    ...(deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties } },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns && { additionalPrinterColumns: [...columns] }),
    ...(selectableFields && {
      selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
    }),
  };
}

function invalid(text: string): never {
  throw new ListwatchError('INVALID_OPTION', `${OWNER}: ${text}`);
}
