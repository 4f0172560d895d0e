import { expect } from 'chai';
import { StructureChecks } from '../../../../lib/server/custom/definition/structure-condition.ts';

const text = { type: 'string' };

function definition(...schemas: readonly (object | undefined)[]): { readonly spec: object } {
  const versions = schemas.map((openAPIV3Schema, index) => ({
    name: `v${index}`,
    ...(openAPIV3Schema === undefined ? {} : { schema: { openAPIV3Schema } }),
  }));
  return { spec: { versions } };
}

describe('the condition of a definition that is not structural', () => {
  const checks = new StructureChecks();

  it('is there for what is wrong in a version', () => {
    const good = { type: 'object', properties: { a: text } };
    expect(checks.of(definition(good, undefined))).to.equal(undefined);
    const field = 'spec.versions[1].schema.openAPIV3Schema';
    const rule = 'Required value: must not be empty for specified object fields';
    expect(checks.of(definition(good, { type: 'object', properties: { a: {} } }))).to.deep.equal({
      type: 'NonStructuralSchema',
      status: 'True',
      reason: 'Violations',
      message: `${field}.properties[a].type: ${rule}`,
    });
    const properties = { a: {}, b: { properties: { c: {} }, type: 'object' } };
    const { message } = checks.of(definition(good, { type: 'object', properties })) ?? {};
    const paths = [`${field}.properties[a].type`, `${field}.properties[b].properties[c].type`];
    expect(message).to.equal(`[${paths.map((path) => `${path}: ${rule}`).join(', ')}]`);
    expect(checks.of({ spec: { preserveUnknownFields: true } })?.message).to.equal(
      'spec.preserveUnknownFields: Invalid value: true: must be false',
    );
  });

  it('is unknown for a schema that cannot be read as a structural one, at any depth', () => {
    const items = { type: 'object', additionalProperties: { not: { anyOf: [{ id: 'x' }] } } };
    const schema = { type: 'object', properties: { a: { type: 'array', items } } };
    expect(checks.of(definition(schema))).to.deep.include({
      status: 'Unknown',
      reason: 'StructuralError',
      message: `failed to check validation schema for version v0: OpenAPIV3Schema 'id' is not supported`,
    });
  });

  it('is not looked for in a definition that was checked when it was created', () => {
    const bad = { type: 'object', properties: { a: {} } };
    const made = (uid: string, generation = 1) => ({
      ...definition(bad),
      metadata: { uid, generation },
    });
    for (const uid of ['a', 'b', 'failed', 'removed']) {
      void checks.beginCreate(made(uid))(uid !== 'failed');
    }
    checks.forget(made('removed'));
    expect(checks.of(made('a'))).to.equal(undefined);
    for (const one of [made('a'), made('b', 2), made('b'), made('failed'), made('removed')]) {
      expect(checks.of(one)?.reason, one.metadata.uid).to.equal('Violations');
    }
  });

  it('is found once for a spec', () => {
    let reads = 0;
    const schema = {
      get type() {
        reads += 1;
        return 'object';
      },
    };
    const one = definition(schema);
    expect(checks.of(one)).to.equal(undefined);
    const first = reads;
    expect(first).to.be.greaterThan(0);
    expect(checks.of({ ...one })).to.equal(undefined);
    expect(reads).to.equal(first);
  });
});
