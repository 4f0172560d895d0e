import { expect } from 'chai';
import {
  Bucket,
  InvertedIndex,
  NOWHERE,
  StoredEntry,
  type Place,
} from '../../../lib/cache/store/inverted-index.ts';

type Entry = StoredEntry<string>;

/** Fails whatever would look into these buckets or change them. */
function seal(place: Place<string>): void {
  const refuse = (): never => {
    throw new Error('a bucket was touched');
  };
  for (const { entries } of place instanceof Bucket ? [place] : place) {
    Object.assign(entries, { add: refuse, delete: refuse, has: refuse });
  }
}

describe('InvertedIndex', () => {
  for (const values of [[], ['x'], ['x', 'y'], ['x', 'x']]) {
    it(`touches no bucket when the values stay [${values.join()}], and forgets its answer`, () => {
      const index = new InvertedIndex<string>();
      const entry: Entry = new StoredEntry('a', 'before');
      const place = index.file(entry, NOWHERE, values);
      if (values.length > 0) expect(index.objects('x')).to.deep.equal(['before']);
      const distinct = [...new Set(values)];
      seal(place);
      entry.object = 'after';
      expect(index.file(entry, place, distinct)).to.equal(place);
      if (values.length > 0) expect(index.objects('x')).to.deep.equal(['after']);
    });
  }

  it('goes from any values to any others', () => {
    const all: readonly (readonly string[])[] = [
      [],
      ['x'],
      ['y'],
      ['x', 'y'],
      ['y', 'z'],
      ['x', 'x'],
    ];
    for (const before of all) {
      for (const after of all) {
        const index = new InvertedIndex<string>();
        const entry: Entry = new StoredEntry('a', 'object');
        const place = index.file(entry, index.file(entry, NOWHERE, before), after);
        expect(index.values(), `${before.join()} to ${after.join()}`).to.have.members([
          ...new Set(after),
        ]);
        for (const value of after) expect(index.objects(value)).to.deep.equal(['object']);
        index.unfile(entry, place);
        expect(index.values()).to.deep.equal([]);
      }
    }
  });
});
