import { expect } from 'chai';
import { schemaNode } from '../../../../lib/server/custom/schema/schema-node.ts';
import { validateValue } from '../../../../lib/server/custom/schema/validate-value.ts';

/** The messages of a number `v`, as kube-apiserver 1.36.3 answers. */
function messages(rules: object, v: number): readonly string[] {
  const node = schemaNode({ type: 'object', properties: { v: { type: 'number', ...rules } } });
  return validateValue({ v }, node).map(({ message }) => message);
}

const broken = (value: string, rule: string): string[] => [
  `Invalid value: ${value}: v in body should be ${rule}`,
];

describe('the rules of numbers', () => {
  it('show a whole limit by the kind of the number that breaks it', () => {
    const rules = { maximum: 1_000_000 };
    const more = 'less than or equal to';
    expect(messages(rules, 1_000_001)).to.deep.equal(broken('1000001', `${more} 1000000`));
    expect(messages(rules, 1_000_000.5)).to.deep.equal(broken('1.0000005e+06', `${more} 1e+06`));
  });

  it('compare integers with the least one if the limit is none of 64 bits', () => {
    const least = '-9223372036854775808';
    expect(messages({ maximum: 1e21 }, 0)).to.deep.equal(
      broken('0', `less than or equal to ${least}`),
    );
    expect(messages({ maximum: 1e21 }, 0.5)).to.deep.equal([]);
  });

  it('find multiples as doubles are divided: a little below one is none', () => {
    expect(messages({ multipleOf: 0.01 }, 4.35)).to.deep.equal(
      broken('4.35', 'a multiple of 0.01'),
    );
    expect(messages({ multipleOf: 0.01 }, 0.07)).to.deep.equal([]);
    expect(messages({ multipleOf: 0.01 }, -0.07)).to.deep.equal(
      broken('-0.07', 'a multiple of 0.01'),
    );
    expect(messages({ multipleOf: 2 }, 1e20)).to.deep.equal(broken('1e+20', 'a multiple of 2'));
  });

  it('refuse a factor below one for integers, which make it zero', () => {
    expect(messages({ multipleOf: 0.1 }, 3)).to.deep.equal([
      'Invalid value: 0: factor MultipleOf declared for v must be positive: 0',
    ]);
  });
});
