import { expect } from 'chai';
import { dropNulls, setDefaults } from '../../../../lib/server/custom/schema/defaults.ts';
import { schemaNode } from '../../../../lib/server/custom/schema/schema-node.ts';

describe('setDefaults', () => {
  it('fills in defaults from the outside in, each a copy of its own', () => {
    const inner = { type: 'object', properties: { b: { default: 2 } } };
    const schema = {
      properties: {
        a: { ...inner, default: {} },
        list: { items: inner },
        map: { additionalProperties: inner },
      },
    };
    const node = schemaNode(schema);
    const first = { list: [{}, { b: 5 }], map: { x: {} } } as Record<string, unknown>;
    setDefaults(first, node);
    expect(first).to.deep.equal({ a: { b: 2 }, list: [{ b: 2 }, { b: 5 }], map: { x: { b: 2 } } });
    (first['a'] as { b: number }).b = 9;
    const second = {};
    setDefaults(second, node);
    expect(second).to.deep.equal({ a: { b: 2 } });
  });
});

describe('dropNulls', () => {
  it('removes nulls where the schema wants a value and has no default', () => {
    const node = schemaNode({
      properties: {
        a: { type: 'string' },
        b: { type: 'string', nullable: true },
        c: { type: 'string', default: 'x' },
      },
    });
    const object = { a: null, b: null, c: null };
    dropNulls(object, node);
    expect(object).to.deep.equal({ b: null, c: null });
    setDefaults(object, node);
    expect(object).to.deep.equal({ b: null, c: 'x' });
  });

  it('removes of the result of an apply only the nulls of its configuration', () => {
    const text = { type: 'string' };
    const items = { properties: { t: text } };
    const node = schemaNode({
      properties: { a: text, b: text, list: { items }, deep: { properties: { c: text, d: text } } },
    });
    const result = { a: null, b: null, deep: { c: null, d: null }, list: [{ t: null }] };
    const first = structuredClone(result);
    dropNulls(first, node, { a: null, deep: { c: null } });
    expect(first).to.deep.equal({ b: null, deep: { d: null }, list: [{ t: null }] });
    const second = structuredClone(result);
    dropNulls(second, node, { list: [{ t: null }] });
    expect(second).to.deep.equal({ ...result, list: [{}] });
  });
});
