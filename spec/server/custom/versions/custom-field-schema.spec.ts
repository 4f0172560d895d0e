import { expect } from 'chai';
import type { FieldSchema } from '../../../../lib/meta/fields/field-schema.ts';
import { customFieldSchema } from '../../../../lib/server/custom/versions/custom-field-schema.ts';

const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true };
const inner = { type: 'object', properties: { a: { type: 'string' } } };

function at(schema: object, ...path: readonly string[]): FieldSchema | undefined {
  let found: FieldSchema | undefined = customFieldSchema(schema as Record<string, unknown>);
  for (const name of path) {
    found =
      name === '-' ? found?.list?.element : (found?.map?.declared(name) ?? found?.map?.element);
  }
  return found;
}

describe('the schema by which objects of a custom kind are merged', () => {
  it('takes unknown fields everywhere within a schema that preserves them', () => {
    const properties = { spec: inner, list: { type: 'array', items: inner } };
    const schema = { type: 'object', ...PRESERVE, properties };
    expect(at(schema, 'spec', 'unknown')).to.have.property('map');
    expect(at(schema, 'list', '-', 'unknown')).to.have.property('map');
    expect(at(schema, 'spec', 'a')).to.deep.equal({ scalar: 'string' });
  });

  it('takes none beside a schema that preserves them', () => {
    const schema = { type: 'object', properties: { open: { ...inner, ...PRESERVE }, spec: inner } };
    expect(at(schema, 'open', 'unknown')).to.have.property('map');
    expect(at(schema, 'spec', 'unknown')).to.equal(undefined);
  });

  it('takes the fields beside the properties as their own schema says', () => {
    const properties = { a: { type: 'string' } };
    const map = { type: 'object', properties, additionalProperties: { type: 'integer' } };
    expect(at(map, 'other')).to.deep.equal({ scalar: 'numeric' });
    expect(
      at({ type: 'object', properties, additionalProperties: true }, 'other'),
    ).to.have.property('scalar', 'untyped');
    expect(at({ type: 'object', properties, additionalProperties: false }, 'other')).to.equal(
      undefined,
    );
  });

  it('knows the properties of a value of any type', () => {
    const schema = { type: 'object', properties: { any: { ...PRESERVE, properties: { inner } } } };
    expect(at(schema, 'any')).to.have.property('scalar', 'untyped');
    // Without properties, and so without a type that could be concluded, nothing else counts.
    const open = { ...PRESERVE, additionalProperties: { type: 'integer' } };
    expect(at({ type: 'object', properties: { open } }, 'open', 'x')).to.have.property(
      'scalar',
      'untyped',
    );
    expect(at(schema, 'any', 'inner', 'a')).to.deep.equal({ scalar: 'string' });
    expect(at(schema, 'any', 'inner', 'unknown')).to.have.property('map');
  });
});
