import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import {
  applyDifference,
  checkDifference,
} from '../../../lib/recorder/delta-encoding/apply-difference.ts';
import {
  ChangeRecords,
  MOST_CHANGED_BYTES,
} from '../../../lib/recorder/delta-encoding/change-records.ts';
import { frameBytes, RecordKind } from '../../../lib/recorder/format/record-frame.ts';

const MIB = 1024 * 1024;
/** Of a record, before its body. */
const FRAME = 24;
/** Of the body, before its steps: the number that was kept, and the length of the object. */
const HEAD = 8;
const HEAD_OF_CHANGE = {
  kind: RecordKind.change,
  flags: 0x82,
  request: 4_000_000_000,
  atMs: 12.75,
};
const target: Buffer = Buffer.alloc(20_000);

function opened(bytes: number, seed = 7n): ChangeRecords {
  const records = ChangeRecords.open(bytes, seed);
  if (records === undefined) throw new Error('this runtime has no WebAssembly with SIMD');
  return records;
}

/** It stays the same, as in a recording. */
const shared: ChangeRecords = opened(MIB);
let objects = 0;

/** The size of the steps that make the other bytes; undefined if they do not fit. */
function sizeOf(base: Buffer, next: Buffer, room = 19_000): number | undefined {
  objects += 1;
  target.fill(0xee);
  shared.keep(objects, base, 4711);
  const end = shared.write(objects, next, HEAD_OF_CHANGE, target, 5, 5 + FRAME + HEAD + room);
  if (end === undefined) {
    expect(target.every((byte) => byte === 0xee)).to.equal(true);
    return undefined;
  }
  const body = target.subarray(5 + FRAME, end);
  expect(target.subarray(5, end).equals(frameBytes({ ...HEAD_OF_CHANGE, body }))).to.equal(true);
  expect([body.readUInt32LE(0), body.readUInt32LE(4)]).to.deep.equal([4711, next.length]);
  const steps = body.subarray(HEAD);
  checkDifference(base.length, steps, next.length, (problem) => new Error(problem) as never);
  expect(applyDifference(base, steps, next.length).equals(next)).to.equal(true);
  expect(target[4]).to.equal(0xee);
  expect(target.subarray(end).every((byte) => byte === 0xee)).to.equal(true);
  expect(steps.length).to.be.at.most(room);
  return steps.length;
}

const CONTAINERS = Array.from({ length: 400 }, (_, index) => `c${index}`).join('');

/** The text of an object with other values at its begin, in its middle and at its end. */
function object(version: string, time: string, status: string): Buffer {
  const metadata = { name: 'web-1', resourceVersion: version, managedFields: [{ time }] };
  const spec = { containers: CONTAINERS };
  return Buffer.from(JSON.stringify({ metadata, spec, status: { phase: status } }));
}

