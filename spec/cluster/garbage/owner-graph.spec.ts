import { expect } from 'chai';
import { AbsentOwners } from '../../../lib/cluster/garbage/absent-owners.ts';
import { OwnerGraph } from '../../../lib/cluster/garbage/owner-graph.ts';
import type { ObjectMeta } from '../../../lib/meta/object.ts';

const TYPE = { apiVersion: 'example.com/v1', kind: 'Gadget' };
const metaOf = (name: string, owner?: string, more: ObjectMeta = {}): ObjectMeta => ({
  name,
  uid: name,
  namespace: 'default',
  ...(owner === undefined ? {} : { ownerReferences: [{ ...TYPE, name: owner, uid: owner }] }),
  ...more,
});

describe('OwnerGraph, when a resource is not served any more', () => {
  let graph: OwnerGraph;
  let looks: string[];

  beforeEach(() => {
    looks = [];
    graph = new OwnerGraph(new AbsentOwners(), {
      attemptToDelete: ({ identity }) => void looks.push(identity.name),
      attemptToOrphan: () => {},
      wrongNamespace: () => {},
    });
  });

  it('loses an object that nothing names', () => {
    graph.present(TYPE, metaOf('owner'), undefined);
    graph.present(TYPE, metaOf('owned', 'owner'), undefined);
    graph.unserved(metaOf('owned', 'owner'));
    expect(graph.size).to.equal(1);
    expect(graph.node('owner')?.dependents.size).to.equal(0);
  });

  it('keeps an owner, whose dependents stay until a live read has found that it is absent', () => {
    graph.present(TYPE, metaOf('owner'), undefined);
    graph.present(TYPE, metaOf('owned', 'owner'), undefined);
    looks = [];
    graph.unserved(metaOf('owner'));
    expect(graph.node('owner')?.observed).to.equal(false);
    expect(looks).to.deep.equal(['owner']);
    graph.present(TYPE, metaOf('owner'), undefined);
    expect(graph.node('owner')?.observed).to.equal(true);
    expect(graph.size).to.equal(2);
  });

  it('has an owner in the foreground looked at that waited for the object', () => {
    const finalizers = ['foregroundDeletion'];
    const deleted = metaOf('owner', undefined, { deletionTimestamp: 'now', finalizers });
    graph.present(TYPE, metaOf('owned', 'owner'), undefined);
    graph.present(TYPE, deleted, metaOf('owner'));
    looks = [];
    graph.unserved(metaOf('owned', 'owner'));
    expect(looks).to.include('owner');
  });

  it('does not change for an object that it does not have', () => {
    graph.unserved(metaOf('other'));
    expect(graph.size).to.equal(0);
    expect(looks).to.deep.equal([]);
  });
});
