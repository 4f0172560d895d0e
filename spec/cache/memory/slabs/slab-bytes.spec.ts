import { expect } from 'chai';
import { droppedSlabBytes, newSlabBytes } from '../../../../lib/cache/memory/slabs/slab-bytes.ts';
import { until } from '../../../support/until.ts';

const MEGABYTE = 1024 * 1024;

describe('memory of slabs', () => {
  it('does not count towards the limits at which V8 starts a collection', () => {
    const before = process.memoryUsage().external;
    const slabs = Array.from({ length: 32 }, () => newSlabBytes(MEGABYTE));
    expect(process.memoryUsage().external - before).to.be.below(MEGABYTE);
    expect(slabs.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).to.equal(true);
  });

  it('is collected once enough of it was dropped', async () => {
    let collected = 0;
    const registry = new FinalizationRegistry<undefined>(() => {
      collected += 1;
    });
    for (let index = 0; index < 8; index += 1) {
      registry.register(newSlabBytes(MEGABYTE).buffer, undefined);
    }
    await until('the memory of dropped slabs is collected', () => {
      droppedSlabBytes(8 * MEGABYTE);
      return collected === 8;
    });
  });
});
