import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import {
  applyDifference,
  checkDifference,
} from '../../../lib/recorder/difference/apply-difference.ts';
import { plainDifference } from '../../../lib/recorder/difference/plain-difference.ts';
import type { Piece } from '../../../lib/recorder/difference/difference-step.ts';
import { WasmDifference } from '../../../lib/recorder/difference/wasm-difference.ts';
import { writeDifference } from '../../../lib/recorder/difference/write-difference.ts';

/** The bytes in the middle of others, as objects lie in what a network brings. */
function piece(bytes: Buffer, before = 50, after = 40): Piece {
  const all = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(after)]);
  return { bytes: all, start: before, length: bytes.length };
}

const target: Buffer = Buffer.alloc(65_536);
const other: Buffer = Buffer.alloc(65_536);
/** It stays the same, as in a process that writes one recording after the other. */
const wasm = WasmDifference.open() as WasmDifference;

/** The size of the difference, which gives the other bytes; undefined if it does not fit. */
function sizeOf(base: Buffer, next: Buffer, room: number = target.length - 8): number | undefined {
  target.fill(0xee);
  other.fill(0xee);
  const [one, two] = [piece(base), piece(next, 2, 16)];
  const end = plainDifference(one, two, target, 8, 8 + room);
  expect(wasm.write(one, two, other, 8, 8 + room)).to.equal(end);
  if (end === undefined) return undefined;
  const steps = target.subarray(8, end);
  expect(other.subarray(8, end).equals(steps)).to.equal(true);
  expect(other.subarray(end).every((byte) => byte === 0xee)).to.equal(true);
  checkDifference(base.length, steps, next.length, (problem) => new Error(problem) as never);
  expect(applyDifference(base, steps, next.length).equals(next)).to.equal(true);
  expect(target[7]).to.equal(0xee);
  expect(target.subarray(8 + room).every((byte) => byte === 0xee)).to.equal(true);
  return end - 8;
}

const CONTAINERS = Array.from({ length: 400 }, (_, index) => `c${index}`).join('');

/** The text of an object with other values at its begin, in its middle and at its end. */
function object(version: string, time: string, status: string): Buffer {
  const metadata = { name: 'web-1', resourceVersion: version, managedFields: [{ time }] };
  return Buffer.from(
    JSON.stringify({ metadata, spec: { containers: CONTAINERS }, status: { phase: status } }),
  );
}

describe('the difference between two objects, in JavaScript and in WebAssembly', () => {
  const before = object('1000', '2026-11-28T09:00:00Z', 'Pending');

  it('is a few bytes for changes that keep the length, wherever they are', () => {
    expect(sizeOf(before, before)).to.equal(12);
    expect(sizeOf(before, object('1001', '2026-11-28T09:00:00Z', 'Pending'))).to.be.below(50);
    const three = object('1001', '2026-11-28T09:07:30Z', 'Running');
    expect(sizeOf(before, three)).to.be.below(90);
  });

  it('is a few bytes for a change of the length, at the begin, in the middle and at the end', () => {
    for (const next of [
      object('9', '2026-11-28T09:00:00Z', 'Pending'),
      object('1000000', '2026-11-28T09:00:00Z', 'Pending'),
      object('1000', '2026-11-28T09:00:00.123456Z', 'Pending'),
      object('1000', '2026-11-28T09:00:00Z', 'CrashLoopBackOff'),
      object('1001', '2026-11-28T09:00:07Z', 'Failed'),
      object('1001', '2026-11-28T09:00:07Z', 'Failed: it was evicted from its node'),
    ]) {
      expect(sizeOf(before, next), next.toString().slice(0, 120)).to.be.below(130);
    }
  });

  it('has the spec between two changes of the length, and no more', () => {
    const next = object('10000', '2026-11-28T09:00:00Z', 'CrashLoopBackOff');
    expect(sizeOf(before, next)).to.be.within(CONTAINERS.length, CONTAINERS.length + 200);
  });

  it('is none when it does not fit', () => {
    const next = object('1001', '2026-11-28T09:00:07Z', 'Running');
    const size = sizeOf(before, next) as number;
    expect(sizeOf(before, next, size)).to.equal(size);
    for (let room = 0; room < size; room += 1) {
      expect(sizeOf(before, next, room)).to.equal(undefined);
    }
  });

  it('can be of empty bytes, of shorter and of longer ones', () => {
    const none = Buffer.alloc(0);
    expect(sizeOf(none, none)).to.equal(0);
    expect(sizeOf(before, none)).to.equal(0);
    expect(sizeOf(none, before)).to.equal(12 + before.length);
    expect(sizeOf(before, Buffer.concat([before, before]))).to.be.at.most(before.length + 24);
    expect(sizeOf(Buffer.concat([before, before]), before)).to.equal(12);
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
    for (let round = 0; round < 3000; round += 1) {
      const base = bytesOf(upTo(300), round % 2 === 0 ? 255 : 2);
      let next = base;
      for (let edits = upTo(4); edits > 0; edits -= 1) {
        const at = upTo(next.length);
        const removed = upTo(20);
        next = Buffer.concat([
          next.subarray(0, at),
          bytesOf(upTo(20), 255),
          next.subarray(at + removed),
        ]);
      }
      if (sizeOf(base, next, round % 3 === 0 ? upTo(120) : undefined) !== undefined) fitted += 1;
    }
    expect(fitted).to.be.within(2000, 2999);
  });

  it('is the same for objects that are too large for the memory of WebAssembly', () => {
    const large = (end: string): Buffer => Buffer.from(`${'x'.repeat(1024 * 1024)}${end}`);
    const [one, two] = [piece(large('one')), piece(large('two'))];
    const small = piece(before);
    for (const [base, next, room] of [
      [one, small, 100],
      [small, two, 100],
      [small, small, 1024 * 1024 + 1],
    ] as const) {
      expect(wasm.takes(base, next, room)).to.equal(false);
    }
    expect(wasm.takes(small, small, 100)).to.equal(true);
    const end = writeDifference(one, two, target, 8, 108) as number;
    const made = applyDifference(large('one'), target.subarray(8, end), two.length);
    expect(made.equals(large('two'))).to.equal(true);
    expect(end).to.be.below(50);
  });
});
