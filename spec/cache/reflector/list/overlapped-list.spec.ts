import { expect } from 'chai';
import type {
  ListPage,
  ListRequest,
} from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { isListwatchError, type ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { rig, thing, type Rig, type RigOptions, type View } from '../reflector-support.ts';

/** A collection whose list takes 3 s on its way, while the server forgets what is older than a second. */
function slowListRig(options: RigOptions = {}): Rig {
  return rig({
    backoff: { baseMs: 100, jitter: 0 },
    source: { objects: [thing('a'), thing('b')], historySize: 20 },
    ...options,
    prepare: (source) => {
      const list = source.list.bind(source);
      source.list = async (request: ListRequest): Promise<ListPage<View>> => {
        const page = await list(request);
        if (request.limit !== 1) await sleep(test.runtime, 3000, { signal: request.signal });
        return page;
      };
      options.prepare?.(source);
    },
  });
}

let test: Rig;

/** Twenty changes a second. */
async function churn(durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
    test.source.modify(thing('a', `at ${test.runtime.monotonicMs()}`));
    await test.runtime.advance(50);
  }
}

const start = (options?: RigOptions): void => {
  test = slowListRig(options);
};

const lists = (): string[] =>
  test
    .requests()
    .filter((request) => !request.startsWith('watch'))
    .map((request) => request.replace(/resourceVersion=[1-9]\d*/, 'resourceVersion=N'));

describe('Reflector of a collection whose list takes longer than the history lasts', () => {
  it('follows it after two failed lists, without a gap', async () => {
    start();
    await churn(20_000);
    const { calls } = test.sink;
    expect(lists()).to.deep.equal([
      'list limit=500 resourceVersion=0',
      'list resourceVersion=N',
      'list limit=1',
      'list limit=500',
    ]);
    const last = calls.findLastIndex((call) => call.startsWith('replace'));
    const from = Number(calls[last]?.split('@')[1]);
    const after = calls.slice(last + 1).map((call) => Number(call.split('@')[1]));
    expect(after.length).to.be.at.least(100);
    expect(after).to.deep.equal(after.map((_, index) => from + 1 + index));
    expect(test.sink.objects.get('a')).to.deep.equal(test.source.objects[0]);
    expect(test.errors.map(({ error }) => (error as ListwatchError).code)).to.deep.equal([
      'EXPIRED',
      'EXPIRED',
    ]);
    expect(test.errors[1]?.context.message).to.include(
      'it opens a watch first and lists beside it',
    );
    expect(test.source.openWatches).to.equal(1);
    await test.stop();
    expect(test.runtime.pending).to.equal(0);
  });

  it('does so in pages, and when their token expires', async () => {
    start({
      listTimeoutMs: 4000,
      pageSize: 2,
      source: { objects: ['a', 'b', 'c'].map((name) => thing(name)), historySize: 20 },
    });
    await churn(60_000);
    expect(test.sink.objects.get('a')).to.deep.equal(test.source.objects[0]);
    expect(lists()).to.include('list limit=1');
    expect(test.reflector.state.name).to.equal('watching');
    expect(test.errors.filter(({ error }) => isListwatchError(error, 'TIMEOUT'))).to.deep.equal([]);
    await test.stop();
  });

  it('begins again when the watch beside the list breaks, and asks the list to stop', async () => {
    start();
    await churn(8000);
    expect(test.reflector.state.name).to.equal('listing');
    expect(test.source.openWatches).to.equal(1);
    test.source.dropConnections();
    await test.runtime.settle();
    expect(test.transitions.at(-1)).to.include({
      to: 'backing-off',
      reason: 'the watch beside the list failed: the connection was reset',
    });
    expect(test.errors.at(-1)?.context.message).to.include('it opens a watch first');
    await churn(12_000);
    expect(test.sink.objects.get('a')).to.deep.equal(test.source.objects[0]);
    await test.stop();
    expect(test.runtime.pending).to.equal(0);
  });

  it('begins again when the watch beside the list is not accepted in time', async () => {
    start({ listTimeoutMs: 4000 });
    await churn(6200);
    test.source.hangNext('watch');
    await churn(20_000);
    expect(test.errors.map(({ context }) => context.message).join('\n')).to.include(
      'gave up after 4000 ms waiting for the watch beside the list of things',
    );
    expect(test.sink.objects.get('a')).to.deep.equal(test.source.objects[0]);
    await test.stop();
  });

  it('stops at once while it lists beside a watch, and leaves nothing', async () => {
    start();
    await churn(8000);
    expect(test.source.openWatches).to.equal(1);
    await test.stop();
    expect(test.source.openWatches).to.equal(0);
    expect(test.runtime.pending).to.equal(0);
  });
});
