import { expect } from 'chai';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import {
  guards,
  letsUnhealthyGo,
  withOneDisruption,
} from '../../../lib/kinds/subresources/pod-eviction.ts';

const pod = { metadata: { name: 'web', labels: { app: 'x' } } } as UnstructuredObject;
const budgetOf = (spec: object, status: object = {}): UnstructuredObject => ({
  metadata: { name: 'budget', generation: 2 },
  spec,
  status,
});
const CURRENT = { observedGeneration: 2, currentHealthy: 3, desiredHealthy: 2 };

describe('a disruption budget', () => {
  it('guards the pods of its selector; without one, or with an unreadable one, none', () => {
    expect(guards(budgetOf({ selector: { matchLabels: { app: 'x' } } }), pod)).to.equal(true);
    expect(guards(budgetOf({ selector: { matchLabels: { app: 'y' } } }), pod)).to.equal(false);
    expect(guards(budgetOf({}), pod)).to.equal(false);
    const unreadable = { matchExpressions: [{ key: 'app', operator: 'Like' }] };
    expect(guards(budgetOf({ selector: unreadable }), pod)).to.equal(false);
  });

  it('lets unhealthy pods go where enough are healthy, or by its policy', () => {
    const status = { desiredHealthy: 2, currentHealthy: 2 };
    expect(letsUnhealthyGo(budgetOf({}, status))).to.equal(true);
    expect(letsUnhealthyGo(budgetOf({}, { ...status, currentHealthy: 1 }))).to.equal(false);
    expect(letsUnhealthyGo(budgetOf({}))).to.equal(false);
    expect(letsUnhealthyGo(budgetOf({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }))).to.equal(true);
  });

  it('has one disruption less after one, with the pod and the time', () => {
    const { status } = withOneDisruption(
      budgetOf({}, { ...CURRENT, disruptionsAllowed: 2, disruptedPods: { other: 'then' } }),
      'web',
      0,
    );
    expect(status).to.deep.include({
      disruptionsAllowed: 1,
      disruptedPods: { other: 'then', web: '1970-01-01T00:00:00Z' },
    });
  });

  it('allows none for a status of an older generation, a negative number and too many pods', () => {
    const taking = (status: object): (() => unknown) => {
      return () => withOneDisruption(budgetOf({}, { ...CURRENT, ...status }), 'web', 0);
    };
    expect(taking({ observedGeneration: 1, disruptionsAllowed: 1 })).to.throw('disruption budget');
    expect(taking({ disruptionsAllowed: -1 })).to.throw('pdb disruptions allowed is negative');
    const names = Array.from({ length: 2001 }, (_, at) => [`p${at}`, 'then'] as const);
    const allowing = { disruptionsAllowed: 1 };
    const crowd = (count: number): object => ({
      ...allowing,
      disruptedPods: Object.fromEntries(names.slice(0, count)),
    });
    expect(taking(crowd(2001))).to.throw('DisruptedPods map too big');
    expect(taking(crowd(2000))).not.to.throw();
  });
});
