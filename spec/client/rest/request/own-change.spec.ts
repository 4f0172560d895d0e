import { expect } from 'chai';
import { isOwnChange } from '../../../../lib/client/rest/request/own-change.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';

interface Site extends KubernetesObject {
  readonly spec?: object;
  readonly status?: object;
}

function site(version: number, rest: Partial<Site> = {}, metadata: object = {}): Site {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: String(version),
      generation: version,
      ...metadata,
    },
    spec: { replicas: 1 },
    ...rest,
  };
}

const managedBy = (...managers: string[]): object => ({
  managedFields: managers.map((manager) => ({ manager })),
});

describe('the answer to a write', () => {
  const status = { ready: 1 };

  it('is an own change when all that differs was sent', () => {
    const before = site(1, {}, managedBy('user'));
    const answer = site(2, { status }, managedBy('user', 'sites'));
    expect(
      isOwnChange(answer, { before, body: { status }, creates: false, subresource: undefined }),
    ).to.equal(true);
  });

  for (const [what, change, metadata] of [
    ['the spec', { spec: { replicas: 2 } }, {}],
    ['a label', {}, { labels: { a: 'b' } }],
    ['a finalizer', {}, { finalizers: ['example.com/a'] }],
    ['another field of the status', { status: { ready: 1, message: 'x' } }, {}],
  ] as const) {
    it(`is none when ${what} has changed too, whether the write changed something or not`, () => {
      const before = site(1);
      const answer = site(3, { status, ...change }, metadata);
      expect(
        isOwnChange(answer, { before, body: { status }, creates: false, subresource: undefined }),
      ).to.equal(false);
      const same = site(1, { status: 'status' in change ? {} : status });
      const unchanged = { before: same, body: { status }, creates: false, subresource: undefined };
      expect(isOwnChange(answer, unchanged)).to.equal(false);
    });
  }

  it('is none when it has the version that was known before', () => {
    const before = site(3, { status });
    const write = { before, body: { status }, creates: false, subresource: undefined };
    expect(isOwnChange(site(3, { status }), write)).to.equal(false);
  });

  it('covers what lies below a list, but no default beside what was sent', () => {
    const before = site(1);
    const body = { spec: { template: { image: 'a' }, ports: [{ port: 1 }] } };
    const write = { before, body, creates: false, subresource: undefined };
    const spec = { replicas: 1, template: { image: 'a' }, ports: [{ port: 1, name: 'x' }] };
    expect(isOwnChange(site(2, { spec }), write)).to.equal(true);
    const withDefault = { ...spec, template: { image: 'a', pullPolicy: 'Always' } };
    expect(isOwnChange(site(2, { spec: withDefault }), write)).to.equal(false);
  });

  it('is none when a whole object was sent for its status, and its spec is another', () => {
    const body = site(1, { status });
    const answer = site(3, { status, spec: { replicas: 2 } });
    const before = site(2);
    const write = { before, body, creates: false, subresource: 'status' };
    expect(isOwnChange(answer, write)).to.equal(false);
    expect(isOwnChange(site(3, { status }), write)).to.equal(true);
  });

  it('is none for a patch whose places are not read', () => {
    const body = [{ op: 'replace', path: '/spec/replicas', value: 2 }];
    const answer = site(2, { spec: { replicas: 2 } });
    expect(
      isOwnChange(answer, { before: site(1), body, creates: false, subresource: undefined }),
    ).to.equal(false);
  });

  it('of an object that was not known is an own change when only one manager has written to it', () => {
    const write = { before: undefined, body: {}, creates: false, subresource: undefined };
    expect(isOwnChange(site(1, {}, managedBy('sites')), write)).to.equal(true);
    expect(isOwnChange(site(1, {}, managedBy('sites', 'user')), write)).to.equal(false);
    const other = { ...write, before: site(1, {}, { uid: 'other' }) };
    expect(isOwnChange(site(1, {}, managedBy('sites', 'user')), other)).to.equal(false);
  });

  it('is an own change when it could only make a new object', () => {
    const write = { before: undefined, body: {}, creates: true, subresource: undefined };
    expect(isOwnChange(site(1, {}, managedBy('a', 'b')), write)).to.equal(true);
  });
});
