import { expect } from 'chai';
import { FrameReader } from '../../lib/recorder/format/frame-reader.ts';
import { RECORDING_LINE } from '../../lib/recorder/format/file-head.ts';
import { frameBytes, RecordKind } from '../../lib/recorder/format/record-frame.ts';
import type { RecordOptions } from '../../lib/recorder/record-options.ts';
import { replay } from '../../lib/recorder/replay/replay.ts';
import { pod, rejection, type Pod } from '../cache/support/objects.ts';
import { asFile } from './support/memory-files.ts';
import { byName, play, Recorded } from './support/recorded-informer.ts';

const TEXT = Array.from({ length: 500 }, (_, index) => `line ${index}`).join(' ');
const CHANGES = 60;

/** Pods that change all the time, in what most changes are about: a few words in some kilobytes. */
async function recordedChanges(options: RecordOptions = {}, watchList = true): Promise<Recorded> {
  const recorded = new Recorded({ watchList });
  const recording = await recorded.record(options);
  await recorded.start();
  for (let change = 0; change < CHANGES; change += 1) {
    const name = `pod-${change % 2}`;
    const annotations = { text: TEXT, change: `${change}` };
    recorded.pods.modify(pod(name, { annotations, nodeName: `node-${change % 7}` }));
    await recorded.runtime.advance(1000);
  }
  recorded.pods.delete({ namespace: 'shop', name: 'pod-1' });
  await recorded.runtime.advance(1000);
  await recorded.stop();
  await recording.close();
  expect(recording.failure).to.equal(undefined);
  return recorded;
}

/** The kinds of the records as they are in the file, and where each begins. */
function written(bytes: Buffer): readonly { readonly kind: number; readonly start: number }[] {
  const reader = new FrameReader('a', bytes, RECORDING_LINE.length, 'RECORDING_INVALID');
  const found: { kind: number; start: number }[] = [];
  for (;;) {
    const start = reader.offset;
    if (reader.next() === undefined) return found;
    found.push({ kind: bytes[start + 8] as number, start });
  }
}

/** The file with another body in its last change. */
function edited(bytes: Buffer, edit: (body: Buffer) => Buffer): Buffer {
  const { start } = written(bytes).findLast(({ kind }) => kind === RecordKind.change) as {
    start: number;
  };
  const end = start + 24 + bytes.readUInt32LE(start);
  const frame = frameBytes({
    kind: RecordKind.change,
    flags: bytes[start + 9] as number,
    request: bytes.readUInt32LE(start + 12),
    atMs: bytes.readDoubleLE(start + 16),
    body: edit(Buffer.from(bytes.subarray(start + 24, end))),
  });
  return Buffer.concat([bytes.subarray(0, start), frame, bytes.subarray(end)]);
}

/** The body with another number at a place. */
function withNumber(at: number, number: (before: number, body: Buffer) => number) {
  return (body: Buffer): Buffer => {
    body.writeUInt32LE(number(body.readUInt32LE(at), body), at);
    return body;
  };
}

