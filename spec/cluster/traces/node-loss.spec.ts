import { expect } from 'chai';
import { runNodeLoss, type NodeLoss } from './node-loss.ts';

describe('the loss of a node in virtual time', () => {
  let loss: NodeLoss;

  before(async () => {
    loss = await runNodeLoss(4);
  });

  it('is noticed and mended after the times of a real cluster', () => {
    expect(loss.lostAfterMs).to.be.within(40_000, 60_000);
    expect(loss.replacedAfterMs).to.be.within(340_000, 370_000);
  });

  it('takes few timers, because none runs where nothing is due, and few writes', () => {
    expect(loss.timers).to.be.below(1000);
    expect(loss.writes).to.be.below(100);
  });

  it('makes the same writes for the same seed, and others for another one', async () => {
    expect((await runNodeLoss(4)).digest).to.equal(loss.digest);
    expect((await runNodeLoss(5)).digest).not.to.equal(loss.digest);
  });
});
