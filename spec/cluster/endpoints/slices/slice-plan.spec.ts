import { expect } from 'chai';
import {
  plannedSlices,
  type SlicePlan,
} from '../../../../lib/cluster/endpoints/slices/slice-plan.ts';
import {
  emptySlice,
  SLICES_CONTROLLER,
} from '../../../../lib/cluster/endpoints/slices/slice-object.ts';
import { LAST_CHANGE } from '../../../../lib/cluster/endpoints/endpoints-object.ts';
import type { ObjectMeta } from '../../../../lib/meta/object.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import type {
  Node,
  Pod,
  Service,
  ServiceSpec,
} from '../../../../lib/types/built-in/core-v1-kinds.ts';
import type { EndpointSlice } from '../../../../lib/types/built-in/discovery-v1-kinds.ts';

const TIME = '2026-01-01T00:00:00Z';
const NODES: Record<string, Node> = {
  'node-1': { metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'west' } } },
  'node-2': { metadata: { name: 'node-2' } },
};

function service(spec: ServiceSpec = {}, more: ObjectMeta = {}): Stored<Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...more,
      labels: { ...more.labels },
      name: 'web',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: TIME,
      annotations: { ...more.annotations },
      ownerReferences: [],
      finalizers: [],
      deletionTimestamp: more.deletionTimestamp === undefined ? undefined : TIME,
    },
    spec: {
      clusterIP: '10.96.0.7',
      ipFamilies: ['IPv4'],
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
      ...spec,
    },
  };
}