describe('the record of a change, as a difference between two objects', () => {
  const before = object('1000', '2026-11-28T09:00:00Z', 'Pending');

  it('is a few blocks of 64 bytes for changes that keep the length, wherever they are', () => {
    expect(sizeOf(before, before)).to.equal(12);
    expect(sizeOf(before, object('1001', '2026-11-28T09:00:00Z', 'Pending'))).to.be.below(100);
    const three = object('1001', '2026-11-28T09:07:30Z', 'Running');
    expect(sizeOf(before, three)).to.be.below(12 * 3 + 64 * 5);
  });

  it('is a few blocks for a change of the length, at the begin, in the middle and at the end', () => {
    for (const next of [
      object('9', '2026-11-28T09:00:00Z', 'Pending'),
      object('1000000', '2026-11-28T09:00:00Z', 'Pending'),
      object('1000', '2026-11-28T09:00:00.123456Z', 'Pending'),
      object('1000', '2026-11-28T09:00:00Z', 'CrashLoopBackOff'),
      object('1001', '2026-11-28T09:00:07Z', 'Failed'),
      object('1001', '2026-11-28T09:00:07Z', 'Failed: it was evicted from its node'),
    ]) {
      expect(sizeOf(before, next), next.toString().slice(0, 120)).to.be.below(350);
    }
  });

  it('has the spec between two changes of the length, and no more', () => {
    const next = object('10000', '2026-11-28T09:00:00Z', 'CrashLoopBackOff');
    expect(sizeOf(before, next)).to.be.within(CONTAINERS.length - 128, CONTAINERS.length + 300);
  });

  it('has no bytes of the end where only the beginning differs, for any length', () => {
    for (let length = 64; length < 64 * 4; length += 1) {
      const base = Buffer.alloc(length, 'abcdefgh');
      const next = Buffer.from(base);
      next[0] = 1;
      const own = sizeOf(base, next) as number;
      // The last block of the base ends with it, and is used when it begins after the block with the change.
      expect(own, `${length}`).to.be.at.most(length < 128 ? 12 + length : 24 + 64);
    }
  });

  it('is none when it does not fit', () => {
    const next = object('1001', '2026-11-28T09:00:07Z', 'Running');
    const size = sizeOf(before, next) as number;
    expect(sizeOf(before, next, size)).to.equal(size);
    for (let room = 0; room < size; room += 1) {
      expect(sizeOf(before, next, room), `${room}`).to.equal(undefined);
    }
  });

  it('can be of empty bytes, of shorter and of longer ones', () => {
    const none = Buffer.alloc(0);
    expect(sizeOf(none, none)).to.equal(0);
    expect(sizeOf(before, none)).to.equal(0);
    expect(sizeOf(none, before)).to.equal(12 + before.length);
    expect(sizeOf(before, Buffer.concat([before, before]))).to.be.at.most(before.length + 200);
    expect(sizeOf(Buffer.concat([before, before]), before)).to.be.at.most(200);
    for (let length = 1; length < 64; length += 1) {
      const short = Buffer.alloc(length, 'x');
      expect(sizeOf(short, short)).to.equal(12 + length);
      expect(sizeOf(before, short)).to.equal(12 + length);
      expect(sizeOf(short, before)).to.equal(12 + before.length);
    }
  });

  it('are found for one repeated byte, for any length', () => {
    for (const period of [1, 3, 64]) {
      const all = Buffer.from(Array.from({ length: 400 }, (_, index) => 97 + (index % period)));
      for (let one = 0; one < 200; one += 7) {
        for (let other = 0; other < 400; other += 9) {
          expect(sizeOf(all.subarray(0, one), all.subarray(0, other))).to.be.a('number');
        }
      }
    }
  });

  it('takes nothing of the bytes before and after', () => {
    const zeros = Buffer.alloc(30);
    for (const next of [
      Buffer.concat([zeros, before]),
      Buffer.concat([before, zeros]),
      Buffer.concat([zeros, before, zeros]),
    ]) {
      expect(sizeOf(before, next)).to.be.within(42, 2 * before.length);
      expect(sizeOf(next, before)).to.be.below(before.length + 24);
    }
  });

  it('gives the other bytes, for bytes of all values with edits at random places', () => {
    const random = seededRandom(2026);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    const bytesOf = (length: number, values: number): Buffer =>
      Buffer.from(Array.from({ length }, () => upTo(values)));
    let fitted = 0;
    let small = 0;
    for (let round = 0; round < 3000; round += 1) {
      const base = bytesOf(upTo(1000), round % 2 === 0 ? 255 : 1);
      let next = base;
      for (let edits = upTo(4); edits > 0; edits -= 1) {
        const at = upTo(next.length);
        const removed = upTo(20);
        const added = bytesOf(round % 5 === 0 ? removed : upTo(20), 255);
        next = Buffer.concat([next.subarray(0, at), added, next.subarray(at + removed)]);
      }
      const size = sizeOf(base, next, round % 3 === 0 ? upTo(400) : undefined);
      if (size !== undefined) fitted += 1;
      if (size !== undefined && size < next.length / 2) small += 1;
    }
    expect(fitted).to.be.within(2200, 2800);
    expect(small).to.be.above(1000);
  });

  it('sees each change of a bit, also where a factor of the hash is zero', () => {
    const keys = Buffer.concat([Buffer.alloc(64), keysOf(7n), Buffer.alloc(128)]);
    for (const base of [
      Buffer.alloc(256),
      Buffer.alloc(256, 0xff),
      before.subarray(0, 256),
      keys,
    ]) {
      for (let bit = 0; bit < 128 * 8; bit += 1) {
        const next = Buffer.from(base);
        next[64 + (bit >> 3)] = (next[64 + (bit >> 3)] as number) ^ (1 << (bit & 7));
        expect(sizeOf(base, next)).to.equal(24 + 64);
      }
    }
  });
});

/** The number that was kept with the earlier state; undefined where the next state is not written as a change. */
function found(records: ChangeRecords, key: number, next: Buffer): number | undefined {
  const limit = FRAME + HEAD + Math.floor(next.length / 4);
  const end = records.write(key, next, HEAD_OF_CHANGE, target, 0, limit);
  return end === undefined ? undefined : target.readUInt32LE(FRAME);
}

function state(key: number, version: number, size = 1000): Buffer {
  return Buffer.from(`{"key":${key},"version":${version},"x":"${'x'.repeat(size)}"}`);
}

/** The keys of the hash, as the module makes them of its seed: SplitMix64. */
function keysOf(seed: bigint): Buffer {
  const keys = Buffer.alloc(64);
  const mask = 2n ** 64n - 1n;
  for (let at = 0, state = seed; at < keys.length; at += 8) {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let mixed = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask;
    keys.writeBigUInt64LE(mixed ^ (mixed >> 31n), at);
  }
  return keys;
}

