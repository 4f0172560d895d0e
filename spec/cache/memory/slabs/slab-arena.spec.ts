import { expect } from 'chai';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { identityOf } from '../../../../lib/meta/object-view.ts';
import type { JsonView } from '../../../../lib/meta/json/json-view.ts';
import { RecentMetadata, RecordCodec } from '../../../../lib/cache/memory/slabs/record-codec.ts';
import { SlabArena } from '../../../../lib/cache/memory/slabs/slab-arena.ts';
import { slotBytes } from '../../../../lib/cache/memory/slabs/record.ts';
import { podOf, viewOf } from '../kept-views.ts';

type View = JsonView<KubernetesObject>;

const MEGABYTE = 1024 * 1024;

function arenaOf(): SlabArena {
  const codec = (): RecordCodec =>
    new RecordCodec({ decoded: () => {}, metadata: new RecentMetadata() });
  return new SlabArena({ codec: codec(), releasedCodec: codec() });
}

function put(arena: SlabArena, object: object): View {
  const view: View = viewOf(object);
  arena.put(view, view.json);
  return view;
}

describe('SlabArena', () => {
  it('copies the bytes of a view, and has its identity without decoding it', () => {
    const arena = arenaOf();
    const view = put(arena, podOf(1));
    put(arena, podOf(2));
    expect(view.object).to.deep.equal(podOf(1));
    expect(identityOf(view)).to.include({
      name: 'pod-1',
      namespace: 'ns-1',
      uid: podOf(1).metadata?.uid,
      resourceVersion: '1',
    });
  });

  it('knows the identity of objects that lack a part of it, or have a very long one', () => {
    const arena = arenaOf();
    for (const metadata of [
      {},
      { name: 'a' },
      { uid: 'u' },
      { resourceVersion: '1' },
      { uid: '', resourceVersion: '' },
      { name: 'long', uid: 'u'.repeat(300), resourceVersion: '1' },
      { name: 'long', uid: 'u'.repeat(254), resourceVersion: '9'.repeat(254) },
    ]) {
      const view = put(arena, { metadata });
      put(arena, podOf(2));
      const expected = { name: undefined, namespace: undefined, uid: undefined, ...metadata };
      expect(identityOf(view)).to.include(expected);
      arena.release(view);
      expect(identityOf(view)).to.include(expected);
    }
  });

  it('costs a cache of ten objects a few kilobytes', () => {
    const arena = arenaOf();
    for (let index = 0; index < 10; index += 1) put(arena, podOf(index));
    expect(arena.slabBytes).to.be.at.most(16 * 1024);
    expect(arena.views).to.equal(10);
  });

  it('gives an object larger than a quarter of a slab one of its own, which goes with it', () => {
    const arena = arenaOf();
    const huge = podOf(1, 1, 3 * MEGABYTE);
    const view = put(arena, huge);
    expect(arena.slabBytes).to.be.within(3 * MEGABYTE, 3 * MEGABYTE + 1000);
    arena.release(view);
    expect(arena.slabBytes).to.equal(0);
    expect(view.object).to.deep.equal(huge);
  });

  it('lets a released view be read after everything else was moved and replaced', () => {
    const arena = arenaOf();
    const released = Array.from({ length: 100 }, (_, index) => put(arena, podOf(index, 1)));
    for (const view of released) arena.release(view);
    for (let index = 0; index < 50_000; index += 1) arena.release(put(arena, podOf(index, 2)));
    expect(arena.liveBytes).to.equal(0);
    for (const [index, view] of released.entries()) {
      expect(view.object).to.deep.equal(podOf(index, 1));
      expect(view.uid).to.equal(podOf(index).metadata?.uid);
    }
  });

  it('takes at most one and a half times the live bytes, and a slab, after many replacements', () => {
    const arena = arenaOf();
    const views = Array.from({ length: 1000 }, (_, index) => put(arena, podOf(index)));
    let most = 0;
    for (let round = 0; round < 100_000; round += 1) {
      const index = (round * 7919) % 1000;
      const before = views[index] as View;
      views[index] = put(arena, podOf(index, round, 100 + ((round * 37) % 900)));
      arena.release(before);
      most = Math.max(most, arena.slabBytes - 1.5 * arena.liveBytes);
    }
    expect(most).to.be.at.most(MEGABYTE + 1000);
    expect(arena.views).to.equal(1000);
    for (const [index, view] of views.entries()) {
      expect(view.name).to.equal(`pod-${index}`);
      expect(view.metadata.uid).to.equal(view.uid);
    }
  });

  it('writes what replaces an object where one of its size has left', () => {
    const arena = arenaOf();
    for (const bulk of [100, 101, 117, 1000, 100_000]) {
      const views = Array.from({ length: 20 }, (_, index) => put(arena, podOf(index, 1000, bulk)));
      const { slabBytes, freeSlots } = arena;
      for (let round = 1001; round < 3000; round += 1) {
        const index = round % 20;
        const before = views[index] as View;
        views[index] = put(arena, podOf(index, round, bulk));
        arena.release(before, 'metadata');
      }
      expect(arena.slabBytes).to.be.at.most(slabBytes + MEGABYTE);
      expect(arena.freeSlots).to.be.at.most(freeSlots + 5);
    }
  });

  it('counts what was moved by what it takes now', () => {
    const arena = arenaOf();
    const views = Array.from({ length: 5000 }, (_, index) => put(arena, podOf(index, 1, 1000)));
    for (let round = 0; round < 20_000; round += 1) {
      const index = (round * 7919) % 5000;
      const before = views[index] as View;
      views[index] = put(arena, podOf(index, 1, 1000 + ((round * 37) % 400)));
      arena.release(before, 'metadata');
    }
    for (const view of views.slice(100)) arena.release(view, 'metadata');
    const slots = views.slice(0, 100).reduce((sum, view) => sum + slotBytes(view), 0);
    expect(arena.liveBytes).to.equal(slots);
  });

  it('remembers no slots of slabs that are gone', () => {
    const arena = arenaOf();
    for (let round = 0; round < 20; round += 1) {
      arena.release(put(arena, podOf(1, round, 300_000)), 'metadata');
      expect(arena.freeSlots).to.equal(0);
    }
  });

  it('refuses a view that lies in another arena, and leaves it there', () => {
    const view = put(arenaOf(), podOf(1));
    expect(() => arenaOf().put(view, view.json)).to.throw('given to two caches');
    expect(view.object).to.deep.equal(podOf(1));
  });

  it('counts what is alive exactly', () => {
    const arena = arenaOf();
    const views = Array.from({ length: 20_000 }, (_, index) => put(arena, podOf(index, index)));
    const all = arena.liveBytes;
    for (const view of views.slice(5000)) arena.release(view);
    expect(arena.liveBytes).to.be.within(all / 4 - 100_000, all / 4 + 100_000);
    for (const view of views.slice(0, 5000)) arena.release(view);
    expect(arena.liveBytes).to.equal(0);
    expect(arena.views).to.equal(0);
    expect(arena.slabBytes).to.be.at.most(2 * MEGABYTE);
  });
});
