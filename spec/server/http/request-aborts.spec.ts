import { expect } from 'chai';
import { RequestAborts } from '../../../lib/server/http/request-aborts.ts';

describe('RequestAborts', () => {
  it('gives later requests with the same signal what earlier ones have left, and no two at a time', () => {
    const aborts = new RequestAborts();
    const { signal } = new AbortController();
    const [first, second] = [aborts.of({ signal }), aborts.of({ signal })];
    expect(first.signal).not.to.equal(second.signal);
    first.destroy();
    expect(aborts.of({ signal }).signal).to.equal(first.signal);
    expect(aborts.of({ signal: new AbortController().signal }).signal).not.to.equal(first.signal);
  });

  it('gives no request a signal that has aborted', () => {
    const aborts = new RequestAborts();
    const { signal } = new AbortController();
    const late = aborts.of({ signal });
    const reason = new Error('too late');
    late.abort(reason);
    late.destroy();
    expect(late.signal.reason).to.equal(reason);
    expect(aborts.of({ signal }).signal.aborted).to.equal(false);
  });

  it('aborts with the signal of the request', () => {
    const aborts = new RequestAborts();
    const caller = new AbortController();
    aborts.of(caller).destroy();
    const { signal } = aborts.of(caller);
    caller.abort(new Error('gone'));
    expect(signal.reason).to.equal(caller.signal.reason);
  });

  it('leaves a request that aborts itself its own signal', () => {
    const own = new AbortController();
    const abort = (): void => {};
    expect(new RequestAborts().of({ signal: own.signal, abort }).signal).to.equal(own.signal);
  });
});
