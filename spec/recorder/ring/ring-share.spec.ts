import { expect } from 'chai';
import { RecordKind } from '../../../lib/recorder/format/record-frame.ts';
import { RingRecord } from '../../../lib/recorder/ring/ring-record.ts';
import { RingShare, type BoundedRing } from '../../../lib/recorder/ring/ring-share.ts';

const RECORD = 100;

class Ring implements BoundedRing {
  readonly records: RingRecord[] = [];
  readonly #share: RingShare;

  constructor(share: RingShare) {
    this.#share = share;
    share.add(this);
  }

  get oldest(): RingRecord | undefined {
    return this.records[0];
  }

  get orders(): readonly number[] {
    return this.records.map(({ order }) => order);
  }

  put(atMs: number): void {
    const place = { request: 1, atMs };
    this.records.push(new RingRecord(this.#share.nextOrder(), place, RecordKind.event, 2));
    this.#share.bytes += RECORD;
    this.#share.dropOld(this);
  }

  drop(): void {
    this.records.shift();
    this.#share.bytes -= RECORD;
  }
}

function rings(maxBytes: number): {
  share: RingShare;
  clock: { ms: number };
  one: Ring;
  two: Ring;
} {
  const clock = { ms: 0 };
  const share = new RingShare({ maxBytes, keepMs: 1000, now: () => clock.ms });
  return { share, clock, one: new Ring(share), two: new Ring(share) };
}

describe('RingShare', () => {
  it('drops the oldest record of all rings when they are too many', () => {
    const { one, two, share } = rings(4 * RECORD);
    one.put(0);
    two.put(0);
    two.put(0);
    one.put(0);
    two.put(0);
    expect([one.orders, two.orders]).to.deep.equal([[4], [2, 3, 5]]);
    two.put(0);
    expect([one.orders, two.orders]).to.deep.equal([[4], [3, 5, 6]]);
    expect(share.bytes).to.equal(4 * RECORD);
  });

  it('drops what is too old of the ring that gets a record, and of all in a tenth of the time and when asked', () => {
    const { one, two, share, clock } = rings(Infinity);
    const put = (ring: Ring, atMs: number): void => {
      clock.ms = atMs;
      ring.put(atMs);
    };
    put(one, 0);
    put(two, 2);
    put(one, 990);
    put(one, 1001);
    expect([one.orders, two.orders]).to.deep.equal([[3, 4], [2]]);
    put(one, 1080);
    expect(two.orders, 'old for 78 ms').to.deep.equal([2]);
    put(one, 1090);
    expect(two.orders, 'old for 88 ms').to.deep.equal([]);
    put(two, 1100);
    clock.ms = 2101;
    share.dropAllOld();
    expect([one.orders, two.orders]).to.deep.equal([[], []]);
  });

  it('does not look at a ring that has left', () => {
    const { one, two, share } = rings(2 * RECORD);
    one.put(0);
    share.delete(one);
    two.put(0);
    two.put(0);
    expect([one.orders, two.orders]).to.deep.equal([[1], [3]]);
  });

  it('ends when nothing is left to drop', () => {
    const { one, share } = rings(2 * RECORD);
    share.bytes += 10 * RECORD;
    one.put(0);
    expect(one.orders).to.deep.equal([]);
    expect(share.bytes).to.equal(10 * RECORD);
  });
});
