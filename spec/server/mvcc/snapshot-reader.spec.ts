import { expect } from 'chai';
import type { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { FRAME, FrameWriter, preamble } from '../../../lib/server/mvcc/snapshot-frames.ts';
import { writeCounts, writeHead } from '../../../lib/server/mvcc/snapshot-records.ts';
import { EmbeddedStoreHarness } from './embedded-store-harness.ts';
import { loadFrom, snapshotOf } from './snapshot-harness.ts';

describe('reading a snapshot', () => {
  let harness: EmbeddedStoreHarness;
  let whole: Buffer;
  beforeEach(async () => {
    harness = new EmbeddedStoreHarness();
    const { id } = await harness.store.leaseGrant(100);
    await harness.put('a', '1', id);
    await harness.put('b', '2');
    await harness.delete('a');
    await harness.store.compact(3n);
    whole = await snapshotOf(harness.store, harness.runtime, { history: true });
  });
  afterEach(async () => {
    await harness.store.close();
  });

  async function refusal(bytes: Uint8Array): Promise<string> {
    const result: EmbeddedKeyValueStore | Error = await loadFrom(bytes, harness.runtime).catch(
      (error: Error) => error,
    );
    if (!(result instanceof Error)) {
      await result.close();
      return 'loaded';
    }
    expect(result, result.message).to.include({ code: 'SNAPSHOT_INVALID' });
    return result.message;
  }

  it('finds every damaged byte', async () => {
    for (let place = 0; place < whole.byteLength; place += 1) {
      for (const bits of [0x01, 0x80, 0xff]) {
        const damaged = Buffer.from(whole);
        damaged.writeUInt8(damaged.readUInt8(place) ^ bits, place);
        expect(await refusal(damaged), `byte ${place}`).to.match(/\(at byte \d+\)$/);
      }
    }
  });

  it('finds every cut, and says after how many bytes it is', async () => {
    for (let length = 0; length < whole.byteLength; length += 1) {
      const message = await refusal(whole.subarray(0, length));
      expect(message).to.match(
        length < 12 ? /not a snapshot/ : new RegExp(`cut off .*${length} bytes`),
      );
    }
    expect(await refusal(whole)).to.equal('loaded');
  });

  it('says what is damaged, and where', async () => {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(whole.byteLength - 1) ^ 1, whole.byteLength - 1);
    expect(await refusal(damaged)).to.match(
      /^the snapshot: frame \d+ is damaged: its checksum differs \(at byte \d+\)$/,
    );
  });

  it('wants nothing behind the end', async () => {
    expect(await refusal(Buffer.concat([whole, Buffer.of(0)]))).to.include('bytes after the end');
  });

  it('refuses bytes that are not a snapshot, and an unknown format', async () => {
    expect(await refusal(Buffer.from('{"kind":"List","items":[]}'))).to.include('not a snapshot');
    const newer = Buffer.from(whole);
    newer.writeUInt32LE(2, 8);
    expect(await refusal(newer)).to.include('format version 2; this package reads version 1');
  });

  it('does not take memory for a length that is not there', async () => {
    const huge = new FrameWriter(FRAME.keyValues).finish();
    const bytes = Buffer.from(huge);
    bytes.writeUInt32LE(0xffff_ffff, 1);
    expect(await refusal(Buffer.concat([preamble(), bytes]))).to.include(
      'head of frame 0 is damaged',
    );
  });

  it('refuses frames that contradict each other although each is whole', async () => {
    const frame = (kind: (typeof FRAME)[keyof typeof FRAME], write: (one: FrameWriter) => void) => {
      const writer = new FrameWriter(kind);
      write(writer);
      return writer.finish();
    };
    const head = (revision: bigint, base: bigint, compactedRevision: bigint): Uint8Array =>
      frame(FRAME.head, (one) => {
        writeHead(one, { revision, base, compactedRevision });
      });
    const end = (keyValues: number): Uint8Array =>
      frame(FRAME.end, (one) => {
        writeCounts(one, { keyValues, events: 0, leases: 0 });
      });
    const raw = (kind: number, bytes: readonly number[]): Uint8Array =>
      frame(kind as typeof FRAME.head, (one) => {
        const place = one.add(bytes.length);
        place.bytes.set(bytes, place.offset);
      });
    const cases: [string, Uint8Array[]][] = [
      ['there is no head', [end(0)]],
      ['contradict each other', [head(3n, 4n, 1n)]],
      ['contradict each other', [head(4n, 3n, 4n)]],
      ['contradict each other', [head(0n, 0n, 0n)]],
      ['events end at revision 3, not 4', [head(4n, 3n, 3n), end(0)]],
      ['differ from the number of records', [head(3n, 3n, 3n), end(1)]],
      ['differ from the number of records', [head(3n, 3n, 3n), raw(FRAME.end, Array(25).fill(0))]],
      ['unknown kind 9', [head(3n, 3n, 3n), raw(9, [1])]],
      ['frame 1', [head(3n, 3n, 3n), raw(FRAME.keyValues, [1, 2, 3])]],
      ['longer than its frame', [head(3n, 3n, 3n), raw(FRAME.keyValues, Array(40).fill(9))]],
    ];
    for (const [message, frames] of cases) {
      expect(await refusal(Buffer.concat([preamble(), ...frames]))).to.include(message);
    }
    expect(await refusal(Buffer.concat([preamble(), head(3n, 3n, 3n), end(0)]))).to.equal('loaded');
  });
});
