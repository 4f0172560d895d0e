import { expect } from 'chai';
import { ReflectorPace } from '../../../lib/cache/reflector/reflector-pace.ts';
import { StreamEnds } from '../../../lib/cache/reflector/stream-ends.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const BACKOFF = { baseMs: 800, capMs: 30_000, factor: 2, jitter: 0, resetAfterMs: 120_000 };
const WATCH = { ageMs: 5000, events: 3 };
const LIFE = { durationMs: 5000, events: 3, delayMs: 0 };

function rig(internalErrorRetryMs: number): { runtime: VirtualRuntime; ends: StreamEnds } {
  const runtime = new VirtualRuntime();
  const pace = new ReflectorPace(runtime, BACKOFF, undefined);
  return { runtime, ends: new StreamEnds({ runtime, pace, internalErrorRetryMs }) };
}

describe('the end of a watch', () => {
  it('has what the watch was, as the table reads it, and its error', () => {
    const { ends } = rig(0);
    expect(ends.ended(WATCH)).to.deep.equal({ input: { type: 'stream-ended', ...LIFE } });
    const error = new ListwatchError('CONNECTION_FAILED', 'the connection ended');
    const { input, error: cause } = ends.failed(WATCH, error);
    expect(input).to.deep.include({ type: 'stream-failed', ...LIFE, retryInternal: false });
    expect(cause).to.equal(error);
    expect(ends.refused(error).input).to.deep.include({
      type: 'watch-refused',
      retryInternal: false,
    });
  });

  it('counts internal errors of the server across watches, refused and failed ones', async () => {
    const { runtime, ends } = rig(1000);
    const error = new ListwatchError('INTERNAL_ERROR', 'the server had an error');
    const retried = (): unknown[] =>
      [ends.refused(error), ends.failed(WATCH, error)].map(
        ({ input }) => 'retryInternal' in input && input.retryInternal,
      );
    expect(retried()).to.deep.equal([true, true]);
    await runtime.advance(1001);
    expect(retried()[0]).to.equal(false);
  });
});
