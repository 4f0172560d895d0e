import { expect } from 'chai';
import { rejectTable } from '../../../../lib/cache/reflector/failure/table-object.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import type { HasMetadata } from '../../../../lib/meta/object.ts';
import { DecodedView } from '../../../../lib/meta/object-view.ts';

const typed = (apiVersion: string, kind: string): HasMetadata =>
  ({ apiVersion, kind, metadata: {} }) as HasMetadata;

describe('rejectTable', () => {
  for (const apiVersion of ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']) {
    it(`refuses a Table of ${apiVersion}, bare or in a view`, () => {
      const table = typed(apiVersion, 'Table');
      const view = new DecodedView(table);
      for (const item of [table, view]) {
        expect(() => rejectTable(item, 'pods'))
          .to.throw(ListwatchError, 'pods: the server sent Table objects')
          .with.property('code', 'TABLE_OBJECT');
      }
    });
  }

  it('accepts tables of other groups and versions, other kinds, and nothing', () => {
    for (const item of [
      typed('meta.k8s.io/v2', 'Table'),
      typed('furniture.example.com/v1', 'Table'),
      typed('v1', 'Table'),
      typed('meta.k8s.io/v1', 'PartialObjectMetadata'),
      { metadata: {} },
      { metadata: {}, object: null } as HasMetadata,
      { metadata: {}, object: 'a table' } as HasMetadata,
      undefined,
    ]) {
      expect(() => rejectTable(item, 'pods')).to.not.throw();
    }
  });

  it('does not look into an object that has a name', () => {
    let looked = 0;
    const item = {
      metadata: { name: 'a' },
      get object(): unknown {
        looked += 1;
        return undefined;
      },
    };
    rejectTable(item, 'pods');
    expect(looked).to.equal(0);
  });
});
