import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import type { JsonRecord } from '../../../lib/meta/json-value.ts';
import { SeededRandom } from './random.ts';

/**
 * Schemas in each of 19 definitions. Of 79 definitions of eight projects half are below 23 KB, four fifths below 122 KB, and the largest has
 * 483 KB; a schema of theirs takes 220 bytes, most of it description, and is 6 levels deep on average.
 */
const SCHEMAS: readonly number[] = [
  20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 130, 180, 250, 350, 500, 700, 1000, 1400, 2000,
];
const WORDS =
  'the name of an object that is used when this value was not set and must be one of those in the list below More info https example com docs'.split(
    ' ',
  );
const LONGEST_DESCRIPTION = 56;
const PATTERNS = [
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$',
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
];

/** Definitions of custom resources with schemas like those of well-known projects, the same for the same count. */
export function largeDefinitions(count: number): UnstructuredObject[] {
  return Array.from({ length: count }, (_, index) => definition(index));
}

/** The last of each 19 is the largest. */
function definition(index: number): UnstructuredObject {
  const schemas = new SchemaSource(new SeededRandom(index));
  const kind = `Large${index}`;
  const plural = `${kind.toLowerCase()}s`;
  const group = `group${index % 12}.example.org`;
  const openAPIV3Schema = {
    type: 'object',
    description: schemas.description(),
    properties: {
      apiVersion: { type: 'string', description: schemas.description() },
      kind: { type: 'string', description: schemas.description() },
      metadata: { type: 'object' },
      spec: schemas.object(SCHEMAS[index % SCHEMAS.length] as number),
      status: schemas.object(12),
    },
    required: ['spec'],
  };
  const older = { openAPIV3Schema: { ...openAPIV3Schema, description: 'the older version' } };
  const rest = { served: true, subresources: { status: {} }, additionalPrinterColumns: COLUMNS };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'example.org/version': 'v0.19.0' } },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        { ...rest, name: 'v1', storage: true, schema: { openAPIV3Schema } },
        ...(index % 5 === 0 ? [{ ...rest, name: 'v1beta1', storage: false, schema: older }] : []),
      ],
    },
  };
}

const COLUMNS = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

class SchemaSource {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  description(): string {
    const random = this.#random;
    const words = 4 + random.below(LONGEST_DESCRIPTION);
    return Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
  }

  /** An object with so many schemas in it. */
  object(schemas: number): JsonRecord {
    const random = this.#random;
    const count = Math.min(schemas, 3 + random.below(10));
    const properties: JsonRecord = {};
    let rest = schemas - count;
    for (let at = 0; at < count; at += 1) {
      const own = at === count - 1 ? rest : random.below(Math.ceil(rest / 2) + 1);
      rest -= own;
      properties[`${random.pick(WORDS).toLowerCase()}${at}`] = this.#property(own);
    }
    const names = Object.keys(properties);
    return {
      type: 'object',
      ...(random.chance(85) ? { description: this.description() } : {}),
      properties,
      ...(random.chance(40) ? { required: names.slice(0, 1) } : {}),
      ...(random.chance(7) ? { 'x-kubernetes-validations': [rule(names)] } : {}),
    };
  }

  #property(schemas: number): JsonRecord {
    if (schemas > 1) return this.#random.chance(30) ? this.#list(schemas) : this.object(schemas);
    const described = this.#random.chance(90) ? { description: this.description() } : {};
    return { ...described, ...this.#value() };
  }

  #list(schemas: number): JsonRecord {
    return {
      type: 'array',
      description: this.description(),
      items: this.object(schemas - 1),
      ...(this.#random.chance(50) ? { 'x-kubernetes-list-type': 'atomic' } : {}),
    };
  }

  #value(): JsonRecord {
    const random = this.#random;
    const drawn = random.below(100);
    if (drawn < 12) return { type: 'boolean' };
    if (drawn < 22) return { type: 'integer', format: 'int32', default: 1 };
    if (drawn < 25) return { type: 'integer', format: 'int64', minimum: 0 };
    if (drawn < 29) return { type: 'object', additionalProperties: { type: 'string' } };
    if (drawn < 33) return { type: 'array', items: { type: 'string' } };
    if (drawn < 36) {
      const anyOf = [{ type: 'integer' }, { type: 'string' }];
      return { anyOf, pattern: PATTERNS[2], 'x-kubernetes-int-or-string': true };
    }
    if (drawn < 41) return { type: 'string', enum: ['Always', 'Never', 'Sometimes'] };
    if (drawn < 48) return { type: 'string', pattern: random.pick(PATTERNS), maxLength: 253 };
    return drawn < 52 ? { type: 'string', default: 'TCP' } : { type: 'string' };
  }
}

function rule([name = '']: readonly string[]): JsonRecord {
  return { rule: `!has(self.${name}) || self.${name} != oldSelf`, message: `${name} must stay` };
}
