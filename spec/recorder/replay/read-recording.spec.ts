import { expect } from 'chai';
import { FrameReader } from '../../../lib/recorder/format/frame-reader.ts';
import {
  frameBytes,
  jsonFrame,
  RecordKind,
  type RecordFrame,
} from '../../../lib/recorder/format/record-frame.ts';
import { RECORDING_LINE } from '../../../lib/recorder/format/file-head.ts';
import { replay } from '../../../lib/recorder/replay/replay.ts';
import { rejection } from '../../cache/support/objects.ts';
import { asFile } from '../support/memory-files.ts';
import { playIncident, Program, READ, RecordedClient } from '../support/recorded-client.ts';

interface Made {
  readonly bytes: Buffer;
  readonly log: readonly string[];
  readonly failure: unknown;
}

/** The recording of a program of several collections; `room`: bytes of the disk, counted from its start. */
async function made(
  options: { room?: number; maxBytes?: number; baseBytes?: number; changes?: number } = {},
): Promise<Made> {
  const { room = Infinity, maxBytes, baseBytes, changes = 3 } = options;
  const world = new RecordedClient();
  await world.prepare();
  const recording = await world.record({ maxBytes, baseBytes });
  world.files.room = room;
  const program = new Program(world.client, world.runtime, false);
  program.start();
  await world.runtime.advance(5000);
  for (let change = 0; change < changes; change += 1) {
    await world.apply('v1', 'nodes', `node-${change}`);
    await world.apply('v1', 'configmaps', 'shop/first', {
      data: { a: 'x'.repeat(300), at: `${change}` },
    });
    await world.runtime.advance(2000);
  }
  await program.close();
  await recording.close();
  await world.close();
  return { bytes: world.bytes, log: program.log, failure: recording.failure };
}

/** The file with its records changed, and checksums that are right. */
function rewritten(
  bytes: Buffer,
  change: (frames: RecordFrame[]) => readonly RecordFrame[],
): Buffer {
  const reader = new FrameReader('a', bytes, RECORDING_LINE.length, 'RECORDING_INVALID');
  const frames: RecordFrame[] = [];
  for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  return Buffer.concat([Buffer.from(RECORDING_LINE), ...change(frames).map(frameBytes)]);
}

async function refused(bytes: Buffer, text: RegExp): Promise<void> {
  await asFile(bytes, async (path) => {
    const error = await rejection(replay(path));
    expect(error).to.have.property('code', 'RECORDING_INVALID');
    expect(error.message).to.match(text).and.to.include(path);
  });
}

