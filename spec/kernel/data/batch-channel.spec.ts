import { expect } from 'chai';
import { BatchChannel } from '../../../lib/kernel/data/batch-channel.ts';

interface Reading {
  readonly batches: (readonly number[])[];
  readonly end: Promise<unknown>;
}

function read(channel: BatchChannel<number>, stopAfter: number = Infinity): Reading {
  const batches: (readonly number[])[] = [];
  const end = (async (): Promise<unknown> => {
    try {
      for await (const batch of channel) {
        batches.push(batch);
        if (batches.length === stopAfter) break;
      }
      return 'done';
    } catch (error) {
      return error;
    }
  })();
  return { batches, end };
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const make = (capacity: number = 10, onEnd?: () => void): BatchChannel<number> =>
  new BatchChannel({ name: 'numbers', capacity, onEnd });

describe('BatchChannel', () => {
  it('hands over all that has arrived as one batch, in order', async () => {
    const channel = make();
    const { batches, end } = read(channel);
    channel.push(1);
    channel.push(2);
    await turn();
    channel.push(3);
    await turn();
    channel.end();
    expect(await end).to.equal('done');
    expect(batches).to.deep.equal([[1, 2], [3]]);
  });

  it('refuses what goes beyond its capacity, until the reader has taken some', async () => {
    const channel = make(2);
    expect([channel.push(1), channel.push(2), channel.push(3)]).to.deep.equal([true, true, false]);
    expect(channel.fullError()).to.include({ code: 'BUFFER_FULL' });
    expect(channel.fullError().message).to.include('numbers: the buffer of 2 items is full');
    const { batches, end } = read(channel);
    await turn();
    expect(channel.push(4)).to.equal(true);
    await turn();
    channel.end();
    await end;
    expect(batches).to.deep.equal([[1, 2], [4]]);
  });

  it('lets the reader finish before it ends, also with an error', async () => {
    const failing = make();
    failing.push(1);
    failing.fail(new Error('broken'));
    const { batches, end } = read(failing);
    expect(await end).to.have.property('message', 'broken');
    expect(batches).to.deep.equal([[1]]);
  });

  it('throws even when it fails with nothing', async () => {
    const channel = make();
    channel.fail(undefined);
    expect(await read(channel).end).to.equal(undefined);
    expect(channel.closed).to.equal(true);
  });

  it('drops what is queued when it is destroyed', async () => {
    const channel = make();
    channel.push(1);
    channel.destroy(new Error('gone'));
    const { batches, end } = read(channel);
    expect(await end).to.have.property('message', 'gone');
    expect(batches).to.deep.equal([]);
    expect(channel.size).to.equal(0);
  });

  it('wakes a waiting reader on every kind of end', async () => {
    const endings: ((channel: BatchChannel<number>) => void)[] = [
      (channel) => channel.end(),
      (channel) => channel.fail(new Error('end')),
      (channel) => channel.destroy(),
      (channel) => channel.destroy(new Error('end')),
    ];
    for (const ending of endings) {
      const channel = make();
      const { end } = read(channel);
      await turn();
      ending(channel);
      const result = await end;
      expect(result === 'done' || (result as Error).message === 'end').to.equal(true);
    }
  });

  it('is closed by a reader that leaves, and says so once', async () => {
    let ended = 0;
    const channel = make(10, () => (ended += 1));
    channel.push(1);
    expect(await read(channel, 1).end).to.equal('done');
    expect(ended).to.equal(1);
    expect(channel.closed).to.equal(true);
    expect(channel.push(2)).to.equal(false);
    channel.end();
    channel.fail(new Error('late'));
    channel.destroy();
    expect(ended).to.equal(1);
  });

  it('keeps its first end', async () => {
    const channel = make();
    channel.end();
    channel.fail(new Error('late'));
    expect(await read(channel).end).to.equal('done');
  });

  it('ends its reader although the end hook throws', async () => {
    const channel = make(10, () => {
      throw new Error('hook');
    });
    const { end } = read(channel);
    await turn();
    expect(() => channel.end()).to.throw('hook');
    expect(await end).to.equal('done');
  });

  it('refuses a capacity that is not a bound', () => {
    for (const capacity of [Number.NaN, 0, -1]) {
      expect(() => make(capacity), String(capacity)).to.throw('option "capacity"');
    }
  });
});
