import { expect } from 'chai';
import { droppedSlabBytes, newSlabBytes } from '../../../../lib/cache/memory/slabs/slab-bytes.ts';

const MEGABYTE = 1024 * 1024;

/** The sizes of the ArrayBuffers that `work` allocates. */
function sizesAllocated(work: () => void): readonly number[] {
  const sizes: number[] = [];
  const { ArrayBuffer: real } = globalThis;
  globalThis.ArrayBuffer = class extends real {
    constructor(size: number) {
      super(0);
      sizes.push(size);
    }
  } as ArrayBufferConstructor;
  try {
    work();
  } finally {
    globalThis.ArrayBuffer = real;
  }
  return sizes;
}

describe('memory of slabs', () => {
  it('does not count towards the limits at which V8 starts a collection', () => {
    const before = process.memoryUsage().external;
    const slabs = Array.from({ length: 32 }, () => newSlabBytes(MEGABYTE));
    expect(process.memoryUsage().external - before).to.be.below(MEGABYTE);
    expect(slabs.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).to.equal(true);
  });

  it('lets V8 count an ArrayBuffer of 64 MiB, whenever as much was dropped', () => {
    // Objects that other specs have dropped do not count below.
    droppedSlabBytes(64 * MEGABYTE);
    const allocated = (dropped: number): readonly number[] =>
      sizesAllocated(() => droppedSlabBytes(dropped));
    expect(allocated(63 * MEGABYTE)).to.deep.equal([]);
    expect(allocated(MEGABYTE)).to.deep.equal([64 * MEGABYTE]);
    expect(allocated(MEGABYTE)).to.deep.equal([]);
  });
});
