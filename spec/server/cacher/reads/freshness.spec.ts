import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { isTooLargeResourceVersion } from '../../../../lib/meta/failure/failures.ts';
import { Freshness } from '../../../../lib/server/cacher/reads/freshness.ts';

class Stage {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly requestedAtMs: number[] = [];
  answer: () => Promise<void> = () => Promise.resolve();
  readonly freshness = new Freshness({
    runtime: this.runtime,
    timeoutMs: 3000,
    progressIntervalMs: 100,
    requestProgress: () => {
      this.requestedAtMs.push(this.runtime.monotonicMs());
      return this.answer();
    },
  });
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('Freshness', () => {
  it('does not wait for what has been reached, and asks for nothing', async () => {
    const { freshness, requestedAtMs } = new Stage();
    freshness.reach(5n);
    await freshness.waitFor(5n);
    expect(requestedAtMs).to.deep.equal([]);
  });

  it('wakes those whose revision is reached, and only them', async () => {
    const { freshness, runtime } = new Stage();
    const woken: string[] = [];
    void freshness.waitFor(5n).then(() => woken.push('five'));
    void freshness.waitFor(6n).then(() => woken.push('six'));
    freshness.reach(5n);
    await runtime.settle();
    expect(woken).to.deep.equal(['five']);
    freshness.reach(9n);
    await runtime.settle();
    expect(woken).to.deep.equal(['five', 'six']);
    expect(freshness.waiting).to.equal(0);
  });

  it('requests progress at once and then every 100 ms, as long as a reader waits', async () => {
    const { freshness, runtime, requestedAtMs } = new Stage();
    const wait = freshness.waitFor(5n);
    await runtime.advance(250);
    expect(requestedAtMs).to.deep.equal([0, 100, 200]);
    freshness.reach(5n);
    await wait;
    await runtime.advance(1000);
    expect(requestedAtMs).to.have.length(3);
  });

  it('asks once every 100 ms for all waiting readers, counted from the last one', async () => {
    const { freshness, runtime, requestedAtMs } = new Stage();
    const waits = [caught(freshness.waitFor(5n))];
    await runtime.advance(30);
    waits.push(caught(freshness.waitFor(6n)));
    await runtime.advance(30);
    waits.push(caught(freshness.waitFor(7n)));
    await runtime.advance(250);
    expect(requestedAtMs).to.deep.equal([0, 30, 60, 160, 260]);
    freshness.close(new Error('over'));
    await Promise.all(waits);
  });

  it('has one request under way at a time, and another one for readers that came meanwhile', async () => {
    const stage = new Stage();
    const first = deferred<void>();
    stage.answer = () => first.promise;
    const waits = [1, 2, 3].map(() => caught(stage.freshness.waitFor(5n)));
    await stage.runtime.settle();
    expect(stage.requestedAtMs).to.have.length(1);
    stage.answer = () => Promise.resolve();
    first.resolve();
    await stage.runtime.settle();
    expect(stage.requestedAtMs).to.have.length(2);
    stage.freshness.close(new Error('over'));
    await Promise.all(waits);
  });

  it('gives up after 3 seconds with 504, which names both versions', async () => {
    const { freshness, runtime } = new Stage();
    freshness.reach(4n);
    const error = await runtime.run(caught(freshness.waitFor(500n)));
    expect(isTooLargeResourceVersion(error)).to.equal(true);
    expect(String(error)).to.contain('500').and.to.contain('current: 4');
    expect(runtime.monotonicMs()).to.equal(3000);
    expect(runtime.pending).to.equal(0);
  });

  it('stops waiting when the signal aborts, also when it has before', async () => {
    const { freshness, runtime } = new Stage();
    const abort = new AbortController();
    const wait = caught(freshness.waitFor(5n, abort.signal));
    abort.abort(new Error('enough'));
    expect(String(await wait)).to.contain('enough');
    expect(String(await caught(freshness.waitFor(5n, abort.signal)))).to.contain('enough');
    expect([freshness.waiting, runtime.pending]).to.deep.equal([0, 0]);
  });

  it('lets no reader wait after it was closed', async () => {
    const { freshness, runtime, requestedAtMs } = new Stage();
    freshness.reach(4n);
    freshness.close(new Error('over'));
    const errors: string[] = [];
    void caught(freshness.waitFor(5n)).then((error) => errors.push(String(error)));
    await freshness.waitFor(4n);
    await runtime.settle();
    expect(errors).to.deep.equal(['Error: over']);
    expect([requestedAtMs.length, runtime.pending]).to.deep.equal([0, 0]);
  });
});
