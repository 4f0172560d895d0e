import type { CauseChange } from '../rules/cause-changes.ts';
import type { DeclaredRules } from '../rules/declared-rules.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import type {
  AttributesFunc,
  ObjectAttributes,
} from '../../storage/contract/selection-predicate.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { GroupVersionKind } from '../../../meta/resource.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import type { WritePolicy } from '../rules/write-policy.ts';
import type { DecodeProblems } from '../typed/decode-problems.ts';
import type { DeclaredSchema, ResourceDescription, TableConvertor } from './rest-storage.ts';
import type { StoreHooks } from './store-hooks.ts';
import type { AddedFields } from '../../../meta/fields/added-fields.ts';
import type { FieldSchema } from '../../../meta/fields/field-schema.ts';
import type { FieldSet } from '../../../meta/fields/field-set.ts';
import { newStrategy, type ResourceStrategy, type UpdateStrategy } from './strategy.ts';
import type { ServerParts, SubresourceFactory } from './subresource-parts.ts';
import type { VersionConversion } from './version-conversion.ts';
import { defaultTable } from './table-columns.ts';

/** Fields that field selectors can use, besides name and namespace. */
export type SelectableFields = Readonly<Record<string, (object: KubernetesObject) => string>>;

/** How a negative number of replicas is refused: the kind, the field and the rule that the answer names. */
export interface NegativeReplicas {
  readonly subject: Pick<GroupVersionKind, 'group' | 'kind'>;
  readonly field: string;
  readonly rule: string;
}

/** The fields of the scale subresource, as paths of property names. */
export interface ScaleDefinition {
  readonly specReplicasPath: readonly string[];
  readonly statusReplicasPath: readonly string[];
  /** Of a `Scale`. */
  readonly table: TableConvertor;
  /** The label selector as text. */
  readonly selectorOf: (object: KubernetesObject) => string;
  /** The 500 of an apply: kube-apiserver cannot convert a `Scale` of a custom resource, named by `what`. */
  readonly refuseApply?: ((what: string) => Error) | undefined;
  /** Whether an object without a number of replicas has no scale that can be read. @defaultValue false */
  readonly requiresReplicas?: boolean | undefined;
  /** @defaultValue the `Scale`, and its `spec.replicas` */
  readonly negativeReplicas?: NegativeReplicas | undefined;
}

/** The type of a kind, as Go declares it. */
export interface KindType {
  /**
   * Reads an object from a client as the type: with its fields only, its defaults, and values in their canonical form. `applied` is the
   * configuration of which the object is the result.
   * @throws {TypedDecodeError} for a text that does not follow the form of its type; other problems go to `problems`.
   */
  read(object: JsonRecord, problems: DecodeProblems, applied?: JsonRecord): JsonRecord;
  /** The zero value of a field of the kind, with its defaults: that of `status` is the status of a new object. */
  zeroOf(field: string): unknown;
  /** The object with the fields that Go writes even when they are not set: without defaults. @defaultValue the object */
  withZeros?(object: JsonRecord): JsonRecord;
}

/** The versions in which managers have fields of objects of one kind. */
export interface FieldVersions {
  /** Whether the versions differ in more than their names. */
  readonly haveOtherForms: boolean;
  /** Undefined for a version into which objects are not converted. */
  schemaOf(apiVersion: string): FieldSchema | undefined;
  /** An object in another version with a schema. */
  convert(object: unknown, from: string, to: string): unknown;
}

/** How the fields of a kind are tracked. */
export interface FieldRules {
  readonly schema: FieldSchema;
  readonly versions: FieldVersions;
  /** An object of the kind in which no field was set. */
  readonly empty: JsonRecord;
  /** The fields that a creation gives to its manager, in the form in which they are written. */
  readonly created: AddedFields<FieldSet>;
  /** Leaves out the fields that an endpoint resets: the object itself, or a subresource. */
  filterOf(subresource: string): (fields: FieldSet) => FieldSet;
}

