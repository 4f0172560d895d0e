import { expect } from 'chai';
import { DeflatedCodec } from '../../../lib/cache/memory/deflated-codec.ts';
import { DeflatedSlabs } from '../../../lib/cache/memory/deflated-slabs.ts';
import { ObjectDeflater } from '../../../lib/cache/memory/object-deflater.ts';
import { RecentMetadata } from '../../../lib/cache/memory/recent-metadata.ts';
import { isListwatchError } from '../../../lib/kernel/errors.ts';
import type { JsonView } from '../../../lib/meta/json/json-view.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { podOf, viewOf, viewOfText } from './kept-views.ts';

type View = JsonView<UnstructuredObject>;

function slabsOf(): DeflatedSlabs {
  return new DeflatedSlabs({
    deflater: new ObjectDeflater(Buffer.from(JSON.stringify(podOf(0)))),
    codecOf: (inflate) =>
      new DeflatedCodec({ inflate, metadata: new RecentMetadata(), decoded: () => {} }),
    onGone: () => {},
  });
}

function putMany(slabs: DeflatedSlabs, count: number, version = 1, bulk = 100): View[] {
  return Array.from({ length: count }, (_, index) => {
    const view = viewOf(podOf(index, version, bulk));
    slabs.put(view, view.json);
    return view;
  });
}

describe('DeflatedSlabs', () => {
  it('knows who an object is without inflating it, however long and odd its identity is', () => {
    const slabs = slabsOf();
    const uids = [
      '',
      'u',
      '12345678-9ABC-4def-8123-456789abcdef',
      '12345678-9abc-4def-8123-456789abcdef',
      '12345678-9abc-4def-8123-456789abcdeg',
      'x'.repeat(254),
      'x'.repeat(255),
      'x'.repeat(1000),
      undefined,
    ];
    const versions = [
      '',
      '0',
      '12',
      '123',
      '007',
      '1a',
      '9'.repeat(254),
      '9'.repeat(255),
      '1'.repeat(600),
      undefined,
    ];
    for (const uid of uids) {
      for (const resourceVersion of versions) {
        const object = { metadata: { name: 'a', uid, resourceVersion } };
        const view = viewOf(object);
        slabs.put(view, view.json);
        expect(view.uid).to.equal(uid);
        expect(view.resourceVersion).to.equal(resourceVersion);
        expect(view.json.toString()).to.equal(JSON.stringify(object));
      }
    }
  });

  it('takes a tenth of what came in, everything included', () => {
    const slabs = slabsOf();
    const views = putMany(slabs, 5000, 1, 500);
    const json = views.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(slabs.jsonBytes).to.equal(json);
    expect(slabs.slabBytes).to.be.below(json / 7);
    expect(slabs.liveBytes).to.be.below(json / 8);
    expect(slabs.compressorBytes).to.be.within(250_000, 400_000);
  });

  it('moves nothing while everything goes', () => {
    const slabs = slabsOf();
    const views = putMany(slabs, 5000);
    const sources = views.map(({ source }) => source.bytes);
    for (const view of views) {
      slabs.release(view);
      expect(slabs.has(view)).to.equal(false);
    }
    expect(slabs).to.include({ liveBytes: 0, views: 0, jsonBytes: 0 });
    // The one that is written to.
    expect(slabs.slabBytes).to.be.at.most(64 * 1024);
    expect(slabs.isSparse).to.equal(false);
    for (const [index, view] of views.entries()) {
      expect(view.source.bytes).to.equal(sources[index]);
      expect(view.object).to.deep.equal(podOf(index));
    }
  });

  it('gives up sparse slabs one by one, and takes at most twice what is alive then', () => {
    const slabs = slabsOf();
    const views = putMany(slabs, 5000);
    for (const [index, view] of views.entries()) if (index % 10 !== 0) slabs.release(view);
    expect(slabs.isSparse).to.equal(true);
    let steps = 0;
    for (; slabs.isSparse; steps += 1) {
      const before = slabs.slabBytes;
      slabs.giveUpOne();
      expect(before - slabs.slabBytes).to.be.at.most(64 * 1024);
    }
    expect(steps).to.be.above(5);
    expect(slabs.slabBytes).to.be.at.most(2 * slabs.liveBytes + 64 * 1024);
    for (const [index, view] of views.entries()) expect(view.object).to.deep.equal(podOf(index));
  });

  it('does not let sparse slabs pile up while objects come, even if nobody gives them up', () => {
    const slabs = slabsOf();
    for (let version = 1; version < 25; version += 1) {
      const views = putMany(slabs, 2400, version);
      for (const [index, view] of views.entries()) if (index % 5 !== 0) slabs.release(view);
      expect(slabs.slabBytes).to.be.below(2 * slabs.liveBytes + 20 * 64 * 1024);
    }
  });

  it('gives a huge object a slab that it fills, which goes with it', () => {
    const slabs = slabsOf();
    const noise = Array.from({ length: 40_000 }, (_, index) => Math.imul(index, 0x9e3779b1) >>> 0);
    const view = viewOf({ metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, noise });
    slabs.put(view, view.json);
    expect(slabs.slabBytes).to.equal(slabs.liveBytes);
    expect(view.object).to.have.deep.property('noise', noise);
    slabs.release(view);
    expect(slabs.slabBytes).to.equal(0);
  });

  it('gives a typed error for what is not what it was, and names the object', () => {
    const slabs = slabsOf();
    const views = putMany(slabs, 100);
    const view = views[50] as View;
    const { bytes } = view.source;
    bytes[view.start + 5] = (bytes[view.start + 5] as number) ^ 0x55;
    for (const read of [() => view.object, () => view.json, () => view.metadata]) {
      expect(read)
        .to.throw(view.uid as string)
        .that.satisfies((error: unknown) => isListwatchError(error, 'CORRUPT_OBJECT'));
    }
    for (const [index, other] of views.entries()) {
      if (other !== view) expect(other.object).to.deep.equal(podOf(index));
    }
  });

  it('keeps bytes as they came, spaces and all', () => {
    const slabs = slabsOf();
    const text =
      ' { "metadata" : {"name":"n","uid":"u1","resourceVersion":"5"},\t"u1":"u1", "n": 1.0e+1, "5":"5" }'.trim();
    const view = viewOfText(text);
    slabs.put(view, view.json);
    expect(view.json.toString()).to.equal(text);
  });
});
