import { badRequest, internalError, invalid, notFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { DerivedObject } from './rules/derived-object.ts';
import { timestampOf } from './rules/duration.ts';
import { fieldInvalid } from './rules/field-causes.ts';
import type { GenericRegistryStore } from './generic-registry-store.ts';
import {
  isRecord,
  jsonEqual,
  setOwn,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import {
  defineKind,
  type NegativeReplicas,
  type ScaleDefinition,
  type KindType,
} from './contract/kind-definition.ts';
import { checkNameOfUrl } from './rules/name-validation.ts';
import { toMutableObject } from './rules/mutable-object.ts';
import {
  trackUpdate,
  fieldsOfScale,
  fieldsOfScaled,
  type ScaledFields,
} from './managed-fields/field-manager.ts';
import { typedBody } from './writes/typed-body.ts';
import { admittedBody } from './writes/admitted-body.ts';
import { writtenOptions } from './writes/write-admission.ts';
import { appliedTo, plainFailure } from './writes/apply-object.ts';
import { fieldWriteOf, type TrackedParts } from './writes/track-fields.ts';
import { apiVersionOf } from '../../meta/resource.ts';
import type {
  ApplyOptions,
  ReadOptions,
  RequestContext,
  ResourceDescription,
  RestStorage,
  TableConvertor,
  UpdateFunc,
  WriteOptions,
  WriteResult,
} from './contract/rest-storage.ts';
import type { UpdateAnswer } from './writes/update-object.ts';
import { builtInTypes } from '../../meta/types/built-in-types.ts';
import { DecodeProblems } from './typed/decode-problems.ts';
import { TypeReaders, type TypeReader } from './typed/type-reader.ts';

/** The type of a Scale, looked up when the first one is read. */
class ScaleType implements KindType {
  readonly #readers = new TypeReaders(new Map());
  #reader: TypeReader | undefined;

  read(object: JsonRecord, problems: DecodeProblems): JsonRecord {
    return this.#known().read(object, problems);
  }

  zeroOf(field: string): unknown {
    const found = this.#known().message.byName.get(field);
    if (found?.message === undefined) return undefined;
    return this.#readers.of(found).read({}, new DecodeProblems());
  }

  #known(): TypeReader {
    this.#reader ??= this.#readers.ofMessage(builtInTypes().get('autoscaling.Scale'));
    return this.#reader;
  }
}

const scaleType: KindType = new ScaleType();

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;
const SCALE_KIND = defineKind({ ...SCALE, resource: 'scales' });
const SCALE_BODY = { kind: { ...SCALE_KIND, type: scaleType } } as const;
/** The scaled object is made from the stored one: its managers are known, and only the body of the scale can have faults. */
const DERIVED = { applied: true, isDerived: true } as const;
const REPLICAS = ['spec', 'replicas'] as const;
const NEGATIVE_REPLICAS: NegativeReplicas = {
  subject: SCALE,
  field: 'spec.replicas',
  rule: 'must be greater than or equal to 0',
};

interface ScaleUpdate {
  readonly scale: UnstructuredObject;
  readonly live: UnstructuredObject;
  readonly options: WriteOptions;
}

/** `/scale` of a resource: its number of replicas as an `autoscaling/v1` Scale, from the field that the kind defines. */
export class ScaleREST implements RestStorage {
  readonly describe: ResourceDescription;
  readonly table: TableConvertor;
  readonly #store: GenericRegistryStore;
  readonly #definition: ScaleDefinition;
  readonly #fields: ScaledFields;
  readonly #tracker: TrackedParts;

  constructor(store: GenericRegistryStore, definition: ScaleDefinition) {
    this.#store = store;
    this.#definition = definition;
    this.table = definition.table;
    const { group } = store.describe;
    const apiVersion = apiVersionOf(store.describe);
    this.#fields = { group, apiVersion, replicasPath: definition.specReplicasPath };
    const { runtime } = store;
    this.#tracker = { kind: SCALE_KIND, apiVersion: apiVersionOf(SCALE), runtime };
    this.describe = { ...store.describe, ...SCALE, listKind: 'ScaleList', shortNames: [] };
  }

  async get(
    context: RequestContext,
    name: string,
    options: ReadOptions = {},
  ): Promise<WriteResult> {
    const found = await this.#store.get(context, name, options);
    const { requiresReplicas = false, specReplicasPath } = this.#definition;
    if (requiresReplicas && valueAt(found.object, ...specReplicasPath) === undefined) {
      const field = `.${specReplicasPath.join('.')}`;
      throw internalError(`the spec replicas field "${field}" does not exist`);
    }
    return this.#scaleOf(found);
  }

  /** @throws {ApiError} 400, 404, 409, 422. */
  async update(
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions = {},
  ): Promise<UpdateAnswer> {
    const answer = await this.#store.update(
      context,
      name,
      async (existing) => {
        const read = (body: UnstructuredObject): UnstructuredObject =>
          typedBody(SCALE_BODY, context, body, options);
        if (existing === undefined) return read(await update(undefined));
        const live = this.#trackedScale(existing);
        const given = read(await update(live));
        const replicas = this.#requestedReplicas(given, name);
        const scale = toMutableObject({ ...given, spec: replicas === 0 ? {} : { replicas } });
        const write = fieldWriteOf(this.#tracker, context, { ...options, subresource: 'scale' });
        trackUpdate(scale, { ...write, live, mayReplace: false });
        const admitted = await this.#admitted(context, name, { scale, live, options });
        return this.#scaled(existing, admitted, this.#requestedReplicas(admitted, name));
      },
      {
        ...options,
        ...DERIVED,
        subresource: 'scale',
        bodyFaults: options.bodyFaults && (() => undefined),
      },
    );
    return { result: this.#scaleOf(answer.result), created: false };
  }

  /** The scale after admission. @throws {ApiError} */
  async #admitted(
    context: RequestContext,
    name: string,
    { scale, live, options }: ScaleUpdate,
  ): Promise<UnstructuredObject> {
    const { group, version, resource } = this.#store.describe;
    return await admittedBody(this.#store.chain?.plugins, {
      operation: 'UPDATE',
      target: { group, version, resource, kind: SCALE.kind, objects: SCALE },
      subresource: 'scale',
      name,
      context,
      dryRun: options.dryRun === true,
      options: writtenOptions('UpdateOptions', options),
      object: scale,
      oldObject: live,
      validatedForm: withoutManagedFields,
    });
  }

  /** Managers for a live scale without any, and a changed scale, need a conversion. */
  #checkConversion(live: UnstructuredObject, scale: UnstructuredObject): void {
    const { refuseApply } = this.#definition;
    if (refuseApply === undefined) return;
    if (jsonEqual(scale['spec'], live['spec'])) return;
    const { name, namespace = '' } = scale.metadata ?? {};
    throw refuseApply(`failed to convert new object (${namespace}/${name}`);
  }

  /** Comes before the conflicts with other managers. @throws {ApiError} as `#checkConversion`. */
  #checkManagers(live: UnstructuredObject): void {
    if (managedFieldsOf(live) !== undefined) return;
    const what = 'failed to create manager for existing fields: failed to convert live object (/';
    const refusal = this.#definition.refuseApply?.(what);
    if (refusal !== undefined) throw refusal;
  }

  /** The scale of an object, with the managers of the replicas. */
  #trackedScale(existing: UnstructuredObject): UnstructuredObject {
    const scale = scaleObject(existing, this.#definition);
    const managedFields = fieldsOfScale(managedFieldsOf(existing), this.#fields);
    return withManagedFields(scale, managedFields);
  }

  /** The object with the replicas of its scale, and with their managers. */
  #scaled(
    existing: UnstructuredObject,
    scale: UnstructuredObject,
    replicas: number,
  ): UnstructuredObject {
    const { specReplicasPath } = this.#definition;
    const scaled = withValueAt(existing, specReplicasPath, replicas) as UnstructuredObject;
    const { metadata } = scaled;
    // Without a version the present one is replaced, also for kinds whose own updates need a version.
    const resourceVersion =
      textAt(scale, 'metadata', 'resourceVersion') || metadata?.resourceVersion;
    const uid = textAt(scale, 'metadata', 'uid') || metadata?.uid;
    const fields = fieldsOfScaled(managedFieldsOf(existing), managedFieldsOf(scale), this.#fields);
    const changed = { ...scaled, metadata: { ...metadata, resourceVersion, uid } };
    return withManagedFields(changed, fields);
  }

  /**
   * Applies the number of replicas. It belongs to the manager as a field of the scaled object.
   * @throws {ApiError} 400, 404, 409 for a field of another manager, 422.
   */
  async apply(
    context: RequestContext,
    name: string,
    configuration: UnstructuredObject,
    options: ApplyOptions = {},
  ): Promise<UpdateAnswer> {
    const write = { ...options, subresource: 'scale' };
    const answer = await this.#store.update(
      context,
      name,
      async (existing) => {
        if (existing === undefined) throw notFound(this.#store.describe, name);
        const live = this.#trackedScale(existing);
        this.#checkManagers(live);
        const scale = appliedTo(this.#tracker, context, live, configuration, write);
        this.#checkConversion(live, scale);
        const converted = withInt32Replicas(scale, configuration);
        checkNameOfUrl(textAt(scale, 'metadata', 'name'), name);
        const admitted = await this.#admitted(context, name, { scale: converted, live, options });
        return this.#scaled(existing, admitted, this.#requestedReplicas(admitted, name));
      },
      { ...write, ...DERIVED },
    );
    return { result: this.#scaleOf(answer.result), created: false };
  }

  /** @throws {ApiError} 400 for a value that is not a 32-bit integer, to which admission may change it, 422 for a negative one. */
  #requestedReplicas(scale: UnstructuredObject, name: string): number {
    const replicas = valueAt(scale, ...REPLICAS) ?? 0;
    // Bits are those of a 32-bit integer.
    if (replicas !== (Number(replicas) | 0)) {
      throw badRequest(
        `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${describeValue(replicas)} into Go struct field ScaleSpec.spec.replicas of type int32`,
      );
    }
    if (replicas >= 0) return replicas;
    const { subject, field, rule } = this.#definition.negativeReplicas ?? NEGATIVE_REPLICAS;
    throw invalid(subject, name, [fieldInvalid(field, replicas, rule)]);
  }

  #scaleOf({ key, object }: WriteResult): WriteResult {
    return new DerivedObject(key, scaleObject(object, this.#definition));
  }
}

/** Plug-ins that only refuse see the scale as it is read. */
function withoutManagedFields(scale: UnstructuredObject): UnstructuredObject {
  return withManagedFields(scale, undefined);
}

function managedFieldsOf(object: UnstructuredObject): unknown {
  return valueAt(object, 'metadata', 'managedFields');
}

function withManagedFields(object: UnstructuredObject, fields: unknown): UnstructuredObject {
  return withValueAt(object, ['metadata', 'managedFields'], fields) as UnstructuredObject;
}

/** A number in the words of Go's JSON decoder, which clients see as the message. */
function describeValue(value: unknown): string {
  if (typeof value === 'number') return `number ${value}`;
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * An applied scale whose number of replicas is a 32-bit integer, of which Go's conversion keeps the low bits.
 * @throws {ApiError} 500 for a fraction.
 */
function withInt32Replicas(
  scale: UnstructuredObject,
  { metadata }: UnstructuredObject,
): UnstructuredObject {
  const replicas = countAt(scale, REPLICAS);
  if (Number.isInteger(replicas)) {
    const low = Number(BigInt.asIntN(32, BigInt(replicas)));
    return withValueAt(scale, REPLICAS, low) as UnstructuredObject;
  }
  const kind = `${apiVersionOf(SCALE)}, Kind=${SCALE.kind}`;
  throw plainFailure(
    `failed to convert new object (${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: cannot convert float64 to int32`,
  );
}

function scaleObject(
  object: UnstructuredObject,
  { specReplicasPath, statusReplicasPath, selectorOf }: ScaleDefinition,
): UnstructuredObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const created =
    creationTimestamp instanceof Date
      ? timestampOf(creationTimestamp.getTime())
      : creationTimestamp;
  const selector = selectorOf(object);
  const replicas = countAt(object, specReplicasPath);
  return {
    apiVersion: 'autoscaling/v1',
    kind: SCALE.kind,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp: created },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: countAt(object, statusReplicasPath),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

function countAt(object: unknown, path: readonly string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : 0;
}

/** A copy of `value` with `wanted` at `path`; only the objects on the path are copied. */
function withValueAt(value: unknown, path: readonly string[], wanted: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return wanted;
  const copy: JsonRecord = isRecord(value) ? { ...value } : {};
  setOwn(copy, name, withValueAt(valueAt(copy, name), rest, wanted));
  return copy;
}
