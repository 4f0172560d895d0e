import { expect } from 'chai';
import { resolveCacheOptions } from '../../../../lib/cache/memory/cache-options.ts';
import { decodedPair } from '../../../../lib/cache/memory/views/decoded-pair.ts';
import { SlabMemory } from '../../../../lib/cache/memory/slab-memory.ts';
import { FrozenView } from '../../../../lib/cache/store/frozen-view.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { podOf, viewOf } from '../kept-views.ts';

const managedFields = [{ manager: 'kubelet', fieldsV1: { 'f:status': {} } }];

/** A pod whose spec is longer than its status. */
function podWith(version: number, spec: object, phase: string): object {
  const { metadata } = podOf(1, version);
  return { kind: 'Pod', metadata: { ...metadata, managedFields }, spec, status: { phase } };
}

const SPEC = { nodeName: 'node-1', containers: [{ name: 'web', image: 'nginx' }] };

describe('the two states of an update', () => {
  for (const mode of ['bytes', 'objects'] as const) {
    for (const leaves of [false, true]) {
      const how = leaves ? ', after the old one has left the cache' : '';
      it(`share a spec with the same bytes in a cache of ${mode}${how}`, () => {
        const memory = new SlabMemory(resolveCacheOptions('SlabMemory', mode));
        using _ = memory.pin('body');
        const old = podWith(1, SPEC, 'Pending');
        const current = podWith(2, SPEC, 'Running');
        const views = [memory.retain(viewOf(old)), memory.retain(viewOf(current))] as const;
        if (leaves) memory.release(views[0], 'left');
        const pair = decodedPair(...views);
        expect(pair).to.deep.equal([old, current]);
        expect(pair[0]['spec']).to.equal(pair[1]['spec']);
        expect(views[0].object).to.deep.equal(old);
        memory.destroy();
      });
    }
  }

  it('have specs of their own when the bytes differ', () => {
    const old = podWith(1, { ...SPEC, nodeName: 'node-2' }, 'Pending');
    const current = podWith(2, SPEC, 'Running');
    const pair = decodedPair(viewOf(old), viewOf(current));
    expect(pair).to.deep.equal([old, current]);
    expect(pair[0]['spec']).to.not.equal(pair[1]['spec']);
  });

  it('do not share equal bytes of members with different names', () => {
    const { metadata } = podOf(1);
    const old = { metadata, status: SPEC };
    const current = { metadata, spec: SPEC };
    expect(decodedPair(viewOf(old), viewOf(current))).to.deep.equal([old, current]);
  });

  it('are one object at a resync, with any bound of decoded objects', () => {
    const memory = new SlabMemory({ mode: 'bytes', decodedBytes: 0 });
    const view = memory.retain(viewOf(podWith(1, SPEC, 'Running')));
    const [old, current] = decodedPair(view, view);
    expect(old).to.equal(current);
    memory.destroy();
  });

  it('are frozen where the cache freezes its objects', () => {
    const view = (version: number) =>
      new FrozenView<UnstructuredObject>(viewOf(podWith(version, SPEC, 'Running')));
    const [old, current] = decodedPair(view(1), view(2));
    expect(old['spec']).to.equal(current['spec']);
    for (const one of [old, current]) {
      expect(Object.isFrozen(one)).to.equal(true);
      expect(Object.isFrozen(one.metadata)).to.equal(true);
      expect(Object.isFrozen(one['spec'])).to.equal(true);
    }
  });

  it('are the objects that are decoded already', () => {
    const [one, other] = [viewOf(podWith(1, SPEC, 'Pending')), viewOf(podWith(2, SPEC, 'Running'))];
    const before = [one.object, other.object];
    const after = decodedPair(one, other);
    expect(after[0]).to.equal(before[0]);
    expect(after[1]).to.equal(before[1]);
  });
});
