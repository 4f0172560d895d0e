import { expect } from 'chai';
import type {
  StoredDeployment,
  StoredSet,
} from '../../../lib/cluster/deployments/replica-counts.ts';
import {
  nextProgressCheckMs,
  rolloutStatus,
} from '../../../lib/cluster/deployments/deployment-status.ts';
import type { DeploymentCondition, DeploymentStatus } from '../../../lib/types/index.ts';
import { deployment } from './deployment-world.ts';

const BEGAN = '2030-01-01T00:00:00Z';
const beganMs = Date.parse(BEGAN);

interface Counts {
  readonly replicas: number;
  readonly ready?: number;
  readonly wanted?: number;
  readonly terminating?: number;
  readonly failure?: string;
}

function set(name: string, { replicas, ready = 0, wanted = replicas, ...more }: Counts): StoredSet {
  const { terminating, failure } = more;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: BEGAN },
    spec: { replicas: wanted, selector: {} },
    status: {
      replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: 1,
      terminatingReplicas: terminating,
      conditions:
        failure === undefined
          ? []
          : [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure }],
    },
  };
}

function progressing(
  reason: string,
  status: 'True' | 'False' | 'Unknown' = 'True',
): DeploymentCondition {
  return {
    type: 'Progressing',
    status,
    reason,
    message: 'before',
    lastUpdateTime: BEGAN,
    lastTransitionTime: BEGAN,
  };
}

function stored(status: DeploymentStatus, deadline: number | undefined): StoredDeployment {
  const { spec } = deployment('web:1', { replicas: 3, progressDeadlineSeconds: deadline });
  const metadata = { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: BEGAN };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, generation: 2 },
    spec,
    status,
  };
}

interface Seen {
  readonly before: DeploymentStatus;
  readonly newSet: StoredSet;
  readonly oldSets?: readonly StoredSet[];
  readonly afterMs?: number;
  readonly deadline?: number | undefined;
}

function seen({
  before,
  newSet,
  oldSets = [],
  afterMs = 5000,
  ...more
}: Seen): ReturnType<typeof rolloutStatus> {
  const object = stored(before, 'deadline' in more ? more.deadline : 60);
  const nowMs = beganMs + afterMs;
  const conditions = before.conditions ?? [];
  return rolloutStatus(object, { sets: { newSet, oldSets }, conditions, nowMs });
}

function condition(
  { conditions }: ReturnType<typeof rolloutStatus>,
  type: string = 'Progressing',
): DeploymentCondition | undefined {
  return conditions.find((one) => one.type === type);
}

describe('the status of a rollout', () => {
  it('has progressed when pods are added, become ready, or old ones go', () => {
    const conditions = [progressing('NewReplicaSetCreated')];
    const before = {
      replicas: 3,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions,
    };
    const steps = [
      seen({
        before,
        newSet: set('new', { replicas: 2 }),
        oldSets: [set('old', { replicas: 2, ready: 2 })],
      }),
      seen({
        before,
        newSet: set('new', { replicas: 1, ready: 1 }),
        oldSets: [set('old', { replicas: 2, ready: 2 })],
      }),
      seen({ before, newSet: set('new', { replicas: 1 }), oldSets: [set('old', { replicas: 1 })] }),
    ];
    for (const status of steps) {
      expect(condition(status)).to.include({
        reason: 'ReplicaSetUpdated',
        message: 'ReplicaSet "new" is progressing.',
        lastUpdateTime: '2030-01-01T00:00:05Z',
        lastTransitionTime: BEGAN,
      });
    }
  });

  it('is late when its last progress is longer ago than the deadline, and only then', () => {
    const conditions = [progressing('ReplicaSetUpdated')];
    const before = { replicas: 3, updatedReplicas: 3, conditions };
    const newSet = set('new', { replicas: 3 });
    expect(condition(seen({ before, newSet, afterMs: 60_000 }))?.reason).to.equal(
      'ReplicaSetUpdated',
    );
    expect(condition(seen({ before, newSet, afterMs: 60_001 }))).to.include({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "new" has timed out progressing.',
      lastTransitionTime: '2030-01-01T00:01:00Z',
    });
    const late = { ...before, conditions: [progressing('ProgressDeadlineExceeded', 'False')] };
    expect(condition(seen({ before: late, newSet }))?.lastUpdateTime).to.equal(BEGAN);
  });

  it('stays available when a pod of a complete rollout is lost', () => {
    const conditions = [progressing('NewReplicaSetAvailable')];
    const before = {
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions,
    };
    const newSet = set('new', { replicas: 3, ready: 2 });
    const status = seen({ before, newSet, afterMs: 999_000 });
    expect(condition(status)).to.deep.equal(conditions[0]);
    expect(status.unavailableReplicas).to.equal(1);
    expect(nextProgressCheckMs(stored(before, 60), status, beganMs)).to.equal(61_000);
  });

  it('has no condition of progress without a deadline', () => {
    const before = { conditions: [progressing('ReplicaSetUpdated')] };
    for (const deadline of [undefined, 2 ** 31 - 1]) {
      const status = seen({ before, newSet: set('new', { replicas: 3 }), deadline });
      expect(condition(status)).to.equal(undefined);
    }
  });

  it('is looked at again one second after its deadline, and never when it is complete or late', () => {
    const before = {
      replicas: 3,
      updatedReplicas: 3,
      conditions: [progressing('ReplicaSetUpdated')],
    };
    const check = (status: ReturnType<typeof seen>): number | undefined =>
      nextProgressCheckMs(stored(before, 60), status, beganMs + 20_000);
    expect(check(seen({ before, newSet: set('new', { replicas: 3 }) }))).to.equal(41_000);
    const complete = seen({ before, newSet: set('new', { replicas: 3, ready: 3 }) });
    expect(condition(complete)?.reason).to.equal('NewReplicaSetAvailable');
    expect(check(complete)).to.equal(undefined);
    const late = seen({ before, newSet: set('new', { replicas: 3 }), afterMs: 70_000 });
    expect(check(late)).to.equal(undefined);
  });

  it('has the failure of the newest ReplicaSet rather than that of an older one', () => {
    const newSet = set('new', { replicas: 0, failure: 'of the new one' });
    const oldSets = [set('old', { replicas: 0, failure: 'of the old one' })];
    expect(condition(seen({ before: {}, newSet, oldSets }), 'ReplicaFailure')?.message).to.equal(
      'of the new one',
    );
    const healthy = set('new', { replicas: 3 });
    expect(
      condition(seen({ before: {}, newSet: healthy, oldSets }), 'ReplicaFailure')?.message,
    ).to.equal('of the old one');
  });

  it('counts terminating pods once each counted ReplicaSet says how many it has', () => {
    const newSet = set('new', { replicas: 3, terminating: 2 });
    const count = (old: StoredSet): number | undefined =>
      seen({ before: {}, newSet, oldSets: [old] }).terminatingReplicas;
    expect(count(set('old', { replicas: 1, terminating: 1 }))).to.equal(3);
    expect(count(set('old', { replicas: 1 }))).to.equal(undefined);
    expect(count({ ...set('old', { replicas: 0 }), status: { replicas: 0 } })).to.equal(2);
  });
});
