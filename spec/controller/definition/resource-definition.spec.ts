import { expect } from 'chai';
import { Type } from 'typebox';
import * as z from 'zod';
import {
  connect,
  controller,
  defineResource,
  type Client,
  type TypesOf,
} from '../../../lib/index.ts';
import type { InferSchema, SchemaInput } from '../../../lib/controller/definition/schema-input.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { SCHEMA_CASES, verdictOf } from './schema-cases.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const same = <A, B>(is: Equal<A, B>): void => {
  expect(is).to.equal(true);
};

const REFUSED: readonly (readonly [title: string, schema: SchemaInput, message: string])[] = [
  [
    'dates',
    z.object({ at: z.date() }),
    'v1 spec.at: JSON has no such value; a date is a text in JSON: use z.iso.datetime()',
  ],
  [
    'large integers',
    z.object({ list: z.array(z.object({ n: z.bigint() })) }),
    'v1 spec.list[].n: JSON has no such value; use z.int(), or z.string() for large numbers',
  ],
  [
    'tuples',
    z.object({ pair: z.tuple([z.string(), z.int()]) }),
    'v1 spec.pair: items of a list must all have one schema; use an object with named fields in place of a tuple',
  ],
  [
    'tuples of typebox',
    Type.Object({ pair: Type.Tuple([Type.String(), Type.Number()]) }),
    'v1 spec.pair: a structural schema has no keyword "additionalItems"; items of a list must all have one schema; use an object with named fields in place of a tuple',
  ],
  [
    'nullable enumerations',
    z.object({ a: z.enum(['b']).nullable() }),
    'v1 spec.a: Kubernetes refuses null for an enumeration, also when it is nullable; make the field optional, or give it a value such as "none"',
  ],
  [
    'unions of types',
    z.object({ a: z.union([z.string(), z.boolean()]) }),
    'v1 spec.a: a field of a structural schema has one type, not string or boolean; use one of them, an integer or a text (z.union([z.int(), z.string()])), objects, or z.any()',
  ],
  [
    'recursion',
    z.object({
      get self() {
        return z.lazy((): z.ZodType => recursive);
      },
    }),
    'v1 spec.self: a structural schema has no keyword "$ref"; a structural schema cannot be recursive or refer to another one; use z.any() or Type.Any() where it recurs',
  ],
  [
    'regular expressions that look ahead',
    z.object({ a: z.string().regex(/^(?!b)/) }),
    'v1 spec.a: Kubernetes cannot use the regular expression ^(?!b), because it looks around or refers back; write it without (?=, (?! and \\1',
  ],
  [
    'named fields with a schema for others',
    z.object({ a: z.object({ b: z.string() }).catchall(z.int()) }),
    'v1 spec.a: an object has named fields or a schema for all others, not both; move the others into a field of their own',
  ],
  [
    'fields of two schemas in a union',
    z.object({ u: z.union([z.object({ a: z.int() }), z.object({ a: z.string() })]) }),
    'v1 spec.u.a: it has another schema in each option of a union; give it one schema, or the fields different names',
  ],
  [
    'unique items',
    Type.Object({ a: Type.Array(Type.String(), { uniqueItems: true }) }),
    "v1 spec.a: a structural schema has no keyword \"uniqueItems\"; use the keyword 'x-kubernetes-list-type': 'set'",
  ],
  [
    'misspelt keywords',
    { type: 'object', properties: { a: { type: 'string', minLenght: 1 } } },
    'v1 spec.a: a structural schema has no keyword "minLenght"; did you mean "minLength"?',
  ],
  [
    'keys by a pattern',
    { type: 'object', patternProperties: { '^a': { type: 'string' } } },
    'v1 spec: keys cannot be distinguished by a pattern; use a record of texts',
  ],
];
const recursive: z.ZodType = z.object({ child: z.lazy((): z.ZodType => recursive).optional() });

function definitionOf(spec: SchemaInput, plural: string = 'things') {
  return defineResource({ group: 'x.io', kind: 'Thing', plural, versions: { v1: { spec } } });
}

