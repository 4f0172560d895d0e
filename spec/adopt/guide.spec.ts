import { expect } from 'chai';
import { guideSections } from './guide-sections.ts';
import { NEXT } from './next.ts';
import { TOOLS } from './tools.ts';

describe('the guide to bundlers and test runners', () => {
  it('has a project of npm run check -- adopt for each of its sections, and no other', () => {
    const tried = new Set([...TOOLS, NEXT].map(({ section }) => section));
    const titles = guideSections().map(({ title }) => title);
    expect(titles.toSorted()).to.deep.equal([...tried].toSorted());
  });

  it('names each project once, with a pinned version of each package', () => {
    const names = [...TOOLS, NEXT].map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    const packages = [...TOOLS, NEXT].flatMap((tool) => tool.packages);
    expect(packages.filter((one) => !/.@\d+\.\d+\.\d+$/.test(one))).to.deep.equal([]);
  });
});
