import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import { CacherReadiness } from '../../../../lib/server/cacher/reads/cacher-readiness.ts';

function setUp(): { readonly runtime: VirtualRuntime; readonly readiness: CacherReadiness } {
  const runtime = new VirtualRuntime();
  return {
    runtime,
    readiness: new CacherReadiness({ runtime, description: 'pods', timeoutMs: 3000 }),
  };
}

const caught = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as ApiError,
  );

describe('CacherReadiness', () => {
  it('lets requests wait for the first list', async () => {
    const { readiness, runtime } = setUp();
    const wait = readiness.wait();
    await runtime.advance(2000);
    readiness.becomeReady();
    await wait;
    expect([readiness.state, readiness.generation]).to.deep.equal(['ready', 1]);
    expect(runtime.pending).to.equal(0);
  });

  it('refuses with 429 after the timeout, later the longer it lasts, between 1 and 30 seconds', async () => {
    const { readiness, runtime } = setUp();
    const retryAfter = async (): Promise<number | undefined> => {
      const error = await runtime.run(caught(readiness.wait()));
      expect([error.httpStatus, error.code]).to.deep.equal([429, 'TOO_MANY_REQUESTS']);
      return error.status.details?.retryAfterSeconds;
    };
    expect(await retryAfter()).to.equal(1);
    await runtime.advance(24_000);
    // e^(0.06 × 30)
    expect(await retryAfter()).to.equal(6);
    await runtime.advance(100_000);
    expect(await retryAfter()).to.equal(30);
  });

  it('says why it is not filled: the failure of the last try, until it is filled', async () => {
    const { readiness, runtime } = setUp();
    const refusal = async (): Promise<string> => {
      const error = await runtime.run(caught(readiness.wait()));
      return error.message;
    };
    expect(await refusal()).to.match(/is not filled yet$/);
    readiness.failed(new Error('the member is slow'));
    readiness.failed(new Error(`it took too long ${'x'.repeat(600)}`));
    expect(await refusal()).to.match(
      /not filled yet; the last try failed: it took too long x{400,490}$/,
    );
    readiness.becomeReady();
    readiness.failed(new Error('a watch broke'));
    readiness.becomePending();
    expect(await refusal()).to.match(/is not filled yet$/);
  });

  it('counts how often it became ready, and the time since it last was', async () => {
    const { readiness, runtime } = setUp();
    readiness.becomeReady();
    await runtime.advance(500_000);
    readiness.becomePending();
    const error = await runtime.run(caught(readiness.wait()));
    expect(error.retryAfterMs).to.equal(1000);
    readiness.becomeReady();
    expect(readiness.generation).to.equal(2);
  });

  it('refuses with 503 once it is stopped, also requests that wait', async () => {
    const { readiness } = setUp();
    const waiting = caught(readiness.wait());
    readiness.stop();
    readiness.becomeReady();
    readiness.becomePending();
    for (const error of [await waiting, await caught(readiness.wait())]) {
      expect(error.httpStatus).to.equal(503);
    }
    expect(readiness.state).to.equal('stopped');
  });

  it('stops waiting when the signal aborts', async () => {
    const { readiness, runtime } = setUp();
    const abort = new AbortController();
    const waiting = caught(readiness.wait(abort.signal));
    abort.abort(new Error('enough'));
    expect(String(await waiting)).to.contain('enough');
    expect(runtime.pending).to.equal(0);
  });
});
