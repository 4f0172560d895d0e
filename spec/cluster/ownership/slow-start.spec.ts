import { expect } from 'chai';
import { slowStart } from '../../../lib/cluster/ownership/slow-start.ts';

/** The sizes of the groups, with a call that fails. */
async function groups(count: number, failingCall: number = Infinity): Promise<object> {
  const sizes: number[] = [];
  let calls = 0;
  let open = 0;
  const { succeeded, error } = await slowStart(count, async () => {
    calls += 1;
    const call = calls;
    if (open === 0) sizes.push(0);
    open += 1;
    sizes[sizes.length - 1] = open;
    await new Promise((resolve) => setImmediate(resolve));
    open = 0;
    if (call === failingCall) throw new Error(`call ${call}`);
  });
  return { sizes, succeeded, error: error instanceof Error ? error.message : error };
}

describe('slowStart', () => {
  it('makes calls in groups that double', async () => {
    expect(await groups(10)).to.deep.equal({
      sizes: [1, 2, 4, 3],
      succeeded: 10,
      error: undefined,
    });
    expect(await groups(0)).to.deep.equal({ sizes: [], succeeded: 0, error: undefined });
  });

  it('ends with the group in which a call failed', async () => {
    expect(await groups(10, 1)).to.deep.equal({ sizes: [1], succeeded: 0, error: 'call 1' });
    expect(await groups(10, 5)).to.deep.equal({ sizes: [1, 2, 4], succeeded: 6, error: 'call 5' });
  });
});
