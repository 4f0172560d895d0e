import { expect } from 'chai';
import { stateDifference } from '../../../lib/simulator/oracle/expectation.ts';

const fields = (object: Readonly<Record<string, string>>) => new Map(Object.entries(object));
const between = (
  expected: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
) => stateDifference(fields(expected), fields(found), undefined);

describe('the difference of an object', () => {
  it('is none for the same fields, and those that are masked', () => {
    expect(between({ 'data.a': '1' }, { 'data.a': '1' })).to.equal(undefined);
    const masked = new Set(['data.a']);
    const found = stateDifference(fields({ 'data.a': '1' }), fields({ 'data.a': '2' }), masked);
    expect(found).to.equal(undefined);
  });

  it('is that it is missing, or that it exists', () => {
    expect(stateDifference(fields({}), undefined, undefined)?.difference).to.equal('missing');
    expect(stateDifference(undefined, fields({}), undefined)?.difference).to.equal('exists');
  });

  it('names three fields with their values, and all without values and numbers', () => {
    expect(
      between({ 'a[0].b': '1', 'a[1].b': '1', c: '1', d: '1' }, { 'a[0].b': '2', 'a[1].b': '3' }),
    ).to.deep.equal({
      message:
        'a[0].b is 2, without faults 1; a[1].b is 3, without faults 1; c is absent, without faults 1, and 1 more fields',
      difference: 'a[].b, c, d',
    });
  });

  it('reports a list in another order as one difference', () => {
    const seeds = { 'data.seeds[0]': '"a"', 'data.seeds[1]': '"b"', 'data.seeds[2]': '"c"' };
    const turned = { 'data.seeds[0]': '"c"', 'data.seeds[1]': '"b"', 'data.seeds[2]': '"a"' };
    expect(between(seeds, turned)).to.deep.equal({
      message: 'data.seeds has the same elements in another order',
      difference: 'data.seeds in another order',
    });
    const other = between(seeds, { ...turned, 'data.seeds[0]': '"d"' });
    expect(other?.message).to.match(/^data\.seeds\[0\] is "d", without faults "a"/);
  });

  it('finds the order of a list of objects, and of one inside of an object of a list', () => {
    const one = { 'c[0].name': 'x', 'c[0].e[0]': '1', 'c[0].e[1]': '2', 'c[1].name': 'y' };
    const outer = { 'c[1].name': 'x', 'c[1].e[0]': '1', 'c[1].e[1]': '2', 'c[0].name': 'y' };
    expect(between(one, outer)?.message).to.equal('c has the same elements in another order');
    const inner = { ...one, 'c[0].e[0]': '2', 'c[0].e[1]': '1' };
    expect(between(one, inner)?.message).to.equal('c[0].e has the same elements in another order');
  });
});
