import { expect } from 'chai';
import { failure } from '../../../../lib/meta/failure/api-error.ts';
import { Harness, type HarnessOptions } from '../../support/informer-harness.ts';
import { pod } from '../../support/objects.ts';

/** How many requests a synced informer makes in two minutes in which nothing happens. */
async function requestsInSilence(options: HarnessOptions): Promise<number> {
  const harness = new Harness({ objects: [pod('a')], minWatchTimeoutMs: 3_600_000, ...options });
  await harness.start();
  const before = harness.source.requests.length;
  await harness.runtime.advance(120_000);
  const { length } = harness.source.requests;
  await harness.stop();
  return length - before;
}

/** Whether a watch that is answered with 500 once is followed by a new list. */
async function listsAfterInternalError(options: HarnessOptions): Promise<boolean> {
  const harness = new Harness({ objects: [pod('a')], ...options });
  await harness.start();
  const before = harness.source.requests.length;
  harness.source.dropConnections(failure('InternalError', 'etcd has no leader'));
  await harness.runtime.advance(10_000);
  const kinds = harness.source.requests.slice(before).map(({ kind }) => kind);
  await harness.stop();
  return kinds.some((kind) => kind !== 'watch');
}

describe('The options of an informer', () => {
  it('let it probe a silent watch unless the option is off', async () => {
    expect(await requestsInSilence({})).to.be.at.least(3);
    expect(await requestsInSilence({ silenceProbeMs: 100_000 })).to.be.within(1, 2);
    expect(await requestsInSilence({ silenceProbeMs: 0 })).to.equal(0);
  });

  it('let it tolerate a server that fails by itself only with the option', async () => {
    expect(await listsAfterInternalError({})).to.equal(true);
    expect(await listsAfterInternalError({ internalErrorRetryMs: 60_000 })).to.equal(false);
  });

  it('that are left undefined are the defaults', async () => {
    const harness = new Harness({
      objects: [pod('a')],
      silenceProbeMs: undefined,
      freeze: undefined,
      matches: undefined,
      transform: undefined,
      metrics: undefined,
    });
    await harness.start();
    expect(Object.isFrozen(harness.informer.lister.list()[0])).to.equal(true);
    await harness.stop();
  });

  it('freeze objects by default, and not in production', async () => {
    const before = process.env['NODE_ENV'];
    const frozen = async (): Promise<boolean> => {
      const harness = new Harness({ objects: [pod('a')] });
      await harness.start();
      const is = Object.isFrozen(harness.informer.lister.list()[0]);
      await harness.stop();
      return is;
    };
    try {
      delete process.env['NODE_ENV'];
      expect(await frozen()).to.equal(true);
      process.env['NODE_ENV'] = 'test';
      expect(await frozen()).to.equal(true);
      process.env['NODE_ENV'] = 'production';
      expect(await frozen()).to.equal(false);
    } finally {
      if (before === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = before;
    }
  });
});
