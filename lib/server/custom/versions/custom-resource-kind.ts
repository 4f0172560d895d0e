import { createHash } from 'node:crypto';
import { withoutReason } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { ageOf } from '../../registry/rules/duration.ts';
import { compareVersionNames } from '../../../meta/versions/version-names.ts';
import { customFieldSchema } from './custom-field-schema.ts';
import { compileJsonPath } from './json-path.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import {
  hasCondition,
  storageVersionOf,
  versionsOf,
} from '../definition/custom-resource-definition.ts';
import {
  defineKind,
  type KindDefinition,
  type NegativeReplicas,
  type ScaleDefinition,
  type SelectableFields,
  type KindType,
} from '../../registry/contract/kind-definition.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';
import { setDefaults, dropNulls } from '../schema/defaults.ts';
import { LazySchema } from '../schema/lazy-schema.ts';
import {
  validateCustom,
  validateCustomStatus,
  validateCustomUpdate,
  type CustomRules,
} from './validate-custom.ts';
import type {
  ResourceDescription,
  TableColumn,
  TableConvertor,
} from '../../registry/contract/rest-storage.ts';
import { newStatusStrategy, newStrategy } from '../../registry/contract/strategy.ts';
import {
  column,
  nameColumn,
  tableOf,
  type Column,
  type TableCell,
} from '../../registry/contract/table-columns.ts';
import { qualifiedName } from '../../registry/validation/formats.ts';
import { DecodeProblems, TypedDecodeError } from '../../registry/typed/decode-problems.ts';
import { coerceEmbedded, readMetadata } from '../schema/embedded-objects.ts';
import { pruneObject } from '../schema/prune.ts';

/**
 * Custom objects as their schema has them: without fields that it does not know, with its defaults.
 * @see apiextensions-apiserver pkg/apiserver/customresource_handler.go unstructuredSchemaCoercer @ v0.36.3
 */
class CustomType implements KindType {
  readonly #schema: LazySchema;
  /** Whether unknown fields are kept, as definitions of older versions may say. */
  readonly #preserves: boolean;

  constructor(schema: LazySchema, preserves: boolean) {
    this.#schema = schema;
    this.#preserves = preserves;
  }

