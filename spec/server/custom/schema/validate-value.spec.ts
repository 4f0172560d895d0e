import { expect } from 'chai';
import { duplicateItems } from '../../../../lib/server/custom/schema/list-kinds.ts';
import { schemaNode } from '../../../../lib/server/custom/schema/schema-node.ts';
import { validateValue } from '../../../../lib/server/custom/schema/validate-value.ts';

/** Causes of a value `v` under the schema of `v`, as `field reason`. */
function causesOf(v: unknown, schema: object): string[] {
  const root = { type: 'object', properties: { v: schema } };
  const node = schemaNode(root);
  const causes = [...validateValue({ v }, node), ...duplicateItems({ v }, node)];
  return causes.map(({ field, reason }) => `${field} ${reason}`);
}

describe('validateValue', () => {
  const rows: readonly (readonly [string, object, readonly unknown[], readonly unknown[]])[] = [
    ['string', { type: 'string' }, ['', 'a'], [1, null, {}, [], true]],
    ['integer', { type: 'integer' }, [0, -5], [0.5, '1', null]],
    ['the largest int64', { type: 'integer', format: 'int64' }, [2 ** 63], [2 ** 64]],
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
    ['enum to null', { type: 'string', nullable: true, enum: ['a'] }, ['a'], [null]],
    [
      'duration',
      { type: 'string', format: 'duration' },
      ['0', '1h30m', '-.5h', '2 days', '3 weeks'],
      ['', '1', 'x', '9223372036854775808h'],
    ],
    [
      'email',
      { type: 'string', format: 'email' },
      ['a@example.com', 'Ann <a@example.com>', '"a b"@example.com'],
      ['a', '@example.com', 'a b@example.com', 'a@', 'Ann <a@example.com'],
    ],
    ['hostname', { type: 'string', format: 'hostname' }, ['example.com'], ['a b', '-']],
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

  it('stops at 1,000 causes', () => {
    const value = Array.from({ length: 5000 }, () => 'x');
    expect(causesOf(value, { type: 'array', items: { type: 'integer' } })).to.have.length(1000);
  });

  it('says of allOf whether none of the schemas fits, or only some', () => {
    const allOf = [{ minimum: 5 }, { multipleOf: 2 }];
    const node = schemaNode({ type: 'object', properties: { v: { allOf } } });
    const texts = (v: number): string => JSON.stringify(validateValue({ v }, node));
    expect(texts(7)).to.contain('must validate all the schemas (allOf)').and.not.contain('None');
    expect(texts(3)).to.contain('must validate all the schemas (allOf). None validated');
  });

  it('lets what is stored stay as it is, but for the type of the object', () => {
    const short = { type: 'string', maxLength: 1 };
    const properties = { kind: short, apiVersion: short, spec: { properties: { kind: short } } };
    const node = schemaNode({ type: 'object', properties });
    const object = { kind: 'Knd', apiVersion: 'a/v1', spec: { kind: 'long' } };
    const fields = (old?: unknown): string[] =>
      validateValue(object, node, old === undefined ? {} : { old }).map(({ field }) => field);
    expect(fields()).to.have.members(['kind', 'apiVersion', 'spec.kind']);
    // An object that is as it was needs no check.
    expect(fields(structuredClone(object))).to.deep.equal([]);
    expect(fields({ ...structuredClone(object), metadata: {} })).to.have.members([
      'kind',
      'apiVersion',
    ]);
  });
});
