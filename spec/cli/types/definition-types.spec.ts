import { expect } from 'chai';
import { definitionTypes } from '../../../lib/cli/types/definition-types.ts';
import type { Definition, Fields } from '../../../lib/cli/types/definition.ts';

const withSchema = (spec: Fields): Definition => ({
  group: 'example.com',
  kind: 'Thing',
  plural: 'things',
  place: 'things.yaml',
  versions: [
    { name: 'v1', storage: true, deprecation: undefined, schema: { properties: { spec } } },
  ],
});

const PRESERVES = { 'x-kubernetes-preserve-unknown-fields': true };

describe('types of definitions', () => {
  it('end with one line for a schema that shared parts multiply beyond 200,000 fields', () => {
    let schema: Fields = { type: 'string' };
    for (let level = 0; level < 6; level += 1) {
      const names = Array.from({ length: 20 }, (_, index) => [`p${index}`, schema]);
      schema = { type: 'object', properties: Object.fromEntries(names) as Fields };
    }
    expect(() => definitionTypes([withSchema(schema)]))
      .to.throw(
        /^things\.yaml: v1, \.spec(?:\.p\d+)+: more than 200000 fields; an anchor may repeat them$/,
      )
      .with.property('code', 'MANIFEST_INVALID');
  });

  it('have this bound in each version, and none over all definitions', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100_001 }, (_, index) => [`f${index}`, { type: 'string' }]),
    );
    const one = withSchema({ type: 'object', properties });
    const text = definitionTypes([one, { ...one, kind: 'Other', plural: 'others' }]);
    expect(text.match(/ {2}f100000\?/g)).to.have.length(2);
  });

  it('have unknown only where the schema preserves unknown fields', () => {
    const typed = (spec: Fields): string => definitionTypes([withSchema(spec)]);
    for (const schema of [
      {},
      { type: 'object' },
      { type: 'object', additionalProperties: false },
    ]) {
      expect(typed(schema)).to.not.include('unknown');
    }
    expect(typed({ type: 'array', items: PRESERVES })).to.include('spec?: unknown[] | undefined;');
    expect(typed({ ...PRESERVES, nullable: true })).to.include('spec?: unknown;');
  });

  it('have unknown fields in the items of a list that preserves them, as the server keeps them', () => {
    const typed = (items: Fields): string =>
      definitionTypes([withSchema({ type: 'array', items, ...PRESERVES })]);
    expect(typed({ type: 'object' })).to.include(
      'spec?: { [key: string]: unknown }[] | undefined;',
    );
    const named = typed({ type: 'object', properties: { size: { type: 'integer' } } });
    expect(named).to.include('size?: number | undefined;\n  [key: string]: unknown;');
    expect(typed({ type: 'string' })).to.include('spec?: string[] | undefined;');
  });

  it('take no names that the file uses itself', () => {
    const kinds = ['ObjectMeta', 'Object', 'KnownResources'].map((kind) => ({
      ...withSchema({}),
      kind,
      plural: kind.toLowerCase(),
    }));
    expect(definitionTypes(kinds)).to.include(
      `'example.com/v1': { objectmeta: ObjectMetaV1; object: ObjectV1; knownresources: KnownResourcesV1 };`,
    );
  });
});