describe('defineResource', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    server = new ApiServer({ logger: silentLogger });
    await server.listen();
    client = await connect({
      ...server.clientConfig(),
      fieldManager: 'spec',
      logger: silentLogger,
    });
  });

  afterEach(async () => {
    await client.close();
    await server.close();
  });

  for (const [index, one] of SCHEMA_CASES.entries()) {
    it(`has ${one.title} as the server checks them`, async () => {
      const verdict = await verdictOf(client, one, `things${index}`);
      for (const { value, isGood, zod, server: found } of verdict) {
        expect({ value, zod, server: found }).to.deep.equal({ value, zod: isGood, server: isGood });
      }
    });
  }

  for (const [title, spec, message] of REFUSED) {
    it(`refuses ${title} with the field and the remedy`, () => {
      expect(() => definitionOf(spec)).to.throw(`defineResource: ${message}`);
    });
  }

  it('gives the types of a schema of zod to clients and controllers', async () => {
    const coupons = defineResource({
      group: 'shop.io',
      kind: 'Coupon',
      plural: 'coupons',
      shortNames: ['cp'],
      versions: {
        v1: {
          spec: z.object({ percent: z.int().min(0).max(100), currency: z.string().default('EUR') }),
          status: z.object({ uses: z.int() }),
          columns: [{ name: 'Percent', type: 'integer', jsonPath: '.spec.percent' }],
        },
      },
    });
    await client.applyAll([coupons.manifest]);
    await using typed = await connect<TypesOf<typeof coupons>>({
      ...server.clientConfig(),
      fieldManager: 'coupons',
    });
    const api = typed.resource('shop.io/v1', 'coupons', { namespace: 'default' });
    const made = await api.create({
      apiVersion: 'shop.io/v1',
      kind: 'Coupon',
      metadata: { name: 'spring' },
      spec: { percent: 15 },
    });
    same<typeof made.spec, { percent: number; currency?: string | undefined }>(true);
    expect(made.spec).to.deep.equal({ percent: 15, currency: 'EUR' });
    await using one = controller(typed, 'shop.io/v1', 'coupons', {
      logger: silentLogger,
    }).reconcile(async ({ spec, status }) => {
      same<typeof status, { uses: number } | undefined>(true);
      return { status: { uses: spec.percent } };
    });
    const running = one.run();
    const counted = await api.wait('spring', (found) => found?.status?.uses === 15, {
      timeoutMs: 60_000,
    });
    expect(counted?.status).to.deep.equal({ uses: 15 });
    await one.close();
    await running;
  });

  it('gives the types of a schema of typebox, and of a JSON schema', async () => {
    const box = Type.Object({
      size: Type.Integer({ exclusiveMinimum: 0 }),
      note: Type.Optional(Type.String()),
      mode: Type.Union([Type.Literal('a'), Type.Literal('b')]),
      tags: Type.Array(Type.String()),
      counts: Type.Record(Type.String(), Type.Number()),
    });
    interface Box {
      size: number;
      note?: string | undefined;
      mode: 'a' | 'b';
      tags: string[];
      counts: { [name: string]: number };
    }
    same<InferSchema<typeof box>, { [Name in keyof Box]: Box[Name] }>(true);
    const definition = defineResource({
      group: 'x.io',
      kind: 'Box',
      plural: 'boxes',
      scope: 'Cluster',
      versions: {
        v1: { spec: box, storage: true },
        v1beta1: {
          spec: {
            type: 'object',
            required: ['size'],
            properties: { size: { type: 'integer' }, color: { enum: ['red', 'blue'] } },
          },
          deprecated: 'use v1',
        },
      },
    });
    await client.applyAll([definition.manifest]);
    type Types = TypesOf<typeof definition>;
    same<Types['x.io/v1beta1/boxes']['spec'], { size: number; color?: 'red' | 'blue' | undefined }>(
      true,
    );
    await using typed = await connect<Types>({ ...server.clientConfig(), logger: silentLogger });
    const api = typed.resource('x.io/v1', 'boxes');
    const spec = { size: 1, mode: 'a', tags: [], counts: { a: 1 } } as const;
    const object = { apiVersion: 'x.io/v1', kind: 'Box', metadata: { name: 'one' } };
    const made = await api.create({ ...object, spec: { ...spec, tags: [] } });
    expect(made.spec).to.deep.equal(spec);
    for (const wrong of [{ size: 0 }, { mode: 'c' }, { counts: { a: 'b' } }]) {
      const untyped = client.resource('x.io/v1', 'boxes');
      const failure = await untyped
        .create({ ...object, metadata: { name: 'two' }, spec: { ...spec, ...wrong } })
        .catch((error: { code?: string }) => error.code);
      expect(failure, JSON.stringify(wrong)).to.equal('INVALID');
    }
  });

  it('removes unknown fields, keeps those of a loose object, and passes on keywords of Kubernetes', () => {
    const { manifest } = definitionOf(
      z.object({
        strict: z.strictObject({ a: z.string() }),
        loose: z.looseObject({ a: z.string() }),
        names: z.array(z.string()).meta({ 'x-kubernetes-list-type': 'set' }).describe('each once'),
      }),
    );
    const spec = manifest.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
    expect(spec?.properties).to.deep.equal({
      strict: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      loose: {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
      names: {
        type: 'array',
        items: { type: 'string' },
        description: 'each once',
        'x-kubernetes-list-type': 'set',
      },
    });
  });

  const spec = z.object({});
  const wrong: readonly (readonly [title: string, make: () => unknown, message: string])[] = [
    [
      'no schema',
      () => definitionOf('text' as unknown as object),
      'defineResource: v1 spec: it must be a schema of zod 4.2 or newer, of typebox, or a JSON schema, not string',
    ],
    [
      'a group without a dot',
      () => defineResource({ group: 'x', kind: 'A', plural: 'as', versions: { v1: { spec } } }),
      'defineResource: option "group" must be a DNS name such as "shop.example.com", not "x"',
    ],
    [
      'two stored versions',
      () =>
        defineResource({
          group: 'x.io',
          kind: 'A',
          plural: 'as',
          versions: { v1: { spec, storage: true }, v2: { spec, storage: true } },
        }),
      'defineResource: one version must have storage: true, but v1 and v2 have',
    ],
    [
      'no stored version',
      () =>
        defineResource({
          group: 'x.io',
          kind: 'A',
          plural: 'as',
          versions: { v1: { spec }, v2: { spec } },
        }),
      'defineResource: one version must have storage: true, but none has',
    ],
    [
      'a version of another form',
      () => defineResource({ group: 'x.io', kind: 'A', plural: 'as', versions: { '1': { spec } } }),
      'defineResource: a version must have a name such as v1 or v1beta1, not "1"',
    ],
  ];
  for (const [title, make, message] of wrong) {
    it(`refuses ${title}`, () => {
      expect(make).to.throw(message);
    });
  }
});