function pod(
  name: string,
  {
    node = 'node-1',
    ready = true,
    deleted = false,
    ips = ['10.0.0.1'],
    ports = [] as number[],
  } = {},
): Pod {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      ...(deleted ? { deletionTimestamp: TIME } : {}),
    },
    spec: {
      nodeName: node,
      containers: [
        { name: 'm', ports: ports.map((containerPort) => ({ name: 'web', containerPort })) },
      ],
    },
    status: {
      phase: 'Running',
      podIP: ips[0] ?? '',
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

function plan(
  of: Stored<Service>,
  pods: readonly Pod[],
  present: readonly Stored<EndpointSlice>[] = [],
): SlicePlan {
  const nodeOf = ({ spec }: Pod): Node | undefined => NODES[spec?.nodeName ?? ''];
  return plannedSlices({ service: of, pods, nodeOf, present, lastChange: TIME });
}

function stored(slice: EndpointSlice | undefined, name: string = 's0'): Stored<EndpointSlice> {
  if (slice === undefined) throw new Error('no slice');
  const metadata = {
    ...slice.metadata,
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: TIME,
  };
  return { ...slice, apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata };
}

describe('plannedSlices', () => {
  it('makes a slice with an owner, labels, ports and endpoints', () => {
    const { create } = plan(service({}, { labels: { tier: 'front' } }), [pod('a')]);
    expect(create).to.deep.equal([
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          generateName: 'web-',
          namespace: 'shop',
          annotations: { [LAST_CHANGE]: TIME },
          labels: {
            tier: 'front',
            'kubernetes.io/service-name': 'web',
            'endpointslice.kubernetes.io/managed-by': SLICES_CONTROLLER,
          },
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Service',
              name: 'web',
              uid: 'u',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        addressType: 'IPv4',
        ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
        endpoints: [
          {
            addresses: ['10.0.0.1'],
            conditions: { ready: true, serving: true, terminating: false },
            nodeName: 'node-1',
            targetRef: { kind: 'Pod', namespace: 'shop', name: 'a', uid: 'a' },
            zone: 'west',
          },
        ],
      },
    ]);
  });

  const conditions: readonly (readonly [string, ServiceSpec, Parameters<typeof pod>[1], object])[] =
    [
      ['not ready', {}, { ready: false }, { ready: false, serving: false, terminating: false }],
      [
        'ready while it goes',
        {},
        { deleted: true },
        { ready: false, serving: true, terminating: true },
      ],
      [
        'not ready, and published all the same',
        { publishNotReadyAddresses: true },
        { ready: false, deleted: true },
        { ready: true, serving: false, terminating: true },
      ],
    ];
  for (const [title, spec, state, expected] of conditions) {
    it(`has the conditions of a pod that is ${title}`, () => {
      const { create } = plan(service(spec), [pod('a', state)]);
      expect(create[0]?.endpoints?.[0]?.conditions).to.deep.equal(expected);
    });
  }

  it('has a slice without endpoints for a service without pods, and leaves it alone', () => {
    const { create } = plan(service(), []);
    expect(create).to.have.length(1);
    expect(create[0]).to.deep.include({ endpoints: [], ports: [] });
    const again = plan(service(), [], [stored(create[0])]);
    expect(again).to.deep.equal({ create: [], update: [], remove: [], homeless: [] });
  });

  it('fills the slice without endpoints when the first pod comes', () => {
    const { create, update, remove } = plan(
      service(),
      [pod('a')],
      [stored(plan(service(), []).create[0])],
    );
    expect([create, remove]).to.deep.equal([[], []]);
    expect(update).to.have.length(1);
    expect(update[0]?.metadata).to.include({ name: 's0', resourceVersion: '1' });
    expect(update[0]?.endpoints).to.have.length(1);
  });

  it('writes a slice when a pod begins to end', () => {
    const present = stored(plan(service(), [pod('a', { ready: false })]).create[0]);
    const { update } = plan(service(), [pod('a', { ready: false, deleted: true })], [present]);
    expect(update[0]?.endpoints?.[0]?.conditions).to.include({ serving: false, terminating: true });
  });

  it('has slices of both families, with the addresses of each', () => {
    const both = service({ ipFamilies: ['IPv4', 'IPv6'] });
    const { create } = plan(both, [pod('a', { ips: ['10.0.0.1', 'fd00::1'] })]);
    const found = create.map(({ addressType, endpoints = [] }) => [
      addressType,
      endpoints[0]?.addresses,
    ]);
    expect(found).to.deep.equal([
      ['IPv4', ['10.0.0.1']],
      ['IPv6', ['fd00::1']],
    ]);
  });

  it('removes the slices of a family that the service has no more', () => {
    const { create } = plan(service({ ipFamilies: ['IPv4', 'IPv6'] }), [pod('a')]);
    const present = create.map((one, at) => stored(one, `s${at}`));
    const { remove, update } = plan(service(), [pod('a')], present);
    expect(update).to.deep.equal([]);
    expect(remove.map(({ addressType }) => addressType)).to.deep.equal(['IPv6']);
  });

  it('has a slice for each set of ports', () => {
    const named = service({
      ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP' }],
    });
    const { create } = plan(named, [
      pod('a', { ports: [8080] }),
      pod('b', { ports: [9090] }),
      pod('c'),
    ]);
    expect(create.map(({ ports }) => ports?.map(({ port }) => port))).to.deep.equal([
      [8080],
      [9090],
      [],
    ]);
  });

  it('leaves a pod without a node out, and names it', () => {
    const { create, homeless } = plan(service(), [pod('a', { node: 'gone' }), pod('b')]);
    expect(create[0]?.endpoints?.map(({ targetRef }) => targetRef?.name)).to.deep.equal(['b']);
    expect(homeless.map(({ metadata }) => metadata?.name)).to.deep.equal(['a']);
    const published = plan(service({ publishNotReadyAddresses: true }), [
      pod('a', { node: 'gone' }),
    ]);
    expect(published.homeless).to.deep.equal([]);
    expect(published.create[0]?.endpoints).to.have.length(1);
  });

  it('removes the slices of an older service of the name, and does not use them', () => {
    const old = { ...service(), metadata: { ...service().metadata, uid: 'old' } };
    const { create, remove, update } = plan(
      service(),
      [pod('a')],
      [stored(emptySlice(old, 'IPv4', []))],
    );
    expect([create.length, update.length, remove.length]).to.deep.equal([1, 0, 1]);
  });

  it('makes no slices of a service that is being deleted', () => {
    const { create } = plan(service({}, { deletionTimestamp: TIME }), [pod('a')]);
    expect(create).to.deep.equal([]);
  });

  it('says of a headless service that it is one', () => {
    const { create } = plan(service({ clusterIP: 'None', ports: [] }), [pod('a')]);
    expect(create[0]?.metadata?.labels).to.have.property('service.kubernetes.io/headless', '');
    expect(create[0]).to.deep.include({ ports: [] });
    expect(create[0]?.endpoints).to.have.length(1);
  });

  describe('hints', () => {
    const hints = (
      distribution: string | undefined,
      state: Parameters<typeof pod>[1] = {},
    ): unknown => {
      const { create } = plan(service({ trafficDistribution: distribution }), [pod('a', state)]);
      return create[0]?.endpoints?.[0]?.hints;
    };
    const ZONE = { forZones: [{ name: 'west' }] };

    for (const [distribution, expected] of [
      [undefined, undefined],
      ['PreferClose', ZONE],
      ['PreferSameZone', ZONE],
      ['PreferSameNode', { ...ZONE, forNodes: [{ name: 'node-1' }] }],
      ['Other', undefined],
    ] as const) {
      it(`of ${distribution} are ${JSON.stringify(expected)}`, () => {
        expect(hints(distribution)).to.deep.equal(expected);
      });
    }

    it('are not made for an endpoint that is not ready, or whose node has no zone', () => {
      expect(hints('PreferClose', { ready: false })).to.equal(undefined);
      expect(hints('PreferClose', { node: 'node-2' })).to.equal(undefined);
    });

    it('are written into slices that do not change otherwise, once, and removed again', () => {
      const plain = stored(plan(service(), [pod('a')]).create[0]);
      const close = service({ trafficDistribution: 'PreferClose' });
      const [hinted] = plan(close, [pod('a')], [plain]).update;
      expect(hinted?.endpoints?.[0]?.hints).to.deep.equal(ZONE);
      expect(plan(close, [pod('a')], [stored(hinted)]).update).to.deep.equal([]);
      const [bare] = plan(service(), [pod('a')], [stored(hinted)]).update;
      expect(bare?.endpoints?.[0]).to.not.have.property('hints');
    });
  });
});
