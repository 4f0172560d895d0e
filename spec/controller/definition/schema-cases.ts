import * as z from 'zod';
import { defineResource, type Client } from '../../../lib/index.ts';

/** A kind of schema, with values that it takes and values that it refuses. */
export interface SchemaCase {
  readonly title: string;
  readonly schema: z.ZodType;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const shape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('circle'), radius: z.int() }),
  z.object({ type: z.literal('box'), width: z.int(), depth: z.int().optional() }),
]);

/** Zod and a server must agree about each value of the field. */
export const SCHEMA_CASES: readonly SchemaCase[] = [
  {
    title: 'texts with limits',
    schema: z.string().min(2).max(4),
    good: ['ab'],
    bad: ['a', 'abcde', 1],
  },
  {
    title: 'integers with limits',
    schema: z.int().min(1).max(5),
    good: [1, 5],
    bad: [0, 6, 1.5, '1'],
  },
  { title: 'exclusive limits', schema: z.number().gt(1).lt(2), good: [1.5], bad: [1, 2] },
  { title: 'multiples', schema: z.int().multipleOf(5), good: [10], bad: [11] },
  { title: 'booleans', schema: z.boolean(), good: [true], bad: ['true'] },
  { title: 'enumerations', schema: z.enum(['a', 'b']), good: ['a'], bad: ['c'] },
  { title: 'several literals', schema: z.literal(['a', 'b']), good: ['b'], bad: ['c'] },
  {
    title: 'unions of literals',
    schema: z.union([z.literal('a'), z.literal('b')]),
    good: ['a', 'b'],
    bad: ['c'],
  },
  { title: 'numbers as literals', schema: z.literal([1, 2]), good: [2], bad: [3, '1'] },
  { title: 'patterns', schema: z.string().regex(/^[a-z]+$/), good: ['ab'], bad: ['A'] },
  { title: 'beginnings and ends', schema: z.string().startsWith('a'), good: ['ab'], bad: ['b'] },
  {
    title: 'dates as texts',
    schema: z.iso.datetime(),
    good: ['2030-01-01T00:00:00Z'],
    bad: ['soon'],
  },
  { title: 'UUIDs', schema: z.uuid(), good: ['f47ac10b-58cc-4372-a567-0e02b2c3d479'], bad: ['x'] },
  { title: 'addresses', schema: z.ipv4(), good: ['10.0.0.1'], bad: ['10.0.0.256'] },
  {
    title: 'lists',
    schema: z.array(z.int()).min(1).max(2),
    good: [[1], [1, 2]],
    bad: [[], [1, 2, 3], ['a']],
  },
  {
    title: 'records',
    schema: z.record(z.string(), z.int()),
    good: [{}, { a: 1 }],
    bad: [{ a: 'b' }],
  },
  {
    title: 'objects',
    schema: z.object({ a: z.string(), b: z.int().optional() }),
    good: [{ a: 'b' }],
    bad: [{}, { a: 'b', b: 'c' }],
  },
  { title: 'nullable fields', schema: z.string().nullable(), good: ['a', null], bad: [1] },
  {
    title: 'unions with null',
    schema: z.union([z.string(), z.null()]),
    good: ['a', null],
    bad: [1],
  },
  {
    title: 'an integer or a text',
    schema: z.union([z.int(), z.string()]),
    good: [1, '50%'],
    bad: [1.5, true, {}],
  },
  { title: 'anything', schema: z.any(), good: [1, 'a', { b: [null] }], bad: [] },
  {
    title: 'unions of objects',
    schema: shape,
    good: [
      { type: 'circle', radius: 1 },
      { type: 'box', width: 1 },
    ],
    bad: [
      { type: 'circle' },
      { type: 'box', radius: 1 },
      { type: 'other', radius: 1 },
      { radius: 1 },
    ],
  },
  {
    title: 'intersections',
    schema: z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })),
    good: [{ a: 1, b: 2 }],
    bad: [{ a: 1 }, { b: 2 }],
  },
];

export interface Verdict {
  /** As JSON. */
  readonly value: string;
  readonly isGood: boolean;
  readonly zod: boolean;
  readonly server: boolean;
}

/** The verdicts of zod and a server on each value of a case, as the field of a resource that is defined for it. */
export async function verdictOf(
  client: Client,
  { schema, good, bad }: SchemaCase,
  plural: string,
): Promise<readonly Verdict[]> {
  const kind = plural.toUpperCase();
  const spec = z.object({ field: schema.optional() });
  const { manifest } = defineResource({ group: 'x.io', kind, plural, versions: { v1: { spec } } });
  await client.applyAll([manifest]);
  const api = client.resource('x.io/v1', plural, { namespace: 'default' });
  const isTaken = (field: unknown): Promise<boolean> => {
    const object = { apiVersion: 'x.io/v1', kind, metadata: { name: 'a' }, spec: { field } };
    return api.create(object, { dryRun: true }).then(
      () => true,
      () => false,
    );
  };
  const verdicts: Verdict[] = [];
  for (const [values, isGood] of [
    [good, true],
    [bad, false],
  ] as const) {
    for (const value of values) {
      const zod = schema.safeParse(value).success;
      verdicts.push({ value: JSON.stringify(value), isGood, zod, server: await isTaken(value) });
    }
  }
  return verdicts;
}
