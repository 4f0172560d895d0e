import { expect } from 'chai';
import { WatchAhead } from '../../../../lib/cache/collection/warm/warm-starter.ts';
import { deriveAbort } from '../../../../lib/kernel/time/abort.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../../lib/testing/scripted-lister-watcher.ts';
import { pod, type Pod } from '../../support/objects.ts';
import { rejectionOf } from '../../../client/support/failure-of.ts';

const FROM_1 = { resourceVersion: '1', timeoutSeconds: 300 };

function source(): ScriptedListerWatcher<Pod> {
  const runtime = new VirtualRuntime();
  return new ScriptedListerWatcher<Pod>({ runtime, objects: [pod('a'), pod('b')] });
}

describe('WatchAhead', () => {
  it('sends the request at once, and gives the stream to a reader that asks for the same version', async () => {
    const pods = source();
    const early = new WatchAhead(pods, FROM_1);
    await early.answered;
    expect(pods.requests.map(({ kind, request }) => [kind, request])).to.deep.equal([
      ['watch', FROM_1],
    ]);
    const stream = await early.take({ resourceVersion: '1', timeoutSeconds: 400 });
    const read = await stream?.[Symbol.asyncIterator]().next();
    expect(read?.value).to.have.length(1);
    expect(pods.requests).to.have.length(1);
  });

  it('ends with the signal of its reader', async () => {
    const pods = source();
    const early = new WatchAhead(pods, FROM_1);
    const reader = deriveAbort();
    await early.take({ ...FROM_1, signal: reader.signal });
    expect(pods.openWatches).to.equal(1);
    reader.abort();
    expect(pods.openWatches).to.equal(0);
  });

  it('ends with the signal of its request', async () => {
    const pods = source();
    const program = deriveAbort();
    const early = new WatchAhead(pods, { ...FROM_1, signal: program.signal });
    await early.take(FROM_1);
    program.abort();
    expect(pods.openWatches).to.equal(0);
  });

  it('is for no reader of another version, or of initial events', async () => {
    const early = new WatchAhead(source(), FROM_1);
    expect(early.take({ resourceVersion: '2' })).to.equal(undefined);
    expect(early.take({ ...FROM_1, sendInitialEvents: true })).to.equal(undefined);
    early.destroy(new Error('not read'));
    await early.answered;
  });

  it('gives its failure to the reader', async () => {
    const pods = source();
    const failure = new Error('refused');
    pods.failNext('watch', failure);
    const early = new WatchAhead(pods, FROM_1);
    await early.answered;
    expect(await rejectionOf(Promise.resolve(early.take(FROM_1)))).to.equal(failure);
  });

  it('gives to the reader what the source throws', async () => {
    const failure = new Error('no such source');
    const pods = Object.assign(source(), {
      watch: () => {
        throw failure;
      },
    });
    const early = new WatchAhead<Pod>(pods, FROM_1);
    expect(await rejectionOf(Promise.resolve(early.take(FROM_1)))).to.equal(failure);
  });

  it('ends, and leaves a source that ignores its signal, when it is closed', async () => {
    let left = 0;
    const stream = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: () => {
          left += 1;
          return Promise.resolve({ done: true as const, value: undefined });
        },
      }),
    };
    const early = new WatchAhead<Pod>(
      {
        description: 'pods',
        list: () => Promise.reject(new Error('not asked for')),
        watch: () => Promise.resolve(stream),
      },
      FROM_1,
    );
    early.destroy(new Error('not read'));
    await early.answered;
    expect(left).to.equal(1);
  });
});
