import { expect } from 'chai';
import { pruneObject } from '../../../../lib/server/custom/schema/prune.ts';
import { schemaNode } from '../../../../lib/server/custom/schema/schema-node.ts';

function prune(object: object, schema: Record<string, unknown>): void {
  pruneObject(object as Record<string, unknown>, schemaNode(schema));
}

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
    prune(object, {
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

  it('removes an unknown __proto__ and keeps a known one as data', () => {
    const object = JSON.parse('{"spec":{"__proto__":{"x":1}}}') as { spec: object };
    prune(object, {
      properties: {
        spec: { additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } },
      },
    });
    expect(JSON.stringify(object)).to.equal('{"spec":{"__proto__":{"x":1}}}');
    prune(object, { properties: { spec: { properties: {} } } });
    expect(JSON.stringify(object)).to.equal('{"spec":{}}');
  });
});
