import { expect } from 'chai';
import { EvictionPace, zoneOf, zoneState } from '../../../lib/cluster/nodes/eviction-zones.ts';
import { lostConditions, NodeSignals } from '../../../lib/cluster/nodes/node-signals.ts';
import {
  isToBeEvicted,
  missingLabels,
  wantedTaints,
  type EvictionRule,
} from '../../../lib/cluster/nodes/node-taints.ts';
import { garbageReason, surplusPods } from '../../../lib/cluster/nodes/pod-garbage.ts';
import { toleratedMs } from '../../../lib/cluster/nodes/taint-eviction.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/built-in/coordination-v1-kinds.ts';
import type {
  ConditionStatus,
  Node,
  Pod,
  PodStatus,
  Taint,
  Toleration,
} from '../../../lib/types/built-in/core-v1-kinds.ts';

const NOW = '2026-01-01T00:01:00Z';
const NOW_MS = Date.parse(NOW);
const CREATED = '2026-01-01T00:00:00Z';

function node(ready: ConditionStatus | undefined, ...taints: string[]): Node {
  return {
    metadata: { name: 'n', uid: 'u', creationTimestamp: CREATED },
    spec: { taints: taints.map(taint) },
    status: {
      conditions:
        ready === undefined ? [] : [{ type: 'Ready', status: ready, lastHeartbeatTime: CREATED }],
    },
  };
}

/** `not-ready:NoExecute` or `mine:NoSchedule`. */
function taint(text: string): Taint {
  const [key = '', effect] = text.split(':');
  const name = key === 'mine' ? key : `node.kubernetes.io/${key}`;
  return { key: name, effect: effect === 'NoExecute' ? 'NoExecute' : 'NoSchedule' };
}

function shown(taints: readonly Taint[] | undefined): string[] | undefined {
  return taints?.map(({ key, effect }) => `${key.split('/').at(-1)}:${effect}`);
}

describe('wantedTaints', () => {
  const cases: readonly (readonly [string, Node, EvictionRule, string[] | undefined])[] = [
    ['none for a ready node', node('True'), 'add', undefined],
    [
      'both for one that is not ready',
      node('False'),
      'add',
      ['not-ready:NoSchedule', 'not-ready:NoExecute'],
    ],
    [
      'both for one that is lost',
      node('Unknown'),
      'add',
      ['unreachable:NoSchedule', 'unreachable:NoExecute'],
    ],
    ['no eviction while that waits', node('Unknown'), 'hold', ['unreachable:NoSchedule']],
    [
      'an eviction that has begun, while others wait',
      node('Unknown', 'unreachable:NoSchedule', 'unreachable:NoExecute'),
      'hold',
      undefined,
    ],
    [
      'no eviction when all nodes are lost',
      node('Unknown', 'unreachable:NoSchedule', 'unreachable:NoExecute'),
      'remove',
      ['unreachable:NoSchedule'],
    ],
    [
      'the other one when the state changes',
      node('Unknown', 'not-ready:NoSchedule', 'not-ready:NoExecute'),
      'hold',
      ['unreachable:NoSchedule', 'unreachable:NoExecute'],
    ],
    [
      'none of them for a node that is ready again',
      node('True', 'mine:NoExecute', 'unreachable:NoSchedule', 'unreachable:NoExecute'),
      'add',
      ['mine:NoExecute'],
    ],
    ['none for a node that never had a status', node(undefined, 'not-ready:NoSchedule'), 'add', []],
    ['those of others as they are', node('True', 'mine:NoSchedule'), 'add', undefined],
    [
      'one of a user that evicts, as it is',
      node('True', 'disk-pressure:NoExecute'),
      'add',
      undefined,
    ],
  ];
  for (const [title, of, rule, expected] of cases) {
    it(`are ${title}`, () => {
      expect(shown(wantedTaints(of, rule, NOW))).to.deep.equal(expected);
    });
  }

  it('have one for a node that is cordoned, with its time', () => {
    const taints = wantedTaints({ ...node('True'), spec: { unschedulable: true } }, 'add', NOW);
    expect(taints).to.deep.equal([
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: NOW },
    ]);
  });

  it('say whether an eviction is to begin', () => {
    const all = [node('True'), node('Unknown'), node('Unknown', 'not-ready:NoExecute')];
    expect(all.map(isToBeEvicted)).to.deep.equal([false, true, false]);
  });
});

