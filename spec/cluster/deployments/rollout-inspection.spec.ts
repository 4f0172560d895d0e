import { expect } from 'chai';
import { rolloutInspection } from '../../../lib/cluster/deployments/rollout-inspection.ts';
import type { DeploymentSpec, DeploymentStatus } from '../../../lib/types/index.ts';
import { deployment } from './deployment-world.ts';

const DONE: DeploymentStatus = {
  observedGeneration: 3,
  replicas: 4,
  updatedReplicas: 4,
  availableReplicas: 4,
};
const HALF = { ...DONE, updatedReplicas: 2 };

function inspected(status: DeploymentStatus | undefined, spec: Partial<DeploymentSpec> = {}) {
  const metadata = {
    name: 'web',
    namespace: 'shop',
    uid: 'u',
    creationTimestamp: '2030-01-01T00:00:00Z',
    resourceVersion: '1',
    generation: 3,
  };
  const made = { ...deployment('a', spec), apiVersion: 'apps/v1', kind: 'Deployment' } as const;
  return rolloutInspection({ ...made, metadata, status });
}

function condition(type: string, status: string, reason: string, message: string) {
  return { conditions: [{ type, status, reason, message }] };
}

describe('rolloutInspection', () => {
  const late = condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'timed out');
  const refused = condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota');
  const fine = condition('Progressing', 'True', 'ReplicaSetUpdated', 'is progressing');

  for (const [what, status, spec, state, message] of [
    ['all pods are new and available', DONE, {}, 'complete', undefined],
    ['it is paused after its end', DONE, { paused: true }, 'complete', undefined],
    ['old pods are left', HALF, {}, 'progressing', undefined],
    ['it has no status yet', undefined, {}, 'progressing', undefined],
    [
      'the status is of an older spec',
      { ...DONE, observedGeneration: 2 },
      {},
      'progressing',
      undefined,
    ],
    ['it is paused on its way', HALF, { paused: true }, 'paused', undefined],
    ['it progresses', { ...HALF, ...fine }, {}, 'progressing', undefined],
    ['its deadline has passed', { ...HALF, ...late }, {}, 'failed', 'timed out'],
    ['pods are refused', { ...HALF, ...refused }, {}, 'failed', 'exceeded quota'],
  ] as const) {
    it(`is ${state} when ${what}`, () => {
      expect(inspected(status, spec)).to.include({ state, message });
    });
  }

  it('has the pods in numbers, under the key of the Deployment', () => {
    const status = { ...DONE, replicas: 5, updatedReplicas: 2, availableReplicas: 3 };
    expect(inspected(status)).to.include({
      key: 'shop/web',
      wanted: 4,
      present: 5,
      updated: 2,
      available: 3,
    });
  });
});
