import type { Draw } from '../../../../compare/draw.ts';
import { changeValue } from '../change-value.ts';

type Schema = Record<string, unknown>;

const FORMATS = [
  'date-time',
  'date',
  'duration',
  'byte',
  'password',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uri',
  'int32',
  'int64',
  'double',
  'nothing',
];
const PATTERNS = [
  '^a+$',
  '^(a|b)*$',
  '(?i)^[a-z]+$',
  '^(a+)+$',
  '(a?){50}a{50}',
  '\\pL+',
  '^[^\\d]{1,20}$',
  '(',
  '(?=a)',
  'a{1001}',
  '((((((((((a{10}){10}){10}){10}){10}){10}){10}){10}){10}){10})',
  '\\C',
  '[[:alpha:]]',
  '(?P<n>a)(?P<n>b)',
  '',
];
const TEXTS = ['', 'a', 'b', 'ab', '1s', '10.0.0.1', 'x'.repeat(300), '2026-01-01T00:00:00Z'];
const DEEPEST = 5;
const NAMES = [
  'a',
  'b',
  'c',
  'name',
  'type',
  'spec',
  'default',
  'items',
  '__proto__',
  'x y',
  '$ref',
];

/** The root of the schema of a version: mostly one that a server accepts. */
export function drawSchema(draw: Draw): Schema {
  const properties = {
    spec: drawObjectSchema(draw, 1),
    ...(draw.chance(0.5) ? { status: drawObjectSchema(draw, 2) } : {}),
    ...(draw.chance(0.1) ? { metadata: drawMetadataSchema(draw) } : {}),
    ...(draw.chance(0.3) ? { [draw.pick(NAMES)]: drawValueSchema(draw, 1) } : {}),
  };
  const schema: Schema = { type: 'object', properties };
  if (draw.chance(0.05)) schema['x-kubernetes-preserve-unknown-fields'] = true;
  for (let count = draw.chance(0.7) ? 0 : 1 + draw.below(2); count > 0; count -= 1) {
    changeValue(draw, schema);
  }
  return schema;
}

function drawMetadataSchema(draw: Draw): Schema {
  const name = { type: 'string', pattern: draw.pick(PATTERNS) };
  return { type: 'object', properties: { name, ...(draw.chance(0.3) ? { labels: {} } : {}) } };
}

function drawValueSchema(draw: Draw, depth: number): Schema {
  const leaf = depth >= DEEPEST;
  const schema = drawTypedSchema(draw, leaf ? 2 + draw.below(5) : draw.below(8), depth);
  if (draw.chance(0.1)) schema['nullable'] = draw.chance(0.8);
  if (draw.chance(0.1)) schema['description'] = 'x';
  if (draw.chance(0.05)) schema['enum'] = draw.some<unknown>(['a', 'b', 1, null, 1.5, {}], 3);
  if (!leaf && draw.chance(0.08)) Object.assign(schema, drawLogic(draw));
  return schema;
}

function drawTypedSchema(draw: Draw, type: number, depth: number): Schema {
  switch (type) {
    case 0:
      return drawObjectSchema(draw, depth + 1);
    case 1:
      return drawListSchema(draw, depth + 1);
    case 2:
      return drawNumberSchema(draw, 'integer');
    case 3:
      return drawNumberSchema(draw, 'number');
    case 4:
      return withDefault(draw, { type: 'boolean' }, [true, false]);
    case 5:
      return { 'x-kubernetes-int-or-string': true };
    case 6:
      return { 'x-kubernetes-preserve-unknown-fields': true };
    default:
      return drawTextSchema(draw);
  }
}

