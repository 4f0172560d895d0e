import { expect } from 'chai';
import {
  STRICT,
  toleranceOf,
  type Tolerance,
} from '../../../../lib/server/custom/definition/tolerance.ts';

const text = { type: 'string' };

function definition(openAPIV3Schema: object, conversion: object = {}, status: object = {}): object {
  return {
    spec: { conversion, versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
    status,
  };
}

const established = { conditions: [{ type: 'Established', status: 'True' }] };
const bundle = (caBundle: string): object => ({ webhook: { clientConfig: { caBundle } } });
const of = (existing: object): Tolerance => toleranceOf(existing, existing);
const schemaOf = (properties: object): Tolerance => of(definition({ type: 'object', properties }));

describe('what an update of a definition may break', () => {
  it('is nothing where the stored one breaks no rule', () => {
    const { allowsWrongBundle, ...rules } = of(
      definition({ type: 'object', properties: { a: text } }, {}, established),
    );
    expect({ ...rules, allowsWrongBundle: true }).to.deep.equal(STRICT);
    expect(allowsWrongBundle).to.equal(false);
  });

  it('is the structure where the stored one has none', () => {
    expect(schemaOf({ a: { description: 'no type' } }).requiresStructure).to.equal(false);
    expect(schemaOf({ a: { ...text, dependencies: { b: ['c'] } } }).requiresStructure).to.equal(
      false,
    );
    expect(schemaOf({ a: { type: 'thing' } }).requiresTypes).to.equal(false);
  });

  it('is the schema where the stored one has none', () => {
    expect(of({ spec: { versions: [{ name: 'v1' }] } }).requiresSchema).to.equal(false);
  });

  it('is the bundle where the stored one is wrong, or nothing is established', () => {
    const bundleOf = (caBundle: string, status: object): boolean | undefined =>
      of(definition({ type: 'object' }, bundle(caBundle), status)).allowsWrongBundle;
    expect(bundleOf('AAAA', established)).to.equal(true);
    expect(bundleOf('', established)).to.equal(false);
    expect(bundleOf('', {})).to.equal(true);
    expect(bundleOf('AAAA', {})).to.equal(true);
  });
});
