import { expect } from 'chai';
import {
  pruneObject,
  setSchemaDefaults,
  validateAgainstSchema,
} from '../../../../lib/server/registry/custom/open-api-schema.ts';

/** Causes of a value `v` under the schema of `v`, as `field reason`. */
function causesOf(v: unknown, schema: object): string[] {
  const root = { type: 'object', properties: { v: schema } };
  return validateAgainstSchema({ v }, root).map(({ field, reason }) => `${field} ${reason}`);
}

describe('validateAgainstSchema', () => {
  const rows: readonly (readonly [string, object, readonly unknown[], readonly unknown[]])[] = [
    ['string', { type: 'string' }, ['', 'a'], [1, null, {}, [], true]],
    ['integer', { type: 'integer' }, [0, -5], [0.5, '1', null]],
    ['number', { type: 'number' }, [0, 0.5], ['1']],
    ['boolean', { type: 'boolean' }, [true, false], [0, 'true']],
    ['nullable', { type: 'string', nullable: true }, ['a', null], [1]],
    ['int-or-string', { 'x-kubernetes-int-or-string': true }, [1, '25%'], [0.5, {}]],
    ['minimum', { type: 'integer', minimum: 1 }, [1, 2], [0]],
    ['exclusiveMinimum', { type: 'integer', minimum: 1, exclusiveMinimum: true }, [2], [1]],
    ['maximum', { type: 'integer', maximum: 3 }, [3], [4]],
    ['exclusiveMaximum', { type: 'integer', maximum: 3, exclusiveMaximum: true }, [2], [3]],
    ['multipleOf', { type: 'integer', multipleOf: 5 }, [0, 10], [3]],
    ['minLength', { type: 'string', minLength: 2 }, ['ab', '😀😀'], ['a', '😀']],
    ['maxLength', { type: 'string', maxLength: 2 }, ['ab', '😀😀'], ['abc']],
    ['pattern', { type: 'string', pattern: '^[a-z]+$' }, ['abc'], ['A']],
    ['pattern with flags', { type: 'string', pattern: '(?i)^[a-z]+$' }, ['abc', 'A'], ['1']],
    [
      'pattern with POSIX classes',
      { type: 'string', pattern: '\\A[[:alpha:]]+\\z' },
      ['aB'],
      ['1'],
    ],
    ['a pattern that cannot be translated', { type: 'string', pattern: '(?P<x>a' }, ['b'], []],
    ['enum', { enum: ['a', { b: 1 }] }, ['a', { b: 1 }], ['b', { b: 2 }]],
    ['an empty enum, which is no constraint', { enum: [] }, ['a', 1, {}], []],
    ['minItems', { type: 'array', minItems: 1, items: {} }, [[1]], [[]]],
    ['maxItems', { type: 'array', maxItems: 1, items: {} }, [[1]], [[1, 2]]],
    ['set', { type: 'array', 'x-kubernetes-list-type': 'set', items: {} }, [[1, 2]], [[1, 1]]],
    [
      'additionalProperties',
      { type: 'object', additionalProperties: { type: 'string' } },
      [{ a: 'x' }],
      [{ a: 1 }],
    ],
    ['minProperties', { type: 'object', minProperties: 1 }, [{ a: 1 }], [{}]],
    ['maxProperties', { type: 'object', maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }]],
    ['anyOf', { anyOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [7, 2], [3]],
    ['oneOf', { oneOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [7, 2], [3, 8]],
    ['allOf', { allOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [8], [7]],
    ['not', { not: { enum: ['a'] } }, ['b'], ['a']],
  ];
  for (const [rule, schema, good, bad] of rows) {
    it(`applies ${rule}`, () => {
      for (const value of good)
        expect(causesOf(value, schema), JSON.stringify(value)).to.deep.equal([]);
      for (const value of bad)
        expect(causesOf(value, schema), JSON.stringify(value)).not.to.deep.equal([]);
    });
  }

  it('finds duplicates of a map list by its keys', () => {
    const schema = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object' },
    };
    expect(
      causesOf(
        [
          { name: 'a', x: 1 },
          { name: 'a', x: 2 },
        ],
        schema,
      ),
    ).to.deep.equal(['v[1] FieldValueDuplicate']);
  });

  it('leaves type and metadata alone', () => {
    const schema = {
      type: 'object',
      required: ['metadata', 'spec'],
      properties: { metadata: { type: 'string' } },
    };
    const causes = validateAgainstSchema({ apiVersion: 'v1', kind: 'X', metadata: {} }, schema);
    expect(causes.map(({ field }) => field)).to.deep.equal(['spec']);
  });

  it('stops at 100 causes', () => {
    const value = Array.from({ length: 5000 }, () => 'x');
    expect(causesOf(value, { type: 'array', items: { type: 'integer' } })).to.have.length(100);
  });
});

describe('pruneObject', () => {
  it('removes unknown fields at every level, and keeps what the schema lets through', () => {
    const object = {
      apiVersion: 'v1',
      metadata: { name: 'a', odd: 1 },
      odd: 1,
      spec: {
        a: 1,
        odd: 1,
        list: [{ a: 1, odd: 1 }],
        free: { odd: 1 },
        map: { x: { a: 1, odd: 1 } },
      },
    };
    const leaf = { type: 'object', properties: { a: {} } };
    pruneObject(object, {
      properties: {
        spec: {
          properties: {
            a: {},
            list: { type: 'array', items: leaf },
            free: { 'x-kubernetes-preserve-unknown-fields': true },
            map: { additionalProperties: leaf },
          },
        },
      },
    });
    expect(object).to.deep.equal({
      apiVersion: 'v1',
      metadata: { name: 'a', odd: 1 },
      spec: { a: 1, list: [{ a: 1 }], free: { odd: 1 }, map: { x: { a: 1 } } },
    });
  });

  it('removes nulls where the schema wants a value', () => {
    const object = { a: null, b: null };
    pruneObject(object, {
      properties: { a: { type: 'string' }, b: { type: 'string', nullable: true } },
    });
    expect(object).to.deep.equal({ b: null });
  });

  it('removes an unknown __proto__ and keeps a known one as data', () => {
    const object = JSON.parse('{"spec":{"__proto__":{"x":1}}}') as { spec: object };
    pruneObject(object, {
      properties: {
        spec: { additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } },
      },
    });
    expect(JSON.stringify(object)).to.equal('{"spec":{"__proto__":{"x":1}}}');
    pruneObject(object, { properties: { spec: { properties: {} } } });
    expect(JSON.stringify(object)).to.equal('{"spec":{}}');
  });
});

describe('setSchemaDefaults', () => {
  it('fills in defaults from the outside in, each a copy of its own', () => {
    const inner = { type: 'object', properties: { b: { default: 2 } } };
    const schema = {
      properties: {
        a: { ...inner, default: {} },
        list: { items: inner },
        map: { additionalProperties: inner },
      },
    };
    const first = { list: [{}, { b: 5 }], map: { x: {} } } as Record<string, unknown>;
    setSchemaDefaults(first, schema);
    expect(first).to.deep.equal({ a: { b: 2 }, list: [{ b: 2 }, { b: 5 }], map: { x: { b: 2 } } });
    (first['a'] as { b: number }).b = 9;
    const second = {};
    setSchemaDefaults(second, schema);
    expect(second).to.deep.equal({ a: { b: 2 } });
  });
});