function drawObjectSchema(draw: Draw, depth: number): Schema {
  const schema: Schema = { type: 'object' };
  if (draw.chance(0.15)) {
    schema['additionalProperties'] = draw.chance(0.9) ? drawValueSchema(draw, depth + 1) : true;
    return schema;
  }
  const names = draw.some(NAMES, 1 + draw.below(4));
  schema['properties'] = Object.fromEntries(
    names.map((name) => [name, drawValueSchema(draw, depth + 1)]),
  );
  if (draw.chance(0.2)) schema['required'] = draw.some(names, 1);
  if (draw.chance(0.1)) schema['x-kubernetes-preserve-unknown-fields'] = true;
  if (draw.chance(0.1)) schema['x-kubernetes-embedded-resource'] = true;
  if (draw.chance(0.1)) schema['x-kubernetes-map-type'] = draw.pick(['atomic', 'granular', 'x']);
  if (draw.chance(0.05)) schema['minProperties'] = draw.below(3);
  return withDefault(draw, schema, [{}, { a: 1 }, { a: 'x', b: true }, null]);
}

function drawListSchema(draw: Draw, depth: number): Schema {
  const items = drawValueSchema(draw, depth);
  const schema: Schema = { type: 'array', items };
  const kind = draw.below(8);
  if (kind === 0) schema['x-kubernetes-list-type'] = 'atomic';
  if (kind === 1) {
    schema['x-kubernetes-list-type'] = 'set';
    if (draw.chance(0.8)) schema['items'] = drawTextSchema(draw);
  }
  if (kind === 2 || kind === 3) {
    schema['x-kubernetes-list-type'] = 'map';
    schema['x-kubernetes-list-map-keys'] = draw.chance(0.8) ? ['name'] : ['name', 'type'];
    schema['items'] = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        type: withDefault(draw, { type: 'string' }, ['x']),
        value: items,
      },
    };
  }
  if (draw.chance(0.1)) schema['maxItems'] = draw.below(4);
  if (draw.chance(0.05)) schema['uniqueItems'] = draw.chance(0.5);
  return withDefault(draw, schema, [[], [null], ['a', 'a'], [{ name: 'a' }]]);
}

function drawNumberSchema(draw: Draw, type: 'integer' | 'number'): Schema {
  const schema: Schema = { type };
  if (draw.chance(0.3)) schema['format'] = draw.pick(FORMATS);
  if (draw.chance(0.2)) schema['minimum'] = draw.pick([-1, 0, 1, 1.5, 2 ** 40]);
  if (draw.chance(0.2)) schema['maximum'] = draw.pick([0, 9, 1e300]);
  if (draw.chance(0.1)) schema['exclusiveMinimum'] = draw.chance(0.5);
  if (draw.chance(0.1)) schema['multipleOf'] = draw.pick([2, 1.5, 0, -1, 1e-9]);
  return withDefault(draw, schema, [0, 1, 3.5, -2, 1e20, '1']);
}

function drawTextSchema(draw: Draw): Schema {
  const schema: Schema = { type: 'string' };
  if (draw.chance(0.3)) schema['format'] = draw.pick(FORMATS);
  if (draw.chance(0.3)) schema['pattern'] = draw.pick(PATTERNS);
  if (draw.chance(0.1)) schema['maxLength'] = draw.below(20);
  if (draw.chance(0.1)) schema['minLength'] = draw.below(3);
  return withDefault(draw, schema, TEXTS);
}

function withDefault(draw: Draw, schema: Schema, values: readonly unknown[]): Schema {
  if (draw.chance(0.15)) schema['default'] = structuredClone(draw.pick(values));
  return schema;
}

function drawLogic(draw: Draw): Schema {
  const branch = (): Schema =>
    draw.pick<Schema>([
      { required: ['a'] },
      { properties: { a: { enum: ['x'] } } },
      { type: 'integer' },
      { type: 'string' },
      { not: { required: ['b'] } },
      { minimum: 1 },
      { pattern: draw.pick(PATTERNS) },
      {},
    ]);
  const name = draw.pick(['allOf', 'anyOf', 'oneOf', 'not']);
  if (name === 'not') return { not: branch() };
  return { [name]: Array.from({ length: 1 + draw.below(3) }, branch) };
}
