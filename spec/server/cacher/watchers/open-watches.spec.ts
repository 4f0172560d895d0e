import { expect } from 'chai';
import { failedWatch } from '../../../../lib/server/cacher/watchers/open-watches.ts';

const END = { done: true, value: undefined };

describe('failedWatch', () => {
  it('gives its error to the reader once, and then ends', async () => {
    const reason = new Error('too old');
    const iterator = failedWatch(reason)[Symbol.asyncIterator]();
    expect(await iterator.next().catch((error: unknown) => error)).to.equal(reason);
    expect(await iterator.next()).to.deep.equal(END);
  });

  it('ends at once without an error', async () => {
    const iterator = failedWatch()[Symbol.asyncIterator]();
    expect(await iterator.next()).to.deep.equal(END);
  });

  it('sends nothing after it was closed, by either way', async () => {
    const closed = failedWatch(new Error('too old'));
    closed.destroy();
    expect(await closed[Symbol.asyncIterator]().next()).to.deep.equal(END);
    const iterator = failedWatch(new Error('too old'))[Symbol.asyncIterator]();
    expect(await iterator.return?.()).to.deep.equal(END);
    expect(await iterator.next()).to.deep.equal(END);
  });
});