/** Everything that the registry needs to know about a kind. There are tables of built-in kinds; custom resources create their own. */
export interface KindDefinition extends WritePolicy {
  readonly describe: ResourceDescription;
  /** That of a custom resource is its schema. */
  readonly type?: KindType | undefined;
  /** Prefix of the storage keys of the kind, without the final slash, e.g. `/registry/pods`. */
  readonly keyRoot: string;
  readonly strategy: ResourceStrategy;
  /** Set if there is a status subresource. */
  readonly statusStrategy?: UpdateStrategy | undefined;
  /** Set if there is a scale subresource. */
  readonly scale?: ScaleDefinition | undefined;
  /** The subresources besides `status` and `scale`. */
  readonly newSubresources?: SubresourceFactory | undefined;
  /** How server-side apply merges the fields of a custom kind. @defaultValue by the types of the built-in kinds */
  readonly fieldSchema?: FieldSchema | undefined;
  /** All versions of the kind, where they have other fields in one group. @defaultValue fields have the same names in all versions */
  readonly fieldForms?: (() => readonly KindDefinition[]) | undefined;
  /** Made by `fieldRulesOf` for the first write. */
  fieldRules?: FieldRules | undefined;
  readonly selectableFields: SelectableFields;
  /** The words in which a field selector with another field is refused, for kinds whose words are not those of all. */
  readonly refuseField?: ((field: string) => string) | undefined;
  readonly table: TableConvertor;
  /** Of a custom resource. */
  readonly declared?: DeclaredSchema | undefined;
  /** Whether all objects of a namespace can be deleted with one request. @defaultValue true */
  readonly deletesCollections?: boolean | undefined;
  /** Whether the answer to a completed deletion is the object, not a Status. @defaultValue false */
  readonly returnsDeletedObject?: boolean | undefined;
  /** Objects are removed after this time; undefined: never. */
  readonly ttlSeconds?: number | undefined;
  /** Creates the hooks of a kind with state besides the stored objects, such as an address allocator. */
  readonly newHooks?: ((parts: HookParts) => StoreHooks) | undefined;
  /**
   * Set if the objects are stored in another version than that of the kind; the kind with that version has the same key root.
   * @defaultValue the version of the kind
   */
  readonly storedApiVersion?: string | undefined;
  /** Which causes other versions word in another way. @defaultValue none but those of all kinds */
  readonly causeChanges?: readonly CauseChange[] | undefined;
  /** The rules that are declared with the type, for a refusal. @defaultValue none are */
  readonly declaredRules?: (() => DeclaredRules | undefined) | undefined;
  /** The group that the refusal of an invalid object names. @defaultValue that of the kind */
  readonly invalidGroup?: string | undefined;
  /** Set if the stored version has other fields. The strategies get the stored form. */
  readonly conversion?: VersionConversion | undefined;
  /**
   * Gives a validated object the content of the stored version: without the fields that this version does not have, with its defaults.
   * Changes the object.
   * @defaultValue the stored version has the same content
   */
  readonly storeAs?: ((object: UnstructuredObject) => unknown) | undefined;
}

/** The kind that the refusal of an invalid object names. */
export function invalidSubject({ describe, invalidGroup }: KindDefinition): {
  readonly group: string;
  readonly kind: string;
} {
  const { group, kind } = describe;
  return { group: invalidGroup ?? group, kind };
}

export interface HookParts {
  readonly storage: StorageInterface<UnstructuredObject>;
  readonly keyRoot: string;
  readonly runtime: Runtime;
  /** The objects of another kind; undefined when it is not served. It knows all kinds only after the start. */
  readonly storeOf: ServerParts['storeOf'];
  /** Makes a storage for what is no resource; its keys start with the root and a slash. It is disposed of with the server. */
  readonly storageFor: (
    keyRoot: string,
    describe: Pick<ResourceDescription, 'group' | 'version' | 'kind' | 'resource'>,
  ) => StorageInterface<UnstructuredObject>;
}

export interface KindOptions
  extends Partial<Omit<KindDefinition, 'describe'>>,
    Partial<Pick<ResourceDescription, 'group' | 'version' | 'namespaced' | 'categories'>> {
  readonly kind: string;
  /** Lower-case plural. */
  readonly resource: string;
  readonly shortNames?: readonly string[] | undefined;
}

const NONE: readonly string[] = [];

/** A kind definition with defaults: group core, version v1, namespaced, key root `/registry/RESOURCE`. */
export function defineKind({
  kind,
  resource,
  group = '',
  version = 'v1',
  namespaced = true,
  shortNames = NONE,
  categories = NONE,
  ...rest
}: KindOptions): KindDefinition {
  return {
    keyRoot: `/registry/${resource}`,
    strategy: newStrategy(),
    selectableFields: {},
    table: defaultTable,
    ...rest,
    describe: {
      group,
      version,
      kind,
      resource,
      namespaced,
      shortNames,
      categories,
      singular: kind.toLowerCase(),
      listKind: `${kind}List`,
    },
  };
}

/** The function that reads the labels and fields of an object of a kind for selectors. */
export function attributesFunc({ describe, selectableFields }: KindDefinition): AttributesFunc {
  const own = Object.entries(selectableFields);
  const { namespaced } = describe;
  return (object: KubernetesObject): ObjectAttributes => {
    const { name = '', namespace = '', labels } = object.metadata ?? {};
    const fields: Record<string, string> = { 'metadata.name': name };
    if (namespaced) fields['metadata.namespace'] = namespace;
    for (const [field, read] of own) fields[field] = read(object);
    return { labels, fields };
  };
}
