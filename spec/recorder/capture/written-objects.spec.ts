import { expect } from 'chai';
import {
  mostChangeBytes,
  SLAB_BYTES,
  WrittenObjects,
} from '../../../lib/recorder/capture/written-objects.ts';
import { applyDifference } from '../../../lib/recorder/difference/apply-difference.ts';

function object(uid: string, version: number, size = 1000): Buffer {
  return Buffer.from(`{"uid":"${uid}","version":${version},"x":"${'x'.repeat(size)}"}`);
}

const target: Buffer = Buffer.alloc(SLAB_BYTES);

/** The body of the change to the object; undefined if it has to be written whole. */
function changeOf(written: WrittenObjects, uid: string, body: Buffer): Buffer | undefined {
  const end = written.writeChange(uid, body, target, 16);
  if (end === undefined) return undefined;
  expect(end - 16).to.be.at.most(mostChangeBytes(body.length));
  return target.subarray(16, end);
}

/** The object of a change, and where its base begins. */
function restored(change: Buffer | undefined, base: Buffer): readonly [string, number] {
  if (change === undefined) return ['whole', -1];
  const made = applyDifference(base, change.subarray(8), change.readUInt32LE(4));
  return [made.toString(), change.readUInt32LE(0)];
}

describe('the objects that a recording has written whole', () => {
  it('are those to which the next states of them are differences', () => {
    const written = new WrittenObjects(SLAB_BYTES);
    expect(changeOf(written, 'a', object('a', 1))).to.equal(undefined);
    written.keep('a', object('a', 1), 700);
    written.keep('b', object('b', 1), 1900);
    for (const version of [2, 3, 1000]) {
      const next = object('a', version);
      const change = changeOf(written, 'a', next);
      expect(change?.length).to.be.below(80);
      expect(restored(change, object('a', 1))).to.deep.equal([next.toString(), 700]);
    }
    const other = restored(changeOf(written, 'b', object('b', 2)), object('b', 1));
    expect(other).to.deep.equal([object('b', 2).toString(), 1900]);
  });

  it('are copies: who wrote them may use the bytes again', () => {
    const written = new WrittenObjects(SLAB_BYTES);
    const bytes = object('a', 1);
    written.keep('a', bytes, 700);
    bytes.fill(0);
    const [text] = restored(changeOf(written, 'a', object('a', 2)), object('a', 1));
    expect(text).to.equal(object('a', 2).toString());
  });

  it('are not used for a state of which the difference is more than a quarter', () => {
    const written = new WrittenObjects(SLAB_BYTES);
    written.keep('a', object('a', 1), 700);
    const changed = (bytes: number): Buffer =>
      Buffer.from(object('a', 1).toString().replace('x'.repeat(bytes), 'y'.repeat(bytes)));
    expect(changeOf(written, 'a', changed(200))).to.be.an.instanceOf(Buffer);
    expect(changeOf(written, 'a', changed(300))).to.equal(undefined);
  });

  it('are the newest ones that fit into so many bytes', () => {
    const written = new WrittenObjects(2 * SLAB_BYTES + 1);
    const size = 100_000;
    const has = (index: number): boolean =>
      changeOf(written, `o${index}`, object(`o${index}`, 2, size)) !== undefined;
    for (let index = 0; index < 100; index += 1) {
      written.keep(`o${index}`, object(`o${index}`, 1, size), index);
      expect(has(index)).to.equal(true);
    }
    const found = Array.from({ length: 100 }, (_, index) => has(index));
    const first = found.indexOf(true);
    expect(first).to.be.within(80, 90);
    expect(found.slice(first)).to.not.include(false);
  });

  it('are found as long as newer ones have not their places, also those of a few bytes', () => {
    const written = new WrittenObjects(SLAB_BYTES);
    const count = 5000;
    for (let index = 0; index < count; index += 1) {
      written.keep(`o${index}`, object(`o${index}`, 1, 100), index);
    }
    const found = Array.from(
      { length: count },
      (_, index) => changeOf(written, `o${index}`, object(`o${index}`, 2, 100)) !== undefined,
    );
    expect(found.slice(-200)).to.not.include(false);
    expect(found.filter(Boolean).length).to.be.within(900, 1024);
  });

  it('keep the newer of two states when the slab of the older one is filled again', () => {
    const written = new WrittenObjects(2 * SLAB_BYTES);
    const size = 300_000;
    written.keep('a', object('a', 1, size), 1);
    for (const other of ['b', 'c']) written.keep(other, object(other, 1, size), 2);
    written.keep('a', object('a', 5, size), 3);
    const next = restored(changeOf(written, 'a', object('a', 6, size)), object('a', 5, size));
    expect(next[1]).to.equal(3);
    for (const other of ['d', 'e', 'f']) written.keep(other, object(other, 1, size), 4);
    const [text, base] = restored(
      changeOf(written, 'a', object('a', 6, size)),
      object('a', 5, size),
    );
    expect([text === object('a', 6, size).toString(), base]).to.deep.equal([true, 3]);
    expect(changeOf(written, 'b', object('b', 2, size))).to.equal(undefined);
  });

  it('are none above the size that is written as a difference, and none without memory', () => {
    const large = new WrittenObjects(SLAB_BYTES);
    large.keep('a', object('a', 1, SLAB_BYTES), 1);
    expect(changeOf(large, 'a', object('a', 2, SLAB_BYTES))).to.equal(undefined);
    expect(changeOf(large, 'a', object('a', 2))).to.equal(undefined);
    large.keep('a', object('a', 1), 1);
    expect(changeOf(large, 'a', object('a', 2, SLAB_BYTES))).to.equal(undefined);
    const none = new WrittenObjects(SLAB_BYTES - 1);
    none.keep('a', object('a', 1), 1);
    expect(changeOf(none, 'a', object('a', 2))).to.equal(undefined);
  });
});
