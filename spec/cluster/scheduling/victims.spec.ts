import { expect } from 'chai';
import { interPodPreferenceScore } from '../../../lib/cluster/scheduling/plugins/inter-pod-affinity.ts';
import { ClusterState } from '../../../lib/cluster/scheduling/model/cluster-state.ts';
import { NodeInfo } from '../../../lib/cluster/scheduling/model/node-info.ts';
import {
  type Candidate,
  cheapest,
  selectVictims,
  type Victim,
} from '../../../lib/cluster/scheduling/victims.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Pod } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { podFacts, type PodFacts } from '../../../lib/cluster/scheduling/model/pod-facts.ts';

function victim(priority: number, startMs: number = 0): Victim {
  const metadata = { name: 'web', uid: '1', resourceVersion: '1', creationTimestamp: '' };
  const pod: Stored<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [], priority },
  };
  return { facts: podFacts(pod), pod, startMs };
}

function candidate(node: string, victims: readonly Victim[], violations: number = 0): Candidate {
  return { node, victims, violations };
}

describe('the choice between nodes with victims', () => {
  const cases: [rule: string, candidates: readonly Candidate[]][] = [
    [
      'with the fewest broken disruption budgets',
      [candidate('other', [victim(1)], 1), candidate('best', [victim(9), victim(9)])],
    ],
    [
      'whose most important victim is the least important',
      [candidate('other', [victim(5)]), candidate('best', [victim(4), victim(4)])],
    ],
    [
      'with the lowest sum of priorities',
      [candidate('other', [victim(5), victim(3)]), candidate('best', [victim(5), victim(2)])],
    ],
    [
      'with few victims of a negative priority',
      [candidate('other', [victim(-1), victim(-1)]), candidate('best', [victim(-1)])],
    ],
    [
      'whose most important victims started last',
      [
        candidate('other', [victim(5, 1), victim(3, 9)]),
        candidate('best', [victim(5, 2), victim(3, 0)]),
      ],
    ],
    ['that came first', [candidate('best', [victim(1)]), candidate('other', [victim(1)])]],
  ];
  for (const [rule, candidates] of cases) {
    it(`takes the one ${rule}`, () => {
      expect(cheapest(candidates)?.node).to.equal('best');
      if (rule !== 'that came first')
        expect(cheapest(candidates.toReversed())?.node).to.equal('best');
    });
  }

  it('takes none of none', () => {
    expect(cheapest([])).to.equal(undefined);
  });
});

describe('the victims on a node', () => {
  it('are no violation when they have no labels that a budget could select', () => {
    const node = new NodeInfo('one');
    const full = {
      plugin: 'NodeResourcesFit',
      reasons: ['Too many pods'],
      resolvable: true,
    } as const;
    const trial = {
      node,
      add: (pod: PodFacts) => node.add(pod),
      remove: (pod: PodFacts) => node.remove(pod),
      check: () => (node.pods.size > 0 ? full : undefined),
    };
    const matchExpressions = [{ key: 'app', operator: 'DoesNotExist' as const }];
    const spec = { minAvailable: 1, selector: { matchExpressions } };
    const budget = { metadata: { namespace: '' }, spec, status: { disruptionsAllowed: 0 } };
    const found = selectVictims(trial, [victim(1)], [budget]);
    expect(found).to.include({ violations: 0 });
  });
});

describe('the score for pods nearby', () => {
  it('is rounded as in kube-scheduler', () => {
    const state = new ClusterState();
    const { pod } = victim(0);
    state.place(victim(0).facts, 'one');
    const labels = { zone: 'a' };
    const metadata = { ...pod.metadata, name: 'one', labels };
    state.setNode({ apiVersion: 'v1', kind: 'Node', metadata });
    const labelSelector = {};
    const podAffinityTerm = { topologyKey: 'zone', labelSelector };
    const preferred = [{ weight: 1, podAffinityTerm }];
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    const wanting = { ...pod, spec: { containers: [], affinity: { podAffinity } } };
    const step = interPodPreferenceScore.prepare(
      { pod: wanting, facts: podFacts(wanting) },
      state,
      [],
    );
    const scores = [0, 29, 100];
    step?.normalize?.(scores, []);
    expect(scores).to.deep.equal([0, 28, 100]);
  });
});
