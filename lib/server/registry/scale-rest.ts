import { invalid } from '../../meta/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { DerivedObject } from './rules/derived-object.ts';
import { timestampOf } from './rules/duration.ts';
import { fieldInvalid } from './rules/field-causes.ts';
import type { GenericRegistryStore } from './generic-registry-store.ts';
import { isRecord, setOwn, textAt, valueAt, type JsonRecord } from './rules/json-value.ts';
import type { ScaleDefinition } from './contract/kind-definition.ts';
import type {
  ReadOptions,
  RequestContext,
  ResourceDescription,
  RestStorage,
  TableConvertor,
  UpdateFunc,
  WriteOptions,
  WriteResult,
} from './contract/rest-storage.ts';
import { defaultTable } from './contract/table-columns.ts';
import type { UpdateAnswer } from './writes/update-object.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;
const MOST_REPLICAS = 2 ** 31 - 1;

/** `/scale` of a resource: its number of replicas as an `autoscaling/v1` Scale, from the field that the kind defines. */
export class ScaleREST implements RestStorage {
  readonly describe: ResourceDescription;
  readonly table: TableConvertor = defaultTable;
  readonly #store: GenericRegistryStore;
  readonly #definition: ScaleDefinition;

  constructor(store: GenericRegistryStore, definition: ScaleDefinition) {
    this.#store = store;
    this.#definition = definition;
    this.describe = { ...store.describe, ...SCALE, listKind: 'ScaleList', shortNames: [] };
  }

  async get(
    context: RequestContext,
    name: string,
    options: ReadOptions = {},
  ): Promise<WriteResult> {
    return this.#scaleOf(await this.#store.get(context, name, options));
  }

  /** @throws {ApiError} 400, 404, 409, 422. */
  async update(
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions = {},
  ): Promise<UpdateAnswer> {
    const { specReplicasPath } = this.#definition;
    const answer = await this.#store.update(
      context,
      name,
      async (existing) => {
        if (existing === undefined) return await update(undefined);
        const scale = await update(scaleObject(existing, this.#definition));
        const replicas = requestedReplicas(scale, name);
        const scaled = withValueAt(existing, specReplicasPath, replicas) as UnstructuredObject;
        const resourceVersion = textAt(scale, 'metadata', 'resourceVersion');
        return { ...scaled, metadata: { ...scaled.metadata, resourceVersion } };
      },
      options,
    );
    return { result: this.#scaleOf(answer.result), created: false };
  }

  #scaleOf({ key, object }: WriteResult): WriteResult {
    return new DerivedObject(key, scaleObject(object, this.#definition));
  }
}

function requestedReplicas(scale: UnstructuredObject, name: string): number {
  const replicas = valueAt(scale, 'spec', 'replicas') ?? 0;
  const fits = Number.isInteger(replicas) && (replicas as number) >= 0;
  if (fits && (replicas as number) <= MOST_REPLICAS) return replicas as number;
  const problem = 'must be a whole number greater than or equal to 0';
  throw invalid(SCALE, name, [fieldInvalid('spec.replicas', replicas, problem)]);
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
  return {
    apiVersion: 'autoscaling/v1',
    kind: SCALE.kind,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp: created },
    spec: { replicas: countAt(object, specReplicasPath) },
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