describe('a recording of several collections', () => {
  it('is refused wherever it was cut short, and replayed up to there when that is asked for', async () => {
    const { bytes, log } = await made();
    const whole = (await playIncident(bytes, {}, false)).log;
    expect(whole).to.deep.equal(log);
    for (let cut = 0; cut < bytes.length; cut += 331) {
      const short = bytes.subarray(0, cut);
      await refused(short, /cut short|does not begin|no header/);
      if (cut % 3 !== 0 || cut < 400) continue;
      const read = await collectionsOf(short);
      const some = READ.filter(([, resource, namespace]) =>
        read.includes(namespace === undefined ? resource : `${resource} in namespace ${namespace}`),
      );
      const part = await playIncident(short, { partial: true, speed: 'instant' }, false, some);
      expect(part.log, `cut at ${cut}`).to.deep.equal(log.slice(0, part.log.length));
    }
  });

  it('is refused with a damaged byte, wherever that is', async () => {
    const { bytes } = await made();
    for (let at = RECORDING_LINE.length; at < bytes.length; at += 97) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 0x20;
      await refused(damaged, /checksum is wrong|cut short/);
    }
  });

  it('is refused when it was edited so that its records do not fit', async () => {
    const { bytes } = await made();
    const reader = (value: unknown, request: number): RecordFrame =>
      jsonFrame(RecordKind.reader, value, { request });
    const pods = { by: 'source', apiVersion: 'v1', resource: 'pods' };
    for (const value of [
      null,
      7,
      {},
      { ...pods, by: 'missing' },
      { ...pods, namespace: 7 },
      { ...pods, apiVersion: '../v1' },
    ]) {
      const edited = rewritten(bytes, ([head, ...rest]) => [
        head as RecordFrame,
        reader(value, 99),
        ...rest,
      ]);
      await refused(edited, /record 1 is no reader of a collection/);
    }
    const twice = rewritten(bytes, (frames) => frames.toSpliced(2, 0, frames[1] as RecordFrame));
    await refused(twice, /record 2 is no reader of a collection/);
    const without = rewritten(bytes, (frames) =>
      frames.filter(({ kind, request }) => kind !== RecordKind.reader || request !== 2),
    );
    await refused(without, /is a request of reader 2, which is none; replay its \d+ whole/);
    const orphans = rewritten(bytes, (frames) =>
      frames.filter(({ kind }) => kind !== RecordKind.watchAsked),
    );
    await refused(orphans, /belongs to no request/);
    const unknown = rewritten(bytes, (frames) =>
      frames.flatMap((frame) =>
        frame.kind === RecordKind.watchAccepted
          ? [frame, { ...frame, body: frame.body, kind: 99 }]
          : [frame],
      ),
    );
    await refused(unknown, /of kind 99 belongs to no request/);
    for (const kind of [RecordKind.event, RecordKind.item, RecordKind.pageEnd]) {
      const broken = rewritten(bytes, (frames) =>
        frames.map((frame) =>
          frame.kind === kind
            ? { ...frame, body: Buffer.concat([frame.body, Buffer.from('}')]) }
            : frame,
        ),
      );
      await refused(broken, /record \d+ is no JSON; replay its/);
    }
  });

  it('is offered in part only where a part of it is whole', async () => {
    const { bytes } = await made();
    const headerOnly = rewritten(bytes, (frames) => frames.slice(0, 1));
    await refused(headerOnly, /cut short behind record 0$/);
    await refused(
      bytes.subarray(0, -1),
      /; replay its \d+ whole records with partial: true, on the command line --partial$/,
    );
  });

  it('is refused in a later version of the format, and with readers in one that has none', async () => {
    const { bytes } = await made();
    const inVersion = (format: unknown): Buffer =>
      rewritten(bytes, ([head, ...rest]) => {
        const header = JSON.parse((head as RecordFrame).body.toString('utf8'));
        return [jsonFrame(RecordKind.header, { ...header, format }), ...rest];
      });
    await refused(inVersion(5), /format version 5, and this version of listwatch reads 1, 2, 3, 4/);
    await refused(inVersion('2'), /format version "2"/);
    await refused(inVersion(undefined), /format version unknown/);
    for (const ofOne of [1, 3]) {
      await refused(inVersion(ofOne), /record 1 of kind 14 belongs to no request/);
    }
  });

  it('ends on a full disk with RECORDING_FILE; the program goes on, and what was written is replayed', async () => {
    const whole = await made();
    for (const room of [0, 1500, whole.bytes.length - 1000]) {
      const { failure, log, bytes } = await made({ room });
      expect(failure).to.have.property('code', 'RECORDING_FILE');
      expect(log).to.deep.equal(whole.log);
      await refused(bytes, /was cut short/);
      expect(await collectionsOf(bytes)).to.be.an('array');
    }
  });

  it('ends at its bound with RECORDING_FULL, and is replayed', async () => {
    const { failure, log, bytes } = await made({ maxBytes: 65_536, baseBytes: 0, changes: 80 });
    expect(failure).to.have.property('code', 'RECORDING_FULL');
    expect(bytes.length).to.be.within(60_000, 65_536);
    const { log: replayed } = await playIncident(bytes, {}, false);
    expect(replayed.length).to.be.above(50);
    expect(replayed).to.deep.equal(log.slice(0, replayed.length));
  });
});

async function collectionsOf(bytes: Buffer): Promise<readonly string[]> {
  return await asFile(bytes, async (path) => {
    const { collections } = await replay(path, { partial: true });
    return collections.map(({ description }) => description.replace('.example.com', ''));
  });
}
