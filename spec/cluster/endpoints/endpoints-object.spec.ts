import { expect } from 'chai';
import {
  HEADLESS,
  LAST_CHANGE,
  MANAGED_BY,
  subsetsOf,
  wantedEndpoints,
} from '../../../lib/cluster/endpoints/endpoints-object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type {
  Endpoints,
  Pod,
  Service,
  ServiceSpec,
} from '../../../lib/types/built-in/core-v1-kinds.ts';

interface PodForm {
  readonly name?: string;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly phase?: 'Running' | 'Succeeded' | 'Failed';
  readonly deleted?: boolean;
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
}

function pod({
  name = 'a',
  ips = ['10.0.0.1'],
  ready = true,
  phase = 'Running',
  deleted = false,
  spec,
}: PodForm = {}): Pod {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { nodeName: 'node-1', containers: [], ...spec },
    status: {
      phase,
      ...(ips[0] === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

function service(spec: ServiceSpec = {}, labels: Record<string, string> = {}): Stored<Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'uid-service',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
    },
    spec: {
      clusterIP: '10.96.0.7',
      ipFamilies: ['IPv4'],
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
      selector: { app: 'web' },
      ...spec,
    },
  };
}

const A = {
  ip: '10.0.0.1',
  nodeName: 'node-1',
  targetRef: { kind: 'Pod', namespace: 'shop', name: 'a', uid: 'uid-a' },
};
const HTTP = { name: 'http', port: 8080, protocol: 'TCP' };
const NAMED: ServiceSpec = {
  ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP' }],
};

describe('subsetsOf', () => {
  const cases: readonly (readonly [string, ServiceSpec, readonly PodForm[], readonly object[]])[] =
    [
      ['a ready pod has an address', {}, [{}], [{ addresses: [A], ports: [HTTP] }]],
      [
        'a pod that is not ready has one that is not ready',
        {},
        [{ ready: false }],
        [{ notReadyAddresses: [A], ports: [HTTP] }],
      ],
      [
        'publishNotReadyAddresses makes it ready',
        { publishNotReadyAddresses: true },
        [{ ready: false }],
        [{ addresses: [A], ports: [HTTP] }],
      ],
      ['a pod without an IP has none', {}, [{ ips: [] }], []],
      ['a pod that has ended has none', {}, [{ phase: 'Failed', ready: false }], []],
      ['a pod that is being deleted has none', {}, [{ deleted: true }], []],
      [
        'with publishNotReadyAddresses it has',
        { publishNotReadyAddresses: true },
        [{ deleted: true }],
        [{ addresses: [A], ports: [HTTP] }],
      ],
      [
        'the first family decides',
        { ipFamilies: ['IPv6', 'IPv4'] },
        [{ ips: ['10.0.0.1', 'FD00::01'] }],
        [{ addresses: [{ ...A, ip: 'fd00::1' }], ports: [HTTP] }],
      ],
      ['a pod without an address of the family has none', { ipFamilies: ['IPv6'] }, [{}], []],
      [
        'a headless service may have no ports',
        { clusterIP: 'None', ports: [] },
        [{}],
        [{ addresses: [A] }],
      ],
      ['another service without ports has no addresses', { ports: [] }, [{}], []],
      [
        'a pod in the domain of the service has its hostname',
        {},
        [{ spec: { hostname: 'a-0', subdomain: 'web' } }],
        [{ addresses: [{ ...A, hostname: 'a-0' }], ports: [HTTP] }],
      ],
      [
        'a pod of another domain has none',
        {},
        [{ spec: { hostname: 'a-0', subdomain: 'db' } }],
        [{ addresses: [A], ports: [HTTP] }],
      ],
      [
        'a named port is the one of a container',
        NAMED,
        [{ spec: { containers: [{ name: 'm', ports: [{ name: 'web', containerPort: 9000 }] }] } }],
        [{ addresses: [A], ports: [{ ...HTTP, port: 9000 }] }],
      ],
      [
        'a named port is also one of a sidecar',
        NAMED,
        [
          {
            spec: {
              initContainers: [
                {
                  name: 'm',
                  restartPolicy: 'Always',
                  ports: [{ name: 'web', containerPort: 9001 }],
                },
              ],
            },
          },
        ],
        [{ addresses: [A], ports: [{ ...HTTP, port: 9001 }] }],
      ],
      [
        'a pod without the named port has no address',
        NAMED,
        [
          {
            spec: {
              initContainers: [{ name: 'm', ports: [{ name: 'web', containerPort: 9001 }] }],
            },
          },
        ],
        [],
      ],
      [
        'the protocol of a named port counts',
        NAMED,
        [
          {
            spec: {
              containers: [
                { name: 'm', ports: [{ name: 'web', containerPort: 9000, protocol: 'UDP' }] },
              ],
            },
          },
        ],
        [],
      ],
    ];
  for (const [title, spec, pods, subsets] of cases) {
    it(title, () => {
      expect(subsetsOf(service(spec), pods.map(pod))).to.deep.equal(subsets);
    });
  }
});

