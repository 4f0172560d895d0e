import { expect } from 'chai';
import {
  ReasonWriter,
  reasonOf,
  type ReasonChain,
} from '../../../lib/controller/change/reconcile-reasons.ts';

describe('The reasons of a waiting key', () => {
  function writer(via: string): ReasonWriter {
    return new ReasonWriter(reasonOf('external', via));
  }

  function ways(chain: ReasonChain | undefined): (string | undefined)[] {
    return (chain?.list() ?? []).map(({ via }) => via);
  }

  it('are the first five, the oldest first', () => {
    let chain: ReasonChain | undefined;
    for (const via of ['1', '2', '3', '4', '5', '6', '7']) chain = writer(via).write(chain);
    expect(ways(chain)).to.deep.equal(['1', '2', '3', '4', '5']);
  });

  it('are one chain for all queues to which the same changes came', () => {
    const queues: (ReasonChain | undefined)[] = [undefined, undefined];
    for (const via of ['1', '2', '3']) {
      const one = writer(via);
      for (const [index, chain] of queues.entries()) queues[index] = one.write(chain);
    }
    expect(queues[0]).to.equal(queues[1]);
    expect(ways(queues[0])).to.deep.equal(['1', '2', '3']);
  });

  it('differ where a queue has seen other changes before', () => {
    const earlier = writer('1').write(undefined);
    const shared = writer('2');
    const chains = [shared.write(earlier), shared.write(undefined), shared.write(earlier)];
    expect(chains.map(ways)).to.deep.equal([['1', '2'], ['2'], ['1', '2']]);
  });
});