describe('missingLabels', () => {
  const of = (labels: Record<string, string>): unknown => missingLabels({ metadata: { labels } });

  it('are the older names of the system and the architecture', () => {
    expect(of({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' })).to.deep.equal({
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
    });
  });

  it('have the values of the newer names', () => {
    const labels = { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'other' };
    expect(of(labels)).to.deep.equal({ 'beta.kubernetes.io/os': 'linux' });
  });

  it('are undefined when there are none, or nothing to name', () => {
    expect(of({})).to.equal(undefined);
    expect(of({ 'kubernetes.io/os': 'x', 'beta.kubernetes.io/os': 'x' })).to.equal(undefined);
  });
});

describe('lostConditions', () => {
  it('are unknown, and say whether the kubelet ever was there', () => {
    const found = lostConditions(node('True'), NOW);
    expect(found.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).to.deep.equal([
      'Ready Unknown NodeStatusUnknown',
      'MemoryPressure Unknown NodeStatusNeverUpdated',
      'DiskPressure Unknown NodeStatusNeverUpdated',
      'PIDPressure Unknown NodeStatusNeverUpdated',
    ]);
    expect(found[0]).to.include({ lastHeartbeatTime: CREATED, lastTransitionTime: NOW });
  });

  it('are none for a node that is known to be lost', () => {
    const conditions = lostConditions(node('True'), NOW);
    expect(lostConditions({ status: { conditions } }, NOW)).to.deep.equal([]);
  });
});

describe('NodeSignals', () => {
  const lease = (renewTime: string, leaseDurationSeconds = 40): Lease => ({
    spec: { renewTime, leaseDurationSeconds },
  });

  it('lose a node 50 s after its last sign', () => {
    const signals = new NodeSignals();
    const look = (of: Node, its: Lease | undefined, afterMs: number): number =>
      signals.lostAtMs(of, its, NOW_MS + afterMs) - NOW_MS;
    const later = {
      ...node('True'),
      status: {
        conditions: [{ type: 'Ready' as const, status: 'True' as const, lastHeartbeatTime: NOW }],
      },
    };
    expect(look(node('True'), lease(NOW), 0)).to.equal(50_000);
    expect(look(node('True'), lease(NOW), 9000)).to.equal(50_000);
    expect(look(node('True'), lease('2026-01-01T00:01:10Z'), 10_000)).to.equal(60_000);
    expect(look(later, lease('2026-01-01T00:01:10Z'), 20_000)).to.equal(70_000);
  });

  it('lose a node that never had a status 60 s after its creation', () => {
    const lostAtMs = new NodeSignals().lostAtMs(node(undefined), undefined, NOW_MS);
    expect(lostAtMs - Date.parse(CREATED)).to.equal(60_000);
  });

  it('believe a lease that holds longer, and one that holds for ever', () => {
    const signals = new NodeSignals();
    expect(signals.lostAtMs(node('True'), lease(NOW, 90), NOW_MS) - NOW_MS).to.equal(90_000);
    expect(signals.lostAtMs(node('True'), lease(NOW, 2_147_483_647), NOW_MS)).to.equal(Infinity);
  });

  it('begin again with another node of the name', () => {
    const signals = new NodeSignals();
    expect(signals.isNew(node('True'))).to.equal(true);
    signals.lostAtMs(node('True'), undefined, NOW_MS);
    expect(signals.isNew(node('True'))).to.equal(false);
    expect(signals.isNew({ metadata: { name: 'n', uid: 'other' } })).to.equal(true);
  });
});

describe('zoneState', () => {
  const nodes = (ready: number, lost: number, zone = 'a'): Node[] =>
    Array.from({ length: ready + lost }, (_, at) => ({
      ...node(at < ready ? 'True' : 'Unknown'),
      metadata: { name: `${zone}${at}`, labels: { 'topology.kubernetes.io/zone': zone } },
    }));
  const cases: readonly (readonly [string, readonly Node[], EvictionRule, number])[] = [
    ['one of three is lost', nodes(2, 1), 'add', 10_000],
    ['all are lost', nodes(0, 3), 'remove', 10_000],
    [
      'all of the zone are lost, and others are not',
      [...nodes(0, 3), ...nodes(1, 0, 'b')],
      'add',
      10_000,
    ],
    ['most of a small zone are lost', nodes(2, 3), 'hold', 10_000],
    ['two of three are lost', nodes(1, 2), 'add', 10_000],
    ['most of a large zone are lost', nodes(20, 40), 'add', 100_000],
  ];
  for (const [title, all, rule, everyMs] of cases) {
    it(`is ${rule} when ${title}`, () => {
      expect(zoneState('/a', all)).to.deep.equal({ rule, everyMs });
    });
  }

  it('does not count nodes that are left out by a label', () => {
    const labels = { 'node.kubernetes.io/exclude-disruption': '' };
    const excluded = { ...node('True'), metadata: { name: 'x', labels } };
    expect(zoneState('/a', [...nodes(0, 2), excluded]).rule).to.equal('remove');
  });

  it('is that of a region and a zone', () => {
    const labels = { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' };
    expect(zoneOf({ metadata: { labels } })).to.equal('r/z');
  });

  it('lets one node of a zone after the other', () => {
    const pace = new EvictionPace();
    const waits = [
      pace.take('a', 0, 10),
      pace.take('a', 4, 10),
      pace.take('b', 4, 10),
      pace.take('a', 10, 10),
    ];
    expect(waits).to.deep.equal([0, 6, 0, 0]);
  });
});

describe('toleratedMs', () => {
  const lost = taint('unreachable:NoExecute');
  const mine = taint('mine:NoExecute');
  const seconds = (key: string, tolerationSeconds?: number): Toleration => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  });
  const cases: readonly (readonly [string, readonly Taint[], readonly Toleration[], number])[] = [
    ['without a toleration', [lost], [], 0],
    ['for a taint that is tolerated for some time', [lost], [seconds(lost.key, 300)], 300_000],
    ['for one that is tolerated for ever', [lost], [seconds(lost.key)], Infinity],
    ['for two, the shorter time', [lost, mine], [seconds(lost.key, 300), seconds('mine', 5)], 5000],
    ['when one of two is not tolerated', [lost, mine], [seconds(lost.key, 300)], 0],
    ['for a negative time', [lost], [seconds(lost.key, -1)], 0],
  ];
  for (const [title, taints, tolerations, ms] of cases) {
    it(`is ${ms} ${title}`, () => {
      expect(toleratedMs(taints, tolerations)).to.equal(ms);
    });
  }
});

