import { expect } from 'chai';
import { fenceposts, type StoredSet } from '../../../lib/cluster/deployments/replica-counts.ts';
import {
  isScaled,
  newSetReplicas,
  oldSetScalings,
  scalingsAfterScale,
  type Scaling,
} from '../../../lib/cluster/deployments/scaling-plan.ts';
import type { Deployment } from '../../../lib/types/index.ts';
import { deployment } from './deployment-world.ts';

type Limits = readonly [replicas: number, surge: number | string, unavailable: number | string];

function rolling([replicas, maxSurge, maxUnavailable]: Limits): Deployment {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } as const;
  return deployment('web:1', { replicas, strategy });
}

let created = 0;

/** Each one is younger than the one before. */
function set(
  name: string,
  replicas: number,
  available: number,
  sized?: [number, number],
): StoredSet {
  created += 1;
  const creationTimestamp = new Date(created * 1000).toISOString();
  const prefix = 'deployment.kubernetes.io';
  const annotations =
    sized === undefined
      ? undefined
      : {
          [`${prefix}/desired-replicas`]: `${sized[0]}`,
          [`${prefix}/max-replicas`]: `${sized[1]}`,
        };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp, annotations },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  };
}

function listed(scalings: readonly Scaling[]): readonly string[] {
  return scalings.map(({ set: { metadata }, replicas }) => `${metadata.name}=${replicas}`);
}

describe('fenceposts', () => {
  const rows: readonly (readonly [Limits, number, number])[] = [
    [[10, 3, 2], 3, 2],
    [[10, '25%', '25%'], 3, 2],
    [[2, '0%', '1%'], 0, 1],
    [[1, '0%', '1%'], 0, 1],
    [[2, '1%', '25%'], 1, 0],
    [[2, 0, 0], 0, 1],
    [[3, 1, 5], 1, 3],
    [[0, 1, 1], 1, 0],
  ];
  for (const [limits, maxSurge, maxUnavailable] of rows) {
    it(`of ${limits.join(', ')} are ${maxSurge} and ${maxUnavailable}`, () => {
      expect(fenceposts(rolling(limits))).to.deep.equal({ maxSurge, maxUnavailable });
    });
  }

  it('are 0 with Recreate', () => {
    const recreate = deployment('web:1', { strategy: { type: 'Recreate' } });
    expect(fenceposts(recreate)).to.deep.equal({ maxSurge: 0, maxUnavailable: 0 });
  });
});

describe('the replicas of the newest ReplicaSet', () => {
  it('grow as far as the surge allows, and not beyond those of the Deployment', () => {
    expect(newSetReplicas(rolling([10, 3, 0]), [set('old', 10, 10)], 0)).to.equal(3);
    expect(newSetReplicas(rolling([10, 3, 0]), [set('old', 8, 8)], 5)).to.equal(5);
    expect(newSetReplicas(rolling([10, 3, 0]), [set('old', 1, 1)], 5)).to.equal(10);
    expect(newSetReplicas(rolling([10, 3, 0]), [set('old', 20, 20)], 4)).to.equal(4);
    expect(newSetReplicas(rolling([10, 3, 0]), [], 12)).to.equal(10);
  });
});

describe('the steps of the old ReplicaSets', () => {
  it('wait for the new pods', () => {
    const old = [set('old', 8, 8)];
    expect(listed(oldSetScalings(rolling([10, 3, 2]), old, set('new', 5, 0)))).to.deep.equal([]);
    expect(listed(oldSetScalings(rolling([10, 3, 2]), old, set('new', 5, 2)))).to.deep.equal([
      'old=6',
    ]);
  });

  it('take pods first that are not available, then the oldest', () => {
    const old = [set('a', 4, 4), set('b', 4, 1)];
    expect(listed(oldSetScalings(rolling([10, 3, 2]), old, set('new', 5, 5)))).to.deep.equal([
      'b=1',
      'a=2',
    ]);
  });

  it('wait for a ReplicaSet that has not seen its last scaling', () => {
    const scaled = [set('a', 2, 4), set('b', 4, 1)];
    expect(listed(oldSetScalings(rolling([4, 1, 1]), scaled, set('new', 3, 3)))).to.deep.equal([]);
  });
});

describe('the ReplicaSets after a scaling', () => {
  const after = (
    limits: Limits,
    oldSets: readonly StoredSet[],
    newSet?: StoredSet,
  ): readonly string[] => listed(scalingsAfterScale(rolling(limits), { oldSets, newSet }));

  it('give the replicas to the only active one, or to the newest', () => {
    expect(after([5, 1, 1], [set('old', 0, 0)], set('new', 3, 3))).to.deep.equal(['new=5']);
    expect(after([5, 1, 1], [set('old', 3, 3)], set('new', 0, 0))).to.deep.equal(['old=5']);
    expect(after([5, 1, 1], [set('a', 0, 0), set('b', 0, 0)])).to.deep.equal(['b=5']);
    expect(after([5, 1, 1], [], set('new', 5, 0))).to.deep.equal([]);
  });

  it('remove the others when the newest is saturated', () => {
    const saturated = set('new', 5, 5, [5, 6]);
    expect(after([5, 1, 1], [set('old', 2, 2)], saturated)).to.deep.equal(['old=0']);
  });

  it('share in proportion to their sizes, with what is left over for the largest', () => {
    const sized: [number, number] = [10, 13];
    const old = set('old', 8, 8, sized);
    const young = set('new', 5, 0, sized);
    expect(after([15, 3, 2], [old], young)).to.deep.equal(['old=11', 'new=7']);
    expect(after([5, 3, 2], [old], young)).to.deep.equal(['old=5', 'new=3']);
    expect(after([0, 3, 2], [old], young)).to.deep.equal(['old=0', 'new=0']);
  });

  it('do not get more than there is, whatever their annotations say', () => {
    const old = set('old', 8, 8, [1, 1]);
    const young = set('new', 5, 0, [10, 13]);
    expect(after([12, 3, 2], [old], young)).to.deep.equal(['old=10', 'new=5']);
    expect(after([5, 3, 2], [set('old', 8, 8, [99, 999])], young)).to.deep.equal([
      'old=3',
      'new=5',
    ]);
  });

  it('grow the newer and shrink the older of two that have one size', () => {
    const sized: [number, number] = [10, 10];
    const old = set('old', 5, 5, sized);
    const young = set('new', 5, 5, sized);
    expect(after([11, 0, 1], [old], young)).to.deep.equal(['new=6', 'old=5']);
    expect(after([9, 0, 1], [old], young)).to.deep.equal(['old=4', 'new=5']);
  });

  it('are scaled when an active one notes another size than that of the Deployment', () => {
    const sets = { oldSets: [set('idle', 0, 0, [3, 4])], newSet: set('new', 5, 5, [5, 6]) };
    expect(isScaled(rolling([5, 1, 1]), sets)).to.equal(false);
    expect(isScaled(rolling([6, 1, 1]), sets)).to.equal(true);
    expect(isScaled(rolling([6, 1, 1]), { ...sets, newSet: set('new', 5, 5) })).to.equal(false);
  });
});
