import { expect } from 'chai';
import { BatchChannel } from '../../../../lib/kernel/data/batch-channel.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { nextTask } from '../../../../lib/kernel/time/wait.ts';
import { ConversionsAhead } from '../../../../lib/server/custom/conversion/conversions-ahead.ts';

interface Call {
  resolve(result: number): void;
  reject(error: Error): void;
}

/** Conversions that end when the spec says so. */
class Webhook {
  readonly asked: number[] = [];
  readonly #calls = new Map<number, Call>();

  readonly convert = (batch: number): Promise<number> => {
    this.asked.push(batch);
    return new Promise((resolve, reject) => {
      this.#calls.set(batch, { resolve, reject });
    });
  };

  answer(batch: number): void {
    this.#calls.get(batch)?.resolve(batch * 10);
  }

  fail(batch: number): void {
    this.#calls.get(batch)?.reject(new Error(`no conversion of ${batch}`));
  }
}

/** A source of numbers that counts what was read of it. */
class Source implements AsyncIterableIterator<number, undefined> {
  read = 0;
  closed = false;
  failAt = Infinity;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<number, undefined>> {
    if (this.read === this.failAt) return Promise.reject(new Error('the watch has failed'));
    if (this.read === this.#count) return Promise.resolve({ done: true, value: undefined });
    this.read += 1;
    return Promise.resolve({ done: false, value: this.read });
  }

  return(): Promise<IteratorResult<number, undefined>> {
    this.closed = true;
    return Promise.resolve({ done: true, value: undefined });
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await nextTask(realRuntime);
};

describe('ConversionsAhead', () => {
  it('begins later conversions while an earlier one runs, and keeps the order', async () => {
    const webhook = new Webhook();
    const batches = new ConversionsAhead(new Source(3), webhook.convert);
    const first = batches.next();
    await settle();
    expect(webhook.asked).to.deep.equal([1, 2, 3]);
    for (const batch of [3, 2, 1]) webhook.answer(batch);
    expect(await first).to.deep.equal({ done: false, value: 10 });
    expect(await batches.next()).to.deep.equal({ done: false, value: 20 });
    expect(await batches.next()).to.deep.equal({ done: false, value: 30 });
    expect(await batches.next()).to.deep.equal({ done: true, value: undefined });
  });

  it('reads nothing before it is read, and then a bounded number of batches ahead', async () => {
    const source = new Source(1000);
    const webhook = new Webhook();
    const batches = new ConversionsAhead(source, webhook.convert);
    await settle();
    expect(source.read).to.equal(0);
    void batches.next();
    await settle();
    // The one that is asked for, and ten behind it.
    expect(source.read).to.equal(11);
  });

  it('passes a failure on in its place, and ends there', async () => {
    const source = new Source(5);
    const webhook = new Webhook();
    const batches = new ConversionsAhead(source, webhook.convert);
    const first = batches.next();
    await settle();
    webhook.fail(2);
    webhook.answer(3);
    webhook.answer(1);
    expect(await first).to.deep.equal({ done: false, value: 10 });
    const failure: unknown = await batches.next().catch((error: unknown) => error);
    expect(String(failure)).to.equal('Error: no conversion of 2');
    expect(await batches.next()).to.deep.equal({ done: true, value: undefined });
    expect(source.closed).to.equal(true);
  });

  it('passes a failure of the watch on behind the batches before it', async () => {
    const source = new Source(5);
    source.failAt = 1;
    const webhook = new Webhook();
    const batches = new ConversionsAhead(source, webhook.convert);
    const first = batches.next();
    await settle();
    webhook.answer(1);
    expect(await first).to.deep.equal({ done: false, value: 10 });
    const failure: unknown = await batches.next().catch((error: unknown) => error);
    expect(String(failure)).to.equal('Error: the watch has failed');
  });

  it('is left without a wait for the read and the conversions in progress', async () => {
    const channel = new BatchChannel<number>({ name: 'numbers', capacity: 10 });
    channel.push(1);
    let closed = false;
    async function* numbers(): AsyncGenerator<number> {
      try {
        for await (const batch of channel) yield* batch;
      } finally {
        closed = true;
      }
    }
    const webhook = new Webhook();
    const batches = new ConversionsAhead(numbers(), webhook.convert);
    void batches.next();
    await settle();
    expect(webhook.asked).to.deep.equal([1]);
    expect(await batches.return()).to.deep.equal({ done: true, value: undefined });
    expect(closed).to.equal(false);
    channel.end();
    await settle();
    expect(closed).to.equal(true);
  });
});
