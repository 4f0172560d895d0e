import { expect } from 'chai';
import { podsToDelete } from '../../../lib/cluster/ownership/deletion-order.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Pod } from '../../../lib/types/index.ts';

const NOW = '2030-01-01T12:00:00Z';
const DAY_AGO = '2029-12-31T12:00:00Z';
const HOUR_AGO = '2030-01-01T11:00:00Z';

interface Traits {
  readonly node?: string;
  readonly phase?: 'Pending' | 'Unknown' | 'Running';
  readonly readySince?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly created?: string;
  readonly uid?: string;
}

function pod(
  name: string,
  { node = 'n', phase = 'Running', created = DAY_AGO, uid = name, ...more }: Traits,
): Stored<Pod> {
  const { readySince, cost, restarts = 0, sidecarRestarts = 0 } = more;
  const status = { ready: true, image: '', imageID: '' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid,
      resourceVersion: '1',
      creationTimestamp: created,
      annotations: cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost },
    },
    spec: {
      nodeName: node,
      containers: [],
      initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'init' }],
    },
    status: {
      phase,
      containerStatuses: [{ ...status, name: 'main', restartCount: restarts }],
      initContainerStatuses: [
        { ...status, name: 'side', restartCount: sidecarRestarts },
        { ...status, name: 'init', restartCount: 9 },
      ],
      conditions:
        readySince === undefined
          ? []
          : [{ type: 'Ready', status: 'True', lastTransitionTime: readySince }],
    },
  };
}

/** Each row: what goes first, what stays, and why. */
const ROWS: readonly (readonly [string, Traits, Traits])[] = [
  ['not assigned before assigned', { node: '', readySince: DAY_AGO }, { phase: 'Pending' }],
  ['pending before unknown', { phase: 'Pending' }, { phase: 'Unknown' }],
  ['unknown before running', { phase: 'Unknown', readySince: DAY_AGO }, { phase: 'Running' }],
  ['not ready before ready', { cost: '9' }, { readySince: DAY_AGO, cost: '-9' }],
  ['the lower cost first', { cost: '-1', created: DAY_AGO }, { created: HOUR_AGO }],
  ['a cost that is no number counts as none', { cost: '-5' }, { cost: '-1e9', created: HOUR_AGO }],
  ['ready for a shorter time first', { readySince: HOUR_AGO }, { readySince: DAY_AGO }],
  [
    'a ready time of about the same age is none',
    { readySince: '2029-12-31T12:00:00Z', uid: 'a' },
    { readySince: '2029-12-31T12:00:09Z', uid: 'b', restarts: 5 },
  ],
  ['more restarts first', { restarts: 3 }, { restarts: 2, created: HOUR_AGO }],
  ['more restarts of a sidecar first', { sidecarRestarts: 1 }, { created: HOUR_AGO }],
  ['the younger first', { created: HOUR_AGO }, { created: DAY_AGO }],
  [
    'of about one age by uid',
    { created: '2029-12-31T12:00:00Z', uid: 'a' },
    { created: '2029-12-31T12:00:09Z', uid: 'b' },
  ],
];

describe('the order in which pods are deleted', () => {
  for (const [title, first, last] of ROWS) {
    it(`puts ${title}`, () => {
      for (const pods of [
        [pod('first', first), pod('last', last)],
        [pod('last', last), pod('first', first)],
      ]) {
        const [chosen] = podsToDelete(pods, 1, [], Date.parse(NOW));
        expect(chosen?.metadata.name).to.equal('first');
      }
    });
  }

  it('puts a pod first that shares its node with more related pods which run', () => {
    const pods = [pod('a', { node: 'n1' }), pod('b', { node: 'n2', created: HOUR_AGO })];
    const ended = { ...pod('e', { node: 'n2' }), status: { phase: 'Failed' as const } };
    const related = [...pods, pod('c', { node: 'n1' }), ended, ended];
    expect(podsToDelete(pods, 1, related, Date.parse(NOW))[0]?.metadata.name).to.equal('a');
  });

  it('returns all pods in their order when all are to go', () => {
    const pods = [pod('a', { readySince: DAY_AGO }), pod('b', {})];
    expect(podsToDelete(pods, 2, [], Date.parse(NOW))).to.deep.equal(pods);
  });
});
