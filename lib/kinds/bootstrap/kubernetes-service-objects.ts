import type { UnstructuredObject } from '../../meta/object.ts';
import type { JsonRecord } from '../../meta/json-value.ts';
import type { BootstrapObjects } from '../../server/registry/contract/kind-set.ts';

/** The first address of the service range, which is kept for this service. */
export const KUBERNETES_ADDRESS = '10.96.0.1';
export const KUBERNETES_PORT = 443;

/** As the creation of the service owns them. The fields of `spec` that are left out have no owner in kube-apiserver either. */
const SERVICE_FIELDS: JsonRecord = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:component': {}, 'f:provider': {} } },
  'f:spec': {
    'f:clusterIP': {},
    'f:internalTrafficPolicy': {},
    'f:ipFamilyPolicy': {},
    'f:ports': {
      '.': {},
      [`k:{"port":${KUBERNETES_PORT},"protocol":"TCP"}`]: {
        '.': {},
        'f:name': {},
        'f:port': {},
        'f:protocol': {},
        'f:targetPort': {},
      },
    },
    'f:sessionAffinity': {},
    'f:type': {},
  },
};

const ADDRESS_FIELDS: JsonRecord = {
  'f:metadata': {
    'f:labels': {
      '.': {},
      'f:ipaddress.kubernetes.io/ip-family': {},
      'f:ipaddress.kubernetes.io/managed-by': {},
    },
  },
  'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
};

/** The service `default/kubernetes` and its address in a new storage, as `KubernetesService` creates them in another one. */
export function kubernetesServiceObjects(targetPort: () => number): readonly BootstrapObjects[] {
  return [
    {
      group: '',
      resource: 'services',
      objects: () => [service(targetPort())],
      fields: SERVICE_FIELDS,
    },
    {
      group: 'networking.k8s.io',
      resource: 'ipaddresses',
      objects: () => [ADDRESS],
      fields: ADDRESS_FIELDS,
    },
  ];
}

function service(targetPort: number): UnstructuredObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      labels: { component: 'apiserver', provider: 'kubernetes' },
      name: 'kubernetes',
      namespace: 'default',
    },
    spec: {
      clusterIP: KUBERNETES_ADDRESS,
      clusterIPs: [KUBERNETES_ADDRESS],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: KUBERNETES_PORT, protocol: 'TCP', targetPort }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
    status: { loadBalancer: {} },
  };
}

const ADDRESS: UnstructuredObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: {
    labels: {
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    },
    name: KUBERNETES_ADDRESS,
  },
  spec: { parentRef: { name: 'kubernetes', namespace: 'default', resource: 'services' } },
};
