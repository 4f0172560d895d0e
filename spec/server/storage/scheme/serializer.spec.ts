import { expect } from 'chai';
import { asUnstructured } from '../../../../lib/server/storage/scheme/serializer.ts';

describe('asUnstructured', () => {
  it('refuses a document that is no object', () => {
    for (const document of [null, undefined, 'text', 1, [], [{}]]) {
      expect(() => asUnstructured(document)).to.throw('the document is not an object');
    }
  });

  it('gives a document without type the default one, with the group before the version', () => {
    const apps = { group: 'apps', version: 'v1', kind: 'Deployment' };
    const core = { group: '', version: 'v1', kind: 'Pod' };
    expect(asUnstructured({ a: 1 }, { defaults: apps })).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      a: 1,
    });
    expect(asUnstructured({}, { defaults: core })).to.deep.equal({ apiVersion: 'v1', kind: 'Pod' });
  });

  it('adds the half of a type that is missing, and leaves a whole one alone', () => {
    const defaults = { group: '', version: 'v1', kind: 'Pod' };
    expect(asUnstructured({ kind: 'Node' }, { defaults })).to.deep.equal({
      apiVersion: 'v1',
      kind: 'Node',
    });
    const whole = { apiVersion: 'v2', kind: 'A' };
    expect(asUnstructured(whole, { defaults })).to.equal(whole);
    const bare = {};
    expect(asUnstructured(bare)).to.equal(bare);
  });
});
