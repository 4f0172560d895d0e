import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  emptySlice,
  endpointKey,
  sortedPorts,
} from '../../../../lib/cluster/endpoints/slices/slice-object.ts';
import { packedSlices } from '../../../../lib/cluster/endpoints/slices/slice-packing.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import type { Service } from '../../../../lib/types/built-in/core-v1-kinds.ts';
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
} from '../../../../lib/types/built-in/discovery-v1-kinds.ts';

interface Recorded {
  readonly given: readonly EndpointPort[];
  readonly sorted: readonly EndpointPort[];
}

/** Recorded from `NewPortMapKey` of k8s.io/endpointslice v0.37.2 for random ports. */
const recorded = readFileSync(new URL('./recorded/sorted-ports.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const TIME = '2026-01-01T00:00:00Z';
const SERVICE: Stored<Service> = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: TIME,
  },
  spec: { clusterIP: '10.96.0.7' },
};
const EMPTY = emptySlice(SERVICE, 'IPv4', []);
const LABELS = EMPTY.metadata?.labels ?? {};

/** `a` is ready, `!a` is not. */
function endpoint(text: string): Endpoint {
  const name = text.replace('!', '');
  return {
    addresses: [`10.0.0.${name.charCodeAt(0)}`],
    conditions: { ready: name === text },
    targetRef: { kind: 'Pod', namespace: 'shop', name, uid: name },
  };
}

function slice(name: string, endpoints: string): Stored<EndpointSlice> {
  const metadata = {
    ...EMPTY.metadata,
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: TIME,
  };
  return {
    ...EMPTY,
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    endpoints: listed(endpoints).map(endpoint),
  };
}

function listed(text: string): string[] {
  return text.split(' ').filter((one) => one !== '');
}

function shown({ endpoints = [] }: EndpointSlice): string {
  return endpoints
    .map(
      ({ targetRef, conditions }) => `${conditions?.ready === true ? '' : '!'}${targetRef?.name}`,
    )
    .join(' ');
}

/** The slices after the packing: those that are there are written `name: endpoints`, others `new: endpoints`; with the unchanged left out. */
function packed(present: readonly string[], desired: string, labels = LABELS): string[] {
  const slices = present.map((endpoints, at) => slice(`s${at}`, endpoints));
  const { create, update, remove } = packedSlices({
    present: slices,
    desired: new Map(listed(desired).map((text) => [endpointKey(endpoint(text)), endpoint(text)])),
    make: () => EMPTY,
    labels,
    max: 4,
  });
  return [
    ...[...update].map(([{ metadata }, one]) => `${metadata.name}: ${shown(one)}`),
    ...create.map((one) => `new: ${shown(one)}`),
    ...remove.map(({ metadata }) => `${metadata.name} goes`),
  ];
}

describe('packedSlices', () => {
  const cases: readonly (readonly [string, readonly string[], string, readonly string[]])[] = [
    ['makes as few slices as there can be', [], 'a b c d e', ['new: a b c d', 'new: e']],
    ['writes nothing when all is as it should be', ['a b', 'c'], 'a b c', []],
    ['writes a slice when the state of an endpoint changes', ['a b', 'c'], '!a b c', ['s0: !a b']],
    ['writes a slice that loses an endpoint', ['a b', 'c'], 'a c', ['s0: a']],
    ['deletes a slice that loses all of them', ['a b', 'c'], 'c', ['s0 goes']],
    ['fills the slice that changes anyway', ['a b c', 'd'], '!a b c d e', ['s0: !a b c e']],
    ['fills the fullest of those first', ['a', 'b c'], '!a !b c d e', ['s0: !a', 's1: !b c d e']],
    [
      'takes the unchanged slice that is the fullest with all that is left',
      ['b c', 'a', 'd e f'],
      'a b c d e f x y',
      ['s0: b c x y'],
    ],
    ['makes a full slice beside an empty one', [''], 'a b c d', ['new: a b c d']],
    [
      'makes a slice when none has room for all that is left',
      ['a b c', 'd e f'],
      'a b c d e f x y',
      ['new: x y'],
    ],
    ['makes full slices first', ['a b c'], 'a b c d e f g h', ['s0: a b c h', 'new: d e f g']],
    ['does not join slices', ['a', 'b'], 'a b', []],
  ];
  for (const [title, present, desired, expected] of cases) {
    it(title, () => {
      expect(packed(present, desired)).to.have.members(expected);
    });
  }

  it('writes all slices when a label of the service changes', () => {
    expect(packed(['a', 'b'], 'a b', { ...LABELS, tier: 'front' })).to.deep.equal([
      's0: a',
      's1: b',
    ]);
  });

  it('fills a slice whose empty list the server has written as null', () => {
    const { endpoints: _, ...empty } = slice('s0', '');
    const present = JSON.parse(JSON.stringify({ ...empty, endpoints: null })) as typeof empty;
    const desired = new Map([['a', endpoint('a')]]);
    const { update, create } = packedSlices({
      present: [present],
      desired,
      make: () => EMPTY,
      labels: LABELS,
    });
    expect([[...update.values()].map(shown), create]).to.deep.equal([['a'], []]);
  });

  it('needs no more than 100 endpoints a slice for 250', () => {
    const desired = new Map(
      Array.from({ length: 250 }, (_, at) => [String(at), { addresses: [`10.0.1.${at}`] }]),
    );
    const { create } = packedSlices({ present: [], desired, make: () => EMPTY, labels: LABELS });
    expect(create.map(({ endpoints }) => endpoints?.length)).to.deep.equal([100, 100, 50]);
  });
});

describe('sortedPorts', () => {
  for (const [at, { given, sorted }] of recorded.entries()) {
    it(`has the recorded ports ${at} in the order of Kubernetes`, () => {
      expect(sortedPorts(given)).to.deep.equal(sorted);
    });
  }
});
