import { expect } from 'chai';
import { Report } from '../../../../lib/server/registry/validation/check.ts';
import { isEmpty, unique } from '../../../../lib/server/registry/validation/combine.ts';

describe('unique', () => {
  const placesOf = (check: ReturnType<typeof unique>, value: unknown): (string | undefined)[] => {
    const report = new Report({});
    check(value, 'list', report, undefined);
    return report.causes.map(({ field }) => field);
  };

  it('refuses each item that is equal to an earlier one', () => {
    expect(placesOf(unique(), ['a', 'b', 'a', 'a'])).to.deep.equal(['list[2]', 'list[3]']);
    expect(placesOf(unique(), [{ a: 1 }, { a: 1 }])).to.deep.equal(['list[1]']);
    expect(placesOf(unique(), ['1', 1])).to.deep.equal([]);
    expect(placesOf(unique(), 'aa')).to.deep.equal([]);
  });

  it('compares a member of the items, and names its place', () => {
    const byName = unique((item) => (item as { name: string }).name, 'name');
    expect(placesOf(byName, [{ name: 'a' }, { name: 'a', x: 1 }])).to.deep.equal(['list[1].name']);
  });
});

describe('isEmpty', () => {
  it("is Go's zero value of texts and lists", () => {
    for (const value of [undefined, null, '', []]) expect(isEmpty(value)).to.equal(true);
    for (const value of ['a', [''], 0, false, {}]) expect(isEmpty(value)).to.equal(false);
  });
});
