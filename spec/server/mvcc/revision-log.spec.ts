import { expect } from 'chai';
import { RevisionLog, type RevisionEvents } from '../../../lib/server/mvcc/revision-log.ts';

const SEGMENT = 4096;
const OVERHEAD_BYTES = 256;

/** One change of a value of `size` bytes. */
function change(revision: bigint, size: number = 1): RevisionEvents {
  const kv = {
    key: 'a',
    value: new Uint8Array(size),
    createRevision: 2n,
    modRevision: revision,
    version: 1n,
    lease: 0n,
  };
  return [{ type: 'event', event: { type: 'put', kv } }];
}

/** A log with the revisions `first` up to and including `last`. */
function logOf(first: bigint, last: bigint): RevisionLog {
  const log = new RevisionLog(first);
  for (let revision = first; revision <= last; revision += 1n) log.append(change(revision));
  return log;
}

const revisionAt = (log: RevisionLog, revision: bigint): bigint | undefined =>
  log.at(revision)?.[0]?.event.kv.modRevision;

describe('RevisionLog', () => {
  it('has nothing before it begins and after it ends', () => {
    const log = logOf(2n, 4n);
    const seen = [0n, 1n, 2n, 3n, 4n, 5n].map((revision) => revisionAt(log, revision));
    expect(seen).to.deep.equal([undefined, undefined, 2n, 3n, 4n, undefined]);
    expect(new RevisionLog(7n)).to.include({ first: 7n, bytes: 0 });
    expect(new RevisionLog(7n).at(7n)).to.equal(undefined);
  });

  it('finds every revision, also when whole segments have gone', () => {
    const last = BigInt(3 * SEGMENT + 7);
    const log = logOf(2n, last);
    let gone = 0;
    for (const dropped of [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 3 * SEGMENT]) {
      for (; gone < dropped; gone += 1) log.dropFirst();
      const { first } = log;
      expect(first).to.equal(2n + BigInt(dropped));
      expect(revisionAt(log, first - 1n), `before ${first}`).to.equal(undefined);
      for (const revision of [first, first + 1n, last - 1n, last]) {
        expect(revisionAt(log, revision), `after ${dropped}`).to.equal(revision);
      }
      expect(revisionAt(log, last + 1n)).to.equal(undefined);
    }
  });

  it('goes on after it has been emptied, in the middle of a segment and at its end', () => {
    for (const size of [3, SEGMENT, SEGMENT + 1]) {
      const end = BigInt(size) + 1n;
      const log = logOf(2n, end);
      for (let count = 0; count < size + 5; count += 1) log.dropFirst();
      expect(log).to.include({ first: end + 1n, bytes: 0 });
      log.append(change(end + 1n));
      expect(revisionAt(log, end + 1n), `${size}`).to.equal(end + 1n);
      expect(revisionAt(log, end + 2n)).to.equal(undefined);
    }
  });

  it('counts the bytes of what it keeps', () => {
    const log = new RevisionLog(2n);
    log.append(change(2n, 100));
    log.append([...change(3n, 10), ...change(3n, 20)]);
    expect(log.bytes).to.equal(130 + 3 * OVERHEAD_BYTES);
    log.dropFirst();
    expect(log.bytes).to.equal(30 + 2 * OVERHEAD_BYTES);
    log.dropFirst();
    expect(log.bytes).to.equal(0);
  });

  it('keeps in a copy what it drops and does not add what comes later', () => {
    const log = logOf(2n, 4n);
    const copy = log.copy();
    log.dropFirst();
    log.append(change(5n));
    const revisions = copy.flat().map((events) => events?.[0]?.event.kv.modRevision);
    expect(revisions).to.deep.equal([2n, 3n, 4n]);
  });
});
