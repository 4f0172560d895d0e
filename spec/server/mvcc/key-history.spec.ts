import { expect } from 'chai';
import { KeyHistory } from '../../../lib/server/mvcc/key-history.ts';
import type { KeyValue } from '../../../lib/server/mvcc/contract/key-value-store.ts';

function version(modRevision: bigint, alive: boolean = true): KeyValue {
  return {
    key: 'a',
    value: new Uint8Array(0),
    createRevision: 0n,
    modRevision,
    version: alive ? 1n : 0n,
    lease: 0n,
  };
}

/** Written at 2 and 4, deleted at 6, written again at 8. */
function history(): KeyHistory {
  const made = new KeyHistory('a', version(2n));
  made.append(version(4n));
  made.append(version(6n, false));
  made.append(version(8n));
  return made;
}

/** The revisions seen by reads at 1 to 9; 0 for no key. */
function seen(of: KeyHistory): number[] {
  return Array.from({ length: 9 }, (_, index) =>
    Number(of.at(BigInt(index + 1))?.modRevision ?? 0),
  );
}

describe('KeyHistory', () => {
  it('shows the newest version up to a revision, and nothing while the key is deleted', () => {
    expect(seen(history())).to.deep.equal([0, 2, 2, 4, 4, 0, 0, 8, 8]);
  });

  it('drops versions that no read at a compacted revision or later can see', () => {
    const rows: [bigint, number[]][] = [
      [1n, [0, 2, 2, 4, 4, 0, 0, 8, 8]],
      [3n, [0, 2, 2, 4, 4, 0, 0, 8, 8]],
      [4n, [0, 0, 0, 4, 4, 0, 0, 8, 8]],
      [5n, [0, 0, 0, 4, 4, 0, 0, 8, 8]],
      [6n, [0, 0, 0, 0, 0, 0, 0, 8, 8]],
      [7n, [0, 0, 0, 0, 0, 0, 0, 8, 8]],
      [8n, [0, 0, 0, 0, 0, 0, 0, 8, 8]],
    ];
    for (const [revision, left] of rows) {
      const compacted = history();
      expect(compacted.compact(revision)).to.equal(true);
      expect(seen(compacted), `compacted at ${revision}`).to.deep.equal(left);
    }
    const current = history();
    current.append(version(9n));
    current.compact(9n);
    expect(seen(current)).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0, 9]);
  });

  it('keeps what pinned revisions and later reads see', () => {
    const rows: [revision: bigint, pins: bigint[], left: number[]][] = [
      [4n, [2n], [0, 2, 2, 4, 4, 0, 0, 8, 8]],
      [5n, [2n, 3n], [0, 2, 2, 4, 4, 0, 0, 8, 8]],
      [7n, [4n], [0, 0, 0, 4, 4, 0, 0, 8, 8]],
      [7n, [7n, 9n], [0, 0, 0, 0, 0, 0, 0, 8, 8]],
      [1n, [1n], [0, 2, 2, 4, 4, 0, 0, 8, 8]],
    ];
    for (const [revision, pins, left] of rows) {
      const compacted = history();
      expect(compacted.compact(revision, pins)).to.equal(true);
      expect(
        seen(compacted),
        `compacted at ${revision}, pinned at ${pins.join(', ')}`,
      ).to.deep.equal(left);
    }
  });

  it('returns false when no version is left', () => {
    const deleted = history();
    deleted.append(version(9n, false));
    expect(deleted.compact(8n)).to.equal(true);
    expect(deleted.compact(9n)).to.equal(false);
  });
});
