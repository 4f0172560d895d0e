import { expect } from 'chai';
import { sameContent } from '../../lib/meta/same-content.ts';

describe('sameContent', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };

  it('does not look at what the server decides', () => {
    const stored = {
      ...map,
      metadata: {
        ...map.metadata,
        uid: 'u',
        resourceVersion: '7',
        generation: 2,
        creationTimestamp: '2026-01-01T00:00:00Z',
        managedFields: [{}],
      },
    };
    expect(sameContent(map, stored)).to.equal(true);
    expect(sameContent(stored, map)).to.equal(true);
  });

  for (const [what, change] of [
    ['a label', { metadata: { name: 'a', labels: { a: 'b' } } }],
    ['a finalizer', { metadata: { name: 'a', finalizers: ['x'] } }],
    ['the name', { metadata: { name: 'b' } }],
    ['a value', { data: { a: 'c' } }],
    ['a field more', { data: { a: 'b', c: 'd' } }],
    ['a field less', { data: {} }],
    ['an empty text', { data: { a: 'b', c: '' } }],
    ['an empty object', { spec: { emptyDir: {} } }],
    ['the order of a list', { list: [2, 1] }],
    ['the length of a list', { list: [1] }],
    ['a status', { status: { ready: true } }],
  ] as const) {
    it(`sees ${what}`, () => {
      const before = { ...map, list: [1, 2] };
      const after = { ...before, ...change };
      expect(sameContent(before, after)).to.equal(false);
      expect(sameContent(after, before)).to.equal(false);
    });
  }

  it('takes absent, undefined and null fields and empty lists as the same', () => {
    const one = { ...map, spec: { a: [], b: null, c: undefined } };
    expect(sameContent(one, { ...map, spec: {} })).to.equal(true);
    const labels = { ...map, metadata: { name: 'a', labels: {}, annotations: {} } };
    expect(sameContent(map, labels)).to.equal(true);
  });

  it('does not care for the order of fields, nor for the form of a time', () => {
    const one = { at: new Date('2026-01-01T00:00:00Z'), a: 1 };
    expect(sameContent(one, { a: 1, at: '2026-01-01T00:00:00Z' })).to.equal(true);
    expect(sameContent(one, { a: 1, at: '2026-01-01T00:00:01Z' })).to.equal(false);
  });

  it('leaves the status out on request', () => {
    const changed = { ...map, status: { ready: true } };
    expect(sameContent(map, changed, { ignoreStatus: true })).to.equal(true);
  });

  it('reads own fields only', () => {
    expect(sameContent({ spec: { toString: undefined } }, { spec: {} })).to.equal(true);
    expect(sameContent(JSON.parse('{"__proto__":{"a":1}}'), {})).to.equal(false);
  });
});
