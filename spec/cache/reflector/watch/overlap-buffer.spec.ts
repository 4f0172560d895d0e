import { expect } from 'chai';
import { OverlapBuffer } from '../../../../lib/cache/reflector/watch/overlap-buffer.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import type { HasMetadata } from '../../../../lib/meta/object.ts';
import type { WatchEvent } from '../../../../lib/meta/watch-event.ts';

type Event = WatchEvent<HasMetadata>;
type Batch = readonly Event[] | undefined;

/** A watch with scripted events, for one reader at a time. */
class ManualReader {
  reading = false;
  #answer: ((batch: Batch) => void) | undefined;
  #refuse: ((error: unknown) => void) | undefined;

  read(): Promise<Batch> {
    expect(this.reading, 'one read at a time').to.equal(false);
    this.reading = true;
    return new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
    });
  }

  async bring(batch: Batch): Promise<void> {
    this.reading = false;
    this.#answer?.(batch);
    await settle();
  }

  async fail(error: unknown): Promise<void> {
    this.reading = false;
    this.#refuse?.(error);
    await settle();
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

const modified = (...versions: (string | undefined)[]): Event[] =>
  versions.map((resourceVersion) => ({
    type: 'MODIFIED',
    object: { metadata: { name: 'x', resourceVersion } },
  }));

const bookmark = (resourceVersion: string): Event => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: false,
});

const versions = (batch: Batch): (string | undefined)[] | undefined =>
  batch?.map((event) =>
    event.type === 'BOOKMARK'
      ? `@${event.resourceVersion}`
      : event.object.metadata?.resourceVersion,
  );

function rig(capacity?: number): {
  readonly reader: ManualReader;
  readonly buffer: OverlapBuffer<HasMetadata>;
} {
  const reader = new ManualReader();
  return { reader, buffer: new OverlapBuffer({ reader, name: 'things', capacity }) };
}

describe('OverlapBuffer', () => {
  it('continues behind the list with what came while it was taken, then with what comes', async () => {
    const { reader, buffer } = rig();
    await reader.bring(modified('9', '10'));
    await reader.bring([...modified('11'), bookmark('12'), ...modified('13')]);
    buffer.release('10');
    expect(versions(await buffer.read())).to.deep.equal(['11', '@12', '13']);
    const next = buffer.read();
    const later = modified('14');
    await reader.bring(later);
    expect(await next).to.equal(later);
  });

  it('leaves out what the list shows already, even when the watch brings it after the list', async () => {
    const { reader, buffer } = rig();
    buffer.release('100');
    const read = buffer.read();
    await reader.bring(modified('9', '99'));
    await reader.bring([...modified('100'), bookmark('100')]);
    await reader.bring(modified('100', '101'));
    expect(versions(await read)).to.deep.equal(['101']);
  });

  it('loses nothing of a batch that is under way when the list is complete', async () => {
    const { reader, buffer } = rig();
    await reader.bring(modified('11'));
    const arriving = reader.bring(modified('12'));
    buffer.release('10');
    await arriving;
    expect(versions(await buffer.read())).to.deep.equal(['11']);
    expect(versions(await buffer.read())).to.deep.equal(['12']);
  });

  it('keeps events whose version is missing or no decimal number', async () => {
    const { reader, buffer } = rig();
    await reader.bring(modified('9', undefined, '8'));
    buffer.release('10');
    expect(versions(await buffer.read())).to.deep.equal([undefined, '8']);
    const { reader: other, buffer: strange } = rig();
    await other.bring(modified('a', 'b'));
    strange.release('10');
    expect(versions(await strange.read())).to.deep.equal(['a', 'b']);
  });

  it('breaks when more comes than it may hold, and releases it', async () => {
    const { reader, buffer } = rig(3);
    await reader.bring(modified('1', '2', '3'));
    expect(buffer.broken.aborted).to.equal(false);
    await reader.bring(modified('4'));
    const reason: unknown = buffer.broken.reason;
    expect(reason).to.be.an.instanceOf(ListwatchError).with.property('code', 'BUFFER_FULL');
    expect((reason as Error).message).to.equal('more than 3 changes came while things was listed');
    expect(reader.reading, 'it reads no further').to.equal(false);
  });

  it('breaks when the watch ends or fails before the list is complete', async () => {
    const ended = rig();
    await ended.reader.bring(undefined);
    expect((ended.buffer.broken.reason as Error).message).to.include('ended before the list');
    const failed = rig();
    const error = new Error('cut');
    await failed.reader.fail(error);
    expect(failed.buffer.broken.reason).to.equal(error);
  });

  it('passes the end and a failure of the watch on when the list is complete', async () => {
    const ended = rig();
    ended.buffer.release('10');
    const end = ended.buffer.read();
    await ended.reader.bring(undefined);
    expect(await end).to.equal(undefined);
    expect(ended.buffer.broken.aborted).to.equal(false);
    const failed = rig();
    failed.buffer.release('10');
    const failure = failed.buffer.read().catch((thrown: unknown) => thrown);
    await failed.reader.fail('cut');
    expect(await failure).to.equal('cut');
  });
});
