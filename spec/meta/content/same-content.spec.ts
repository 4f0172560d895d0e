import { expect } from 'chai';
import { sameContent } from '../../../lib/meta/content/same-content.ts';

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

  for (const [what, one, other, equal] of [
    ['limits', { limits: { cpu: '1000m' } }, { limits: { cpu: '1' } }, true],
    ['limits of numbers', { limits: { cpu: 1 } }, { limits: { cpu: '1' } }, true],
    [
      'binary and decimal',
      { requests: { memory: '1Gi' } },
      { requests: { memory: '1024Mi' } },
      true,
    ],
    ['exponents', { capacity: { storage: '1.5e3' } }, { capacity: { storage: '1500' } }, true],
    ['signs', { requests: { a: '-1' } }, { requests: { a: '1' } }, false],
    ['other numbers', { limits: { cpu: '1001m' } }, { limits: { cpu: '1' } }, false],
    ['units', { limits: { memory: '1G' } }, { limits: { memory: '1Gi' } }, false],
    [
      'a limit range',
      { limits: [{ max: { cpu: '0.5' } }] },
      { limits: [{ max: { cpu: '500m' } }] },
      true,
    ],
    ['a scalar', { sizeLimit: '1Ki' }, { sizeLimit: '1024' }, true],
    ['no quantities', { limits: { cpu: 'a' } }, { limits: { cpu: 'b' } }, false],
    ['texts elsewhere', { env: [{ value: '1000m' }] }, { env: [{ value: '1' }] }, false],
    ['data', { data: { limit: '1000m' } }, { data: { limit: '1' } }, false],
    [
      'times',
      { renewTime: '2026-01-01T00:00:00.000000Z' },
      { renewTime: '2026-01-01T01:00:00+01:00' },
      true,
    ],
    [
      'microseconds',
      { renewTime: '2026-01-01T00:00:00.000001Z' },
      { renewTime: '2026-01-01T00:00:00.000002Z' },
      false,
    ],
    [
      'times in data',
      { data: { startTime: '2026-01-01T00:00:00.0Z' } },
      { data: { startTime: '2026-01-01T00:00:00Z' } },
      false,
    ],
    [
      'empty maps',
      { template: { metadata: { labels: {} } } },
      { template: { metadata: {} } },
      true,
    ],
    ['empty limits', { resources: { limits: {} } }, { resources: {} }, true],
    ['empty selectors', { podSelector: {} }, {}, false],
  ] as const) {
    it(`${equal ? 'takes as the same' : 'distinguishes'} ${what}`, () => {
      expect(sameContent({ ...map, spec: one }, { ...map, spec: other })).to.equal(equal);
      expect(sameContent({ ...map, spec: other }, { ...map, spec: one })).to.equal(equal);
    });
  }

  it('compares stringData of a Secret with the data that it becomes', () => {
    const stored = { kind: 'Secret', data: { a: 'eA==', b: 'eQ==' } };
    expect(
      sameContent({ kind: 'Secret', data: { a: 'eA==' }, stringData: { b: 'y' } }, stored),
    ).to.equal(true);
    expect(sameContent({ kind: 'Secret', stringData: { a: 'x', b: 'z' } }, stored)).to.equal(false);
  });

  describe('with ignoreUnset', () => {
    const stored = {
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate' },
        template: { spec: { containers: [{ name: 'a', image: 'b', imagePullPolicy: 'Always' }] } },
      },
    };
    const wanted = (change: object): object => ({
      spec: {
        template: { spec: { containers: [{ name: 'a', image: 'b' }], hostNetwork: false } },
        ...change,
      },
    });
    const same = (change: object): boolean =>
      sameContent(wanted(change), stored, { ignoreUnset: true });

    it('does not look at defaults that the server has set', () => {
      expect(same({})).to.equal(true);
      expect(same({ strategy: {}, paused: false, minReadySeconds: 0, selector: null })).to.equal(
        true,
      );
      expect(sameContent(wanted({}), stored)).to.equal(false);
    });

    it('sees what is set to another value, and lists of another length', () => {
      expect(same({ replicas: 2 })).to.equal(false);
      expect(same({ replicas: 0 })).to.equal(false);
      expect(same({ paused: true })).to.equal(false);
      expect(same({ template: { spec: { containers: [{ name: 'a' }, { name: 'b' }] } } })).to.equal(
        false,
      );
    });
  });
});
