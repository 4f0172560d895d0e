import { expect } from 'chai';
import { ArrivingRecords } from '../../../lib/recorder/ring/arriving-records.ts';
import { RingMemory } from '../../../lib/recorder/ring/ring-memory.ts';
import { RingRecord } from '../../../lib/recorder/ring/ring-record.ts';
import { RecordKind } from '../../../lib/recorder/format/record-frame.ts';
import { podOf, viewOf } from '../../cache/memory/kept-views.ts';

class Arriving {
  backlog = false;
  readonly #memory = new RingMemory();
  readonly notTaken: RingRecord[] = [];
  readonly forgotten: RingRecord[] = [];
  readonly records: ArrivingRecords = new ArrivingRecords({
    hasBacklog: () => this.backlog,
    onNotTaken: (record) => this.notTaken.push(record),
    onForgotten: (record) => this.forgotten.push(record),
  });

  /** A batch of records with these keys. */
  batch(keys: readonly string[], inList = false): readonly RingRecord[] {
    const place = { request: 1, atMs: 0 };
    return keys.map((key) => {
      this.records.begin(place);
      const record = new RingRecord(0, place, RecordKind.event, 2);
      record.key = key;
      record.body = this.#memory.copy(Buffer.from('{}'));
      this.records.add(record, inList);
      return record;
    });
  }
}

describe('ArrivingRecords', () => {
  it('knows the newest record of each object until two batches have begun without a backlog', () => {
    const arriving = new Arriving();
    const { records } = arriving;
    const [, b, a] = arriving.batch(['a', 'b', 'a']);
    expect([records.get('a'), records.get('b')]).to.deep.equal([a, b]);
    arriving.backlog = true;
    for (let round = 0; round < 5; round += 1) arriving.batch(['c']);
    expect(records.get('a')).to.equal(a);
    arriving.backlog = false;
    arriving.batch(['d']);
    expect(records.get('a'), 'one batch without a backlog').to.equal(a);
    arriving.batch(['d']);
    expect(records.get('a'), 'two').to.equal(undefined);
    expect(arriving.forgotten).to.include(a).and.to.include(b);
    expect(a?.isNewest).to.equal(false);
  });

  it('counts the records of a list when it is whole, and none when it has failed', () => {
    const arriving = new Arriving();
    const { records } = arriving;
    const [before] = arriving.batch(['a']);
    const [failed] = arriving.batch(['a'], true);
    expect(records.isListed('a')).to.equal(true);
    expect(records.get('a'), 'while it is under way').to.equal(before);
    records.endList(false);
    expect(records.get('a'), 'after a failure').to.equal(before);
    expect(records.isListed('a')).to.equal(false);
    expect(arriving.forgotten).to.deep.equal([failed]);
    const [whole] = arriving.batch(['a'], true);
    records.endList(true);
    expect(records.get('a')).to.equal(whole);
  });

  it('reports objects that the cache does not take, after 256 more have come', () => {
    const { records, notTaken } = new Arriving();
    const made = Array.from({ length: 300 }, (_, index) => {
      const place = { request: 1, atMs: index };
      records.begin(place);
      const record = new RingRecord(0, place, RecordKind.event, 2);
      record.body = viewOf(podOf(index));
      records.add(record, false);
      return record;
    });
    expect(notTaken).to.deep.equal(made.slice(0, 43));
  });

  it('drops the oldest beyond its bound, for any backlog', () => {
    const arriving = new Arriving();
    arriving.backlog = true;
    arriving.batch(['first']);
    for (let batch = 0; batch < 3; batch += 1) {
      arriving.batch(Array.from({ length: 65_536 }, (_, index) => `${batch}-${index}`));
    }
    expect(arriving.records.get('first')).to.equal(undefined);
    expect(arriving.records.get('2-0')).to.not.equal(undefined);
  });
});