describe('garbageReason', () => {
  const going = { deletionTimestamp: NOW };
  const out = node('Unknown', 'out-of-service:NoExecute');
  const cases: readonly (readonly [string | undefined, string, Pod, Node | undefined])[] = [
    [undefined, 'a pod on a node', { spec: { nodeName: 'n', containers: [] } }, node('True')],
    [
      'orphaned',
      'a pod whose node is gone',
      { spec: { nodeName: 'n', containers: [] } },
      undefined,
    ],
    [undefined, 'a pod that waits for a node', {}, undefined],
    ['unscheduled', 'one that is deleted meanwhile', { metadata: going }, undefined],
    [
      'out of service',
      'one that is deleted on a node out of service',
      { metadata: going, spec: { nodeName: 'n', containers: [] } },
      out,
    ],
    [undefined, 'one that is not deleted there', { spec: { nodeName: 'n', containers: [] } }, out],
    [
      undefined,
      'one that is deleted on a ready node of the taint',
      { metadata: going, spec: { nodeName: 'n', containers: [] } },
      node('True', 'out-of-service:NoExecute'),
    ],
  ];
  for (const [reason, title, pod, its] of cases) {
    it(`is ${reason} for ${title}`, () => {
      expect(garbageReason(pod, its)).to.equal(reason);
    });
  }
});

describe('surplusPods', () => {
  const pod = (name: string, creationTimestamp: string, status: PodStatus = {}): Stored<Pod> => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp },
    status,
  });

  it('are evicted ones first, then the oldest, then by name', () => {
    const all = [
      pod('c', NOW),
      pod('b', CREATED),
      pod('a', CREATED),
      pod('z', NOW, { reason: 'Evicted' }),
    ];
    expect(surplusPods(all, 1).map(({ metadata }) => metadata.name)).to.deep.equal(['z', 'a', 'b']);
    expect(surplusPods(all, 4)).to.deep.equal([]);
  });
});