  read(given: JsonRecord, problems: DecodeProblems, applied?: JsonRecord): JsonRecord {
    const { kind, apiVersion, metadata: givenMetadata } = given;
    const inMetadata = new DecodeProblems();
    const metadata = readMetadata(givenMetadata, inMetadata);
    if (metadata['creationTimestamp'] === null) delete metadata['creationTimestamp'];
    for (const field of inMetadata.unknownFields) problems.unknownFields.push(`metadata.${field}`);
    // The type comes first in what is stored, so that lists can leave it out without parsing.
    const object: JsonRecord = { kind, apiVersion, ...given, metadata };
    if (kind === undefined) delete object['kind'];
    if (apiVersion === undefined) delete object['apiVersion'];
    if (!this.#preserves) {
      const unknown: string[] = [];
      pruneObject(object, this.#schema.node, (path) => unknown.push(path));
      problems.unknownFields.push(...unknown.toSorted());
      dropNulls(object, this.#schema.node, applied);
    }
    this.#coerce(object, problems);
    setDefaults(object, this.#schema.node);
    return object;
  }

  #coerce(object: JsonRecord, problems: DecodeProblems): void {
    const unknown: string[] = [];
    const onUnknown = (path: string): void => {
      unknown.push(path);
    };
    const wrong = coerceEmbedded(object, this.#schema.node, { onUnknown });
    if (wrong !== undefined) throw new TypedDecodeError(`${wrong.field}: ${wrong.message}`);
    problems.unknownFields.push(...unknown.toSorted());
  }

  zeroOf(): undefined {
    return undefined;
  }
}

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
const FIELD = 'metadata.finalizers';

/**
 * The warnings for new finalizers of a custom object without a domain of their own.
 * @see apiextensions-apiserver pkg/registry/customresource/validator.go validateKubeFinalizerName @ v0.36.3
 */
export function finalizerWarnings(object: unknown, existing?: unknown): string[] {
  const known = new Set(textsAt(recordAt(existing, 'metadata'), 'finalizers'));
  const added = textsAt(recordAt(object, 'metadata'), 'finalizers').filter(
    (one) => !known.has(one),
  );
  return [...new Set(added)].toSorted().flatMap((finalizer) => {
    const start = `${FIELD}: ${JSON.stringify(finalizer)}:`;
    const warnings = qualifiedName(finalizer).map((fault) => `${start} ${fault}`);
    if (finalizer.includes('/') || STANDARD.has(finalizer)) return warnings;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    const rule = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...warnings, `${start} ${rule}`];
  });
}

/** The kind of one version of a custom resource definition. The definition must be valid. */
export function customResourceKind(definition: unknown, version: JsonRecord): KindDefinition {
  const names = recordAt(definition, 'spec', 'names') ?? {};
  const group = textAt(definition, 'spec', 'group');
  const kindName = textAt(names, 'kind');
  const resource = textAt(names, 'plural');
  const schema = recordAt(version, 'schema', 'openAPIV3Schema') ?? {};
  const subresources = recordAt(version, 'subresources') ?? {};
  const status = recordAt(subresources, 'status') !== undefined;
  const lazy = new LazySchema(schema);
  const preserves = valueAt(definition, 'spec', 'preserveUnknownFields') === true;
  const scale = recordAt(subresources, 'scale');
  const rules = (): CustomRules => ({ node: lazy.node, scale });
  const kind = defineKind({
    group,
    version: textAt(version, 'name'),
    kind: kindName,
    resource,
    namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
    keyRoot: `/registry/${group}/${resource}`,
    strategy: newStrategy({
      generation: true,
      status,
      allowUnconditionalUpdate: false,
      setDefaults: statusDefault(schema, lazy),
      validate: (object) => validateCustom(object, rules()),
      validateUpdate: (object, existing) => validateCustomUpdate(object, existing, rules()),
      warnings: finalizerWarnings,
    }),
    type: new CustomType(lazy, preserves),
    ...(status
      ? {
          statusStrategy: {
            ...newStatusStrategy({
              keepMetadata: true,
              validateUpdate: (object, existing) => validateCustomStatus(object, existing, rules()),
            }),
            allowUnconditionalUpdate: false,
          },
        }
      : {}),
    ...(scale === undefined ? {} : { scale: scaleDefinition(scale, { group, kind: kindName }) }),
    fieldSchema: customFieldSchema(schema),
    selectableFields: selectableFields(definition),
    refuseField: (field) => `field label not supported: ${field}`,
    table: customTable(recordsAt(version, 'additionalPrinterColumns')),
    declared: {
      schema,
      selectableFields: recordsAt(version, 'selectableFields').map((one) =>
        textAt(one, 'jsonPath').replace(/^\./, ''),
      ),
    },
  });
  return {
    ...kind,
    describe: {
      ...kind.describe,
      ...servedNames(definition, kind.describe),
      verbs: verbs(definition),
      deprecation: deprecationOf(definition, version),
    },
  };
}

/** A status that was taken away, since only its subresource sets it, has its default again. */
function statusDefault(
  schema: JsonRecord,
  lazy: LazySchema,
): ((object: MutableObject) => void) | undefined {
  const fallback = recordAt(schema, 'properties', 'status')?.['default'] ?? undefined;
  if (fallback === undefined) return undefined;
  return (object) => {
    if (!Object.hasOwn(object, 'status')) setDefaults(object, lazy.node);
  };
}

/**
 * The warning of a version that its definition calls deprecated. Without words of its own it names the newest version that is newer
 * and not deprecated.
 * @see apiextensions-apiserver pkg/apiserver/customresource_handler.go defaultDeprecationWarning @ v0.36.3
 */
function deprecationOf(definition: unknown, version: JsonRecord): string | undefined {
  if (version['deprecated'] !== true) return undefined;
  const own = textAt(version, 'deprecationWarning');
  if (own !== '') return own;
  const group = textAt(definition, 'spec', 'group');
  const kind = textAt(definition, 'spec', 'names', 'kind');
  const name = textAt(version, 'name');
  const [newest] = versionsOf(definition)
    .filter((one) => one['served'] === true && one['deprecated'] !== true)
    .map((one) => textAt(one, 'name'))
    .filter((one) => compareVersionNames(one, name) < 0)
    .toSorted(compareVersionNames);
  const advice = newest === undefined ? '' : `; use ${group}/${newest} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${advice}`;
}

/** The names under which the resource is served: those that were accepted. */
function servedNames(
  definition: unknown,
  { singular, listKind }: ResourceDescription,
): Partial<ResourceDescription> {
  const names = recordAt(definition, 'status', 'acceptedNames') ?? {};
  return {
    singular: textAt(names, 'singular') || singular,
    listKind: textAt(names, 'listKind') || listKind,
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
    storageVersionHash: storageVersionHash(definition),
  };
}

/** In the order in which kube-apiserver lists them. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const VERBS_WHILE_TERMINATING = ['delete', 'deletecollection', 'get', 'list', 'watch'];

function verbs(definition: unknown): readonly string[] {
  return hasCondition(definition, 'Terminating') ? VERBS_WHILE_TERMINATING : VERBS;
}

/**
 * The hash that names the storage version in discovery; undefined if that version is not served.
 * @see apiserver pkg/endpoints/discovery/storageversionhash.go @ 24a394e
 */
function storageVersionHash(definition: unknown): string | undefined {
  const version = storageVersionOf(definition);
  if (version?.['served'] !== true) return undefined;
  const kind = textAt(definition, 'spec', 'names', 'kind');
  const name = `${textAt(definition, 'spec', 'group')}/${textAt(version, 'name')}/${kind}`;
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}

/** The selectable fields of all versions. They are read from the stored form, which all versions share. */
function selectableFields(definition: unknown): SelectableFields {
  const fields: Record<string, (object: KubernetesObject) => string> = {};
  for (const version of versionsOf(definition)) {
    for (const one of recordsAt(version, 'selectableFields')) {
      const path = textAt(one, 'jsonPath');
      const find = compileJsonPath(path);
      if (find === undefined) continue;
      fields[path.slice(1)] = (object) => scalarText(find(object)[0]);
    }
  }
  return fields;
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function scaleDefinition(scale: JsonRecord, subject: NegativeReplicas['subject']): ScaleDefinition {
  const split = (name: string): string[] => textAt(scale, name).split('.').slice(1);
  const selectorPath = split('labelSelectorPath');
  return {
    requiresReplicas: true,
    specReplicasPath: split('specReplicasPath'),
    statusReplicasPath: split('statusReplicasPath'),
    table: customTable(SCALE_COLUMNS),
    selectorOf: (object) => (selectorPath.length === 0 ? '' : textAt(object, ...selectorPath)),
    refuseApply: (what) =>
      withoutReason(
        `${what}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
      ),
    negativeReplicas: {
      subject,
      field: textAt(scale, 'specReplicasPath'),
      rule: 'should be a non-negative integer',
    },
  };
}

/** @see apiextensions-apiserver pkg/apiserver/helpers.go getScaleColumnsForVersion @ v0.36.3 */
const SCALE_COLUMNS: readonly JsonRecord[] = [
  {
    name: 'Desired',
    type: 'integer',
    description: 'Number of desired replicas',
    jsonPath: '.spec.replicas',
  },
  {
    name: 'Available',
    type: 'integer',
    description: 'Number of actual replicas',
    jsonPath: '.status.replicas',
  },
];

/** The descriptions of the columns that every table has. @see apimachinery pkg/apis/meta/v1 ObjectMeta @ v0.36.3 */
const NAME_TEXT =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const AGE_TEXT = `CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.

Populated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata`;

function customTable(declared: readonly JsonRecord[]): TableConvertor {
  const own =
    declared.length === 0
      ? [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }]
      : declared;
  const columns = own.map(customColumn);
  const table = tableOf([nameColumn, ...columns]);
  const [name, ...rest] = table.columns as [TableColumn, ...TableColumn[]];
  return {
    columns: [
      { ...name, description: NAME_TEXT },
      ...(declared.length > 0 ? rest : rest.map((age) => ({ ...age, description: AGE_TEXT }))),
    ],
    cells: (object, nowMs) => table.cells(object, nowMs),
  };
}

function customColumn(declared: JsonRecord): Column {
  const type = textAt(declared, 'type') as TableColumn['type'];
  const path = textAt(declared, 'jsonPath');
  const find = compileJsonPath(path) ?? ((): [] => []);
  const read = (object: KubernetesObject, nowMs: number): TableCell =>
    cellOf(find(object), type, nowMs);
  const made = column(textAt(declared, 'name'), read, {
    type,
    format: textAt(declared, 'format'),
    description:
      textAt(declared, 'description') ||
      `Custom resource definition column (in JSONPath format): ${path}`,
  });
  return { ...made, definition: { ...made.definition, priority: numberAt(declared, 'priority') } };
}

/** A cell of the declared type; empty if the value has another type. */
function cellOf(values: readonly unknown[], type: TableColumn['type'], nowMs: number): TableCell {
  const [value] = values;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return ageOf(value, nowMs);
    case 'string':
      return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(',');
  }
}