describe('the objects of which hashes are kept', () => {
  it('are those that were kept last, an eighth of each in the memory', () => {
    const records = opened(MIB);
    for (let key = 0; key < 100; key += 1) {
      records.keep(key, state(key, 1, 100_000), key);
      expect(found(records, key, state(key, 2, 100_000))).to.equal(key);
    }
    const kept = Array.from({ length: 100 }, (_, key) =>
      found(records, key, state(key, 2, 100_000)),
    );
    const first = kept.findIndex((number) => number !== undefined);
    expect(100 - first).to.be.within(70, 75);
    expect(kept.slice(first)).to.deep.equal(
      Array.from({ length: 100 - first }, (_, i) => first + i),
    );
  });

  it('are found as long as newer ones have not their places, also those of a few bytes', () => {
    const records = opened(MIB);
    const count = 20_000;
    for (let key = 0; key < count; key += 1) records.keep(key, state(key, 1, 100), key);
    const kept = Array.from(
      { length: count },
      (_, key) => found(records, key, state(key, 1, 100)) !== undefined,
    );
    expect(kept.slice(-2000)).to.not.include(false);
    expect(kept.filter(Boolean).length).to.be.within(6000, MIB / 9 / 16);
  });

  it('have the hashes of their newest state, also when those of the older one are overwritten', () => {
    const records = opened(MIB);
    const size = 300_000;
    records.keep(1, state(1, 1, size), 1);
    for (const other of [2, 3]) records.keep(other, state(other, 1, size), 2);
    records.keep(1, state(1, 5, size), 3);
    for (let other = 4; other < 24; other += 1) {
      records.keep(other, state(other, 1, size), other);
      records.keep(1, state(1, other, size), 100 + other);
      expect(found(records, 1, state(1, 2, size))).to.equal(100 + other);
    }
    expect(found(records, 2, state(2, 2, size))).to.equal(undefined);
  });

  it('are not taken for those whose hashes have overwritten theirs', () => {
    for (const size of [640, 3000, 20_000]) {
      const records = opened(65_536);
      records.keep(1, Buffer.alloc(size, 'a'), 1);
      for (let key = 2; key < 200; key += 1) {
        records.keep(key, Buffer.alloc(size + (key % 64), 'b'), key);
        expect(found(records, 1, Buffer.alloc(size, 'b'))).to.equal(undefined);
      }
    }
  });

  it('have numbers up to 32 bits, and keys of all signs', () => {
    const records = opened(MIB);
    for (const [key, number] of [
      [-1, 2 ** 32 - 1],
      [-(2 ** 31), 2 ** 31],
      [2 ** 31 - 1, 0],
      [0, 1],
    ] as const) {
      expect(found(records, key, state(key, 1))).to.equal(undefined);
      expect(found(records, key, Buffer.alloc(0))).to.equal(undefined);
      records.keep(key, state(key, 1), number);
      expect(found(records, key, state(key, 2))).to.equal(number);
    }
  });

  it('are at most 1 MiB large', () => {
    const records = opened(2 * MIB);
    const large = Buffer.alloc(MOST_CHANGED_BYTES, 'x');
    records.keep(1, large, 8);
    expect(found(records, 1, large)).to.equal(8);
    const larger = Buffer.alloc(MOST_CHANGED_BYTES + 1, 'x');
    expect(found(records, 1, larger)).to.equal(undefined);
    records.keep(2, larger, 8);
    expect(found(records, 2, large)).to.equal(undefined);
  });

  it('are none without memory, and not those whose hashes are more than the memory', () => {
    expect(ChangeRecords.open(65_535, 1n)).to.equal(undefined);
    const least = opened(65_536);
    least.keep(1, state(1, 1, 300_000), 5);
    expect(found(least, 1, state(1, 2, 300_000))).to.equal(5);
    least.keep(2, state(2, 1, 600_000), 6);
    expect(found(least, 2, state(2, 2, 600_000))).to.equal(undefined);
    expect(found(least, 1, state(1, 2, 300_000))).to.equal(5);
  });

  it('are none in more than 1 GiB', () => {
    expect(ChangeRecords.open(1024 * MIB + 1, 1n)).to.equal(undefined);
    const most = opened(1024 * MIB);
    most.keep(1, state(1, 1), 7);
    expect(found(most, 1, state(1, 2))).to.equal(7);
  });

  it('give the same differences for any seed of the hashes', () => {
    const before = object('1000', '2026-11-28T09:00:00Z', 'Pending');
    const after = object('1001', '2026-11-28T09:07:30Z', 'CrashLoopBackOff');
    const texts = [1n, 2n, 2n ** 64n - 1n].map((seed) => {
      const records = opened(MIB, seed);
      records.keep(1, before, 5);
      const end = records.write(1, after, HEAD_OF_CHANGE, target, 0, target.length);
      return target.toString('hex', 0, end);
    });
    expect(new Set(texts).size).to.equal(1);
    expect(texts[0]).to.have.length.above(100);
  });

  it('are found whether they were expected or not, at most 64 at a time', () => {
    const records = opened(MIB);
    for (let key = 0; key < 100; key += 1) records.keep(key, state(key, 1), 1000 + key);
    expect(records.expected).to.have.length(64);
    for (const count of [0, 1, 63, 64]) {
      for (let index = 0; index < count; index += 1) records.expected[index] = index * 3;
      records.expect(count);
      for (let key = 0; key < 200; key += 1) {
        const number = key < 100 ? 1000 + key : undefined;
        expect(found(records, key, state(key, 2)), `${key}`).to.equal(number);
      }
    }
  });
});
