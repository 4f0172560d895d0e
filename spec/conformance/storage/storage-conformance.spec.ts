import { expect } from 'chai';
import {
  describeStorage,
  storageConformanceTopics,
  storageTestsLeftOut,
} from '../../../lib/conformance/storage/storage-conformance.ts';
import { upstreamStorageTests } from '../../../lib/conformance/storage/upstream-storage-tests.ts';

const cases = storageConformanceTopics.flatMap(([, some]) => some);

describe('the storage suite', () => {
  it('stands for each of the 60 run-functions of kube-apiserver, or says why it does not', () => {
    expect(new Set(upstreamStorageTests).size).to.equal(60);
    const held = new Set(cases.flatMap(({ upstream }) => upstream));
    const leftOut = storageTestsLeftOut.map(({ name }) => name);
    expect(leftOut.filter((name) => held.has(name))).to.deep.equal([]);
    const missing = upstreamStorageTests.filter((name) => !held.has(name));
    expect(missing.toSorted()).to.deep.equal(leftOut.toSorted());
  });

  it('has a different title for each case', () => {
    const titles = cases.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).to.deep.equal([]);
  });

  it('leaves out what the backend does not support, and says so', () => {
    const define = (supportsProgress?: boolean): { run: string[]; leftOut: string[] } => {
      const run: string[] = [];
      const leftOut: string[] = [];
      describeStorage('x', {
        describe: (_, body) => {
          body();
        },
        it: (title) => run.push(title),
        open: () => {
          throw new Error('nothing is opened to define the suite');
        },
        cached: false,
        supportsProgress,
        onLeftOut: (title, because) => leftOut.push(`${title}: ${because}`),
      });
      return { run, leftOut };
    };
    const all = define();
    const some = define(false);
    expect(all.leftOut).to.deep.equal([]);
    expect(some.leftOut).to.have.length(1);
    expect(all.run.length - some.run.length).to.equal(1);
    expect(some.leftOut[0]).to.contain('the backend cannot report its progress');
  });
});
