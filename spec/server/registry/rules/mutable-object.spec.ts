import { expect } from 'chai';
import { toMutableObject } from '../../../../lib/server/registry/rules/mutable-object.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';

const read = (metadata: unknown): ReturnType<typeof toMutableObject> =>
  toMutableObject({ kind: 'A', apiVersion: 'v1', metadata } as UnstructuredObject);

describe('toMutableObject', () => {
  it('copies the metadata, and drops what is empty or null', () => {
    const labels = { a: 'b' };
    const given = {
      name: 'x',
      uid: null,
      labels,
      annotations: {},
      finalizers: [],
      ownerReferences: [],
    };
    const { metadata } = read(given);
    expect(metadata).to.deep.equal({ name: 'x', labels });
    expect(metadata).not.to.equal(given);
  });

  for (const [field, value, expected] of [
    ['name', 1, 'a string'],
    ['creationTimestamp', {}, 'a string'],
    ['generation', 1.5, 'a whole number'],
    ['deletionGracePeriodSeconds', '1', 'a whole number'],
    ['labels', ['a'], 'a map of strings'],
    ['annotations', { a: 1 }, 'a map of strings'],
    ['finalizers', ['a', 1], 'a list of strings'],
    ['finalizers', 'a', 'a list of strings'],
    ['ownerReferences', [{}, 'a'], 'a list of objects'],
    ['ownerReferences', {}, 'a list of objects'],
  ] as const) {
    it(`refuses ${field} of ${JSON.stringify(value)}`, () => {
      expect(() => read({ [field]: value })).to.throw(`metadata.${field} must be ${expected}`);
    });
  }

  it('refuses metadata and bodies that are no objects', () => {
    expect(() => read('x')).to.throw('metadata must be an object');
    const list = [] as unknown as UnstructuredObject;
    expect(() => toMutableObject(list)).to.throw('the body must be a JSON object');
  });
});