describe('the changes of a recording', () => {
  for (const [watchList, list] of [
    [true, RecordKind.event],
    [false, RecordKind.item],
  ] as const) {
    it(`are differences to what the list had of their object, also its end, and give the same objects again: streaming list ${watchList}`, async () => {
      const recorded = await recordedChanges({}, watchList);
      const kinds = written(recorded.bytes).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === RecordKind.change)).to.have.length(CHANGES - 2 + 1);
      expect(kinds.filter((kind) => kind === list)).to.have.length.above(2);
      await asFile(recorded.bytes, async (path) => {
        const again = await play(path);
        expect(again.log).to.deep.equal(recorded.log);
        expect(byName(again.objects)).to.deep.equal(byName(recorded.informer.lister.list()));
        const source = await replay<Pod>(path);
        expect(source.header.format).to.equal(3);
      });
    });
  }

  it('are whole without memory for hashes', async () => {
    const recorded = await recordedChanges({ baseBytes: 65_535 });
    const kinds = written(recorded.bytes).map(({ kind }) => kind);
    expect(kinds).to.not.include(RecordKind.change);
    await asFile(recorded.bytes, async (path) => {
      expect((await play(path)).log).to.deep.equal(recorded.log);
    });
  });

  it('are differences to the event with which their object came', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record();
    await recorded.start();
    for (const [name, change] of [
      ['late', 0],
      ['later', 0],
      ['late', 1],
      ['late', 2],
      ['later', 1],
    ] as const) {
      const object = pod(name, { annotations: { text: TEXT, change: `${change}` } });
      if (change === 0) recorded.pods.add(object);
      else recorded.pods.modify(object);
      await recorded.runtime.settle();
    }
    await recorded.stop();
    await recording.close();
    const kinds = written(recorded.bytes).map(({ kind }) => kind);
    const last = kinds.filter((kind) => kind === RecordKind.event || kind === RecordKind.change);
    const { event, change } = RecordKind;
    expect(last.slice(-5)).to.deep.equal([event, event, change, change, change]);
  });

  it('take a small part of what they take whole, and are the same objects', async () => {
    const small = await recordedChanges();
    const whole = await recordedChanges({ baseBytes: 0 });
    expect(written(whole.bytes).some(({ kind }) => kind === RecordKind.change)).to.equal(false);
    expect(small.bytes.length).to.be.below(whole.bytes.length / 8);
    const [one, two] = [
      await asFile(small.bytes, async (path) => await play(path)),
      await asFile(whole.bytes, async (path) => await play(path)),
    ];
    expect(one).to.deep.equal(two);
  });

  it('are whole where the memory that is filled with records is full', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record({ flushMs: 3_600_000 });
    await recorded.start();
    const rest = TEXT.repeat(20);
    for (let change = 0; change < 100; change += 1) {
      const annotations = { rest, other: `${change % 10}`.repeat(rest.length / 4) };
      recorded.pods.modify(pod('pod-0', { annotations }));
      await recorded.runtime.settle();
    }
    expect(recording.inspect().bytes).to.be.within(1.5e6, 4e6);
    await recorded.stop();
    await recording.close();
    const kinds = written(recorded.bytes).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === RecordKind.change)).to.have.length(99);
    await asFile(recorded.bytes, async (path) => {
      const again = await play(path);
      expect(again.log).to.deep.equal(recorded.log);
      expect(byName(again.objects)).to.deep.equal(byName(recorded.informer.lister.list()));
    });
  });

  it('end at the bound of the file with RECORDING_FULL, and what was written is replayed', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record({ maxBytes: 65_536 });
    await recorded.start();
    for (let change = 0; change < 1000; change += 1) {
      const annotations = { text: TEXT, change: `${change}` };
      recorded.pods.modify(pod('pod-0', { annotations }));
      await recorded.runtime.settle();
    }
    await recorded.stop();
    await recording.close();
    expect(recording.failure).to.have.property('code', 'RECORDING_FULL');
    expect(recorded.bytes.length).to.be.within(65_000, 65_536);
    const records = written(recorded.bytes);
    expect(recording.inspect()).to.include({ bytes: recorded.bytes.length });
    // Its last record is none of them, and the header is not counted.
    expect(recording.inspect().records).to.equal(records.length - 2);
    await asFile(recorded.bytes, async (path) => {
      const { log } = await play(path);
      expect(log).to.have.length.above(100);
      expect(log).to.deep.equal(recorded.log.slice(0, log.length));
    });
  });

  it('are of a recording to a file: with keepMinutes their memory is refused', async () => {
    const error = await rejection(new Recorded().record({ keepMinutes: 10, baseBytes: 0 }));
    expect(error).to.have.property('code', 'INVALID_OPTION');
    expect(error.message).to.include('option "baseBytes" is for a recording to a file');
  });

  it('have no masked value of an object, for any change of it', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record();
    await recorded.start();
    for (let change = 0; change < 5; change += 1) {
      const data = { password: Buffer.from(`hidden-${change}`).toString('base64') };
      const secret = { apiVersion: 'v1', kind: 'Secret', data };
      const base = pod('pod-0');
      const metadata = { ...base.metadata, labels: { text: TEXT } };
      recorded.pods.modify({ ...base, metadata, ...secret });
      await recorded.runtime.settle();
    }
    await recorded.stop();
    await recording.close();
    const kinds = written(recorded.bytes).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === RecordKind.change)).to.have.length(4);
    expect(recorded.bytes.includes(Buffer.from('hidden-').toString('base64').slice(0, 8))).to.equal(
      false,
    );
    await asFile(recorded.bytes, async (path) => {
      const { objects } = await play(path);
      const [first] = objects.filter(({ metadata }) => metadata.name === 'pod-0');
      expect((first as { data?: unknown }).data).to.deep.equal({ password: 'bWFza2Vk' });
    });
  });

  it('are refused when they were edited so that they make no object', async () => {
    const { bytes } = await recordedChanges();
    const { watchAsked } = RecordKind;
    const asked = written(bytes).find(({ kind }) => kind === watchAsked)?.start as number;
    const last = written(bytes).at(-1)?.start ?? 0;
    for (const [edit, problem] of [
      [() => Buffer.alloc(7), 'it is too short'],
      [withNumber(0, () => last), 'no record with an object comes before it at byte \\d+'],
      [withNumber(0, () => asked), 'no record with an object comes before it at byte \\d+'],
      [withNumber(0, () => 0xffffffff), 'no record with an object comes before it at byte \\d+'],
      [withNumber(4, (length) => length + 1), 'its object has \\d+ bytes, not \\d+ as it says'],
      [withNumber(4, () => 0xffffffff), 'an object of 4294967295 bytes; at most 1048576 are read'],
      [withNumber(12, () => 0xffffffff), 'a step copies more than the earlier object has'],
      [withNumber(16, () => 0xffffffff), 'a step has fewer bytes than it says'],
      [(body: Buffer) => Buffer.concat([body, Buffer.alloc(5)]), 'its last step is cut short'],
      [(body: Buffer) => Buffer.concat([body, Buffer.alloc(12, 0)]), undefined],
    ] as const) {
      await asFile(edited(bytes, edit), async (path) => {
        if (problem === undefined) {
          expect((await play(path)).log).to.have.length.above(CHANGES);
          return;
        }
        const error = await rejection(replay(path));
        expect(error).to.have.property('code', 'RECORDING_INVALID');
        expect(error.message).to.match(
          new RegExp(`at byte \\d+ is no change: ${problem}; replay its`),
        );
      });
    }
  });
});
