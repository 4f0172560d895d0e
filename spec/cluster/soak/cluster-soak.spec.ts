import { expect } from 'chai';
import { runClusterSoak } from './cluster-soak.ts';

describe('a cluster in which Deployments come and go, containers crash and nodes are lost', () => {
  it('holds in the end what it held before', async () => {
    const { begin, end, operations } = await runClusterSoak({ seed: 3, hours: 1 });
    expect(Object.keys(operations)).to.have.members([
      'create',
      'scale',
      'update',
      'delete',
      'crash',
      'fail',
      'recover',
    ]);
    const { timers, keys, cached, watchers, state } = begin;
    expect(end).to.include({ timers, keys, cached, watchers, state });
  });
});
