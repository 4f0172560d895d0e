import { expect } from 'chai';
import { SharedWork } from '../../../../../lib/client/config/credentials/exec/shared-work.ts';
import { deferred } from '../../../../../lib/kernel/time/latch.ts';
import { rejectionOf } from '../../../support/failure-of.ts';

describe('SharedWork', () => {
  it('is deserted once, by the last caller that leaves', async () => {
    let deserted = 0;
    const work = new SharedWork(new Promise<never>(() => {}), () => (deserted += 1));
    const aborts = [new AbortController(), new AbortController()];
    const waits = aborts.map(({ signal }) => rejectionOf(work.wait(signal)));
    aborts[0]!.abort('one');
    expect(await waits[0]).to.equal('one');
    expect(deserted).to.equal(0);
    aborts[1]!.abort('two');
    expect(await waits[1]).to.equal('two');
    expect(deserted).to.equal(1);
  });

  it('is not deserted when it settles, whether well or not', async () => {
    let deserted = 0;
    const count = (): void => {
      deserted += 1;
    };
    expect(await new SharedWork(Promise.resolve(7), count).wait(undefined)).to.equal(7);
    const failed = new SharedWork(Promise.reject(new Error('no')), count);
    expect(await rejectionOf(failed.wait(undefined))).to.be.an('error');
    expect(deserted).to.equal(0);
  });

  it('stays with a caller that comes in the same step in which the other one leaves', async () => {
    let deserted = 0;
    const result = deferred<number>();
    const work = new SharedWork(result.promise, () => (deserted += 1));
    const abort = new AbortController();
    const left = rejectionOf(work.wait(abort.signal));
    abort.abort('left');
    const stayed = work.wait(undefined);
    expect(await left).to.equal('left');
    result.resolve(7);
    expect(await stayed).to.equal(7);
    expect(deserted).to.equal(0);
  });
});