describe('wantedEndpoints', () => {
  const NOW = '2026-01-01T00:00:05Z';

  /** As a server stores them. */
  function stored(wanted: Endpoints | undefined): Stored<Endpoints> {
    const metadata = { name: 'web', uid: 'u', resourceVersion: '7', creationTimestamp: NOW };
    return {
      ...wanted,
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...wanted?.metadata, ...metadata },
    };
  }

  it('have the labels of the service, the manager and the time of the last change', () => {
    const wanted = wantedEndpoints(service({}, { tier: 'front' }), [pod()], undefined, NOW);
    expect(wanted?.metadata).to.deep.equal({
      name: 'web',
      namespace: 'shop',
      labels: { tier: 'front', [MANAGED_BY]: 'endpoint-controller' },
      annotations: { [LAST_CHANGE]: NOW },
    });
  });

  it('of a headless service say so', () => {
    const wanted = wantedEndpoints(service({ clusterIP: 'None' }), [], undefined, NOW);
    expect(wanted?.metadata?.labels).to.have.property(HEADLESS, '');
  });

  it('are undefined when they are there, whatever the time of the last change', () => {
    const present = stored(wantedEndpoints(service(), [pod()], undefined, NOW));
    expect(wantedEndpoints(service(), [pod()], present, '2026-01-01T00:01:00Z')).to.equal(
      undefined,
    );
  });

  it('keep the metadata of the present ones, and drop a time that is over', () => {
    const present = stored(wantedEndpoints(service(), [pod()], undefined, NOW));
    const noted = {
      ...present,
      metadata: { ...present.metadata, annotations: { [LAST_CHANGE]: NOW, mine: 'x' } },
    };
    const wanted = wantedEndpoints(service(), [], noted, undefined);
    expect(wanted?.metadata).to.include({ uid: 'u', resourceVersion: '7' });
    expect(wanted?.metadata?.annotations).to.deep.equal({ mine: 'x' });
    expect(wanted?.subsets).to.deep.equal([]);
  });

  it('do not say that some are left out when none are', () => {
    const present = stored(wantedEndpoints(service(), [pod()], undefined, NOW));
    const annotations = { 'endpoints.kubernetes.io/over-capacity': 'truncated' };
    const noted = { ...present, metadata: { ...present.metadata, annotations } };
    expect(
      wantedEndpoints(service(), [pod()], noted, undefined)?.metadata?.annotations,
    ).to.deep.equal({});
  });

  it('change with the labels of the service', () => {
    const present = stored(wantedEndpoints(service(), [pod()], undefined, NOW));
    const wanted = wantedEndpoints(service({}, { tier: 'front' }), [pod()], present, NOW);
    expect(wanted?.metadata?.labels).to.have.property('tier', 'front');
  });

  it('have at most 1,000 addresses, and say when some are left out', () => {
    const pods = Array.from({ length: 1001 }, (_, at) =>
      pod({ name: `p${at}`, ips: [`10.0.${Math.floor(at / 250)}.${at % 250}`] }),
    );
    const wanted = wantedEndpoints(service(), pods, undefined, NOW);
    expect(wanted?.subsets?.[0]?.addresses).to.have.length(1000);
    expect(wanted?.metadata?.annotations).to.have.property(
      'endpoints.kubernetes.io/over-capacity',
      'truncated',
    );
    expect(wantedEndpoints(service(), pods, stored(wanted), NOW)).to.equal(undefined);
    const fewer = wantedEndpoints(service(), pods.slice(1), stored(wanted), NOW);
    expect(fewer?.metadata?.annotations).to.not.have.property(
      'endpoints.kubernetes.io/over-capacity',
    );
  });
});
