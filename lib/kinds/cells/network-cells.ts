import type { KubernetesObject } from '../../meta/object.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { numberAt, recordAt, recordsAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import {
  ageCell,
  labelsCell,
  lengthAt,
  nameCell,
  namedRow,
  NONE,
  scalarOr,
  selectorCell,
  someOf,
  UNKNOWN,
} from './row-cells.ts';

/** The addresses that a load balancer has given, sorted. */
function balancerAddresses(object: KubernetesObject): string[] {
  const addresses = recordsAt(object, 'status', 'loadBalancer', 'ingress')
    .map((one) => textAt(one, 'ip') || textAt(one, 'hostname'))
    .filter((one) => one !== '');
  return [...new Set(addresses)].toSorted();
}

function externalAddress(service: KubernetesObject): string {
  const external = textsAt(service, 'spec', 'externalIPs');
  switch (textAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || NONE;
    case 'LoadBalancer':
      return [...balancerAddresses(service), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return UNKNOWN;
  }
}

function portsCell(service: KubernetesObject): string {
  const ports = recordsAt(service, 'spec', 'ports').map((port) => {
    const nodePort = numberAt(port, 'nodePort');
    return `${numberAt(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(port, 'protocol')}`;
  });
  return ports.join(',') || NONE;
}

export const serviceCells: RowCells = (service, nowMs) => [
  nameCell(service),
  textAt(service, 'spec', 'type'),
  textsAt(service, 'spec', 'clusterIPs')[0] ?? NONE,
  externalAddress(service),
  portsCell(service),
  ageCell(service, nowMs),
  labelsCell(valueAt(service, 'spec', 'selector')),
];

const MOST_HOSTS = 3;

function hostsCell(ingress: KubernetesObject): string {
  const rules = recordsAt(ingress, 'spec', 'rules');
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    const host = textAt(rule, 'host');
    if (hosts.length === MOST_HOSTS) more = true;
    else if (host !== '') hosts.push(host);
  }
  const shown = hosts.join(',') || '*';
  return more ? `${shown} + ${rules.length - MOST_HOSTS} more...` : shown;
}

export const ingressCells: RowCells = (ingress, nowMs) => [
  nameCell(ingress),
  scalarOr(NONE, ingress, 'spec', 'ingressClassName'),
  hostsCell(ingress),
  balancerAddresses(ingress).join(','),
  lengthAt(ingress, 'spec', 'tls') === 0 ? '80' : '80, 443',
  ageCell(ingress, nowMs),
];

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

export const ingressClassCells: RowCells = (object, nowMs) => {
  const isDefault = valueAt(object, 'metadata', 'annotations', DEFAULT_CLASS) === 'true';
  const parameters = recordAt(object, 'spec', 'parameters');
  const group = scalarOr('', parameters, 'apiGroup');
  const kind = `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}`;
  return [
    `${nameCell(object)}${isDefault ? ' (default)' : ''}`,
    textAt(object, 'spec', 'controller'),
    parameters === undefined ? NONE : `${kind}/${textAt(parameters, 'name')}`,
    ageCell(object, nowMs),
  ];
};

export const networkPolicyCells: RowCells = namedRow((object) => [
  selectorCell(valueAt(object, 'spec', 'podSelector')),
]);

const MOST_ENDPOINTS = 3;

/** `address:port`; an IPv6 address in brackets. */
function hostPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function endpointsCell(endpoints: KubernetesObject): string {
  const subsets = recordsAt(endpoints, 'subsets');
  if (subsets.length === 0) return NONE;
  const all = subsets.flatMap((subset) => {
    const addresses = recordsAt(subset, 'addresses').map((one) => textAt(one, 'ip'));
    const ports = recordsAt(subset, 'ports').map((one) => numberAt(one, 'port'));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => hostPort(address, port)));
  });
  const shown = all.slice(0, MOST_ENDPOINTS).join(',');
  const more = all.length - MOST_ENDPOINTS;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

export const endpointsCells: RowCells = namedRow((object) => [endpointsCell(object)]);

export const endpointSliceCells: RowCells = namedRow((slice) => {
  const ports = recordsAt(slice, 'ports').map((port) =>
    scalarOr(scalarOr('*', port, 'name'), port, 'port'),
  );
  const addresses = recordsAt(slice, 'endpoints').flatMap((one) => textsAt(one, 'addresses'));
  return [
    textAt(slice, 'addressType'),
    someOf(ports, MOST_ENDPOINTS),
    someOf(addresses, MOST_ENDPOINTS),
  ];
});

export const serviceCidrCells: RowCells = namedRow((object) => [
  textsAt(object, 'spec', 'cidrs').join(','),
]);

/** kube-apiserver sends an age as well, for which it declares no column. */
export const ipAddressCells: RowCells = namedRow((object) => {
  const parent = recordAt(object, 'spec', 'parentRef');
  if (parent === undefined) return [NONE];
  const group = textAt(parent, 'group');
  const resource = `${textAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`;
  const parts = [resource.toLowerCase(), textAt(parent, 'namespace'), textAt(parent, 'name')];
  return [parts.filter((part, index) => part !== '' || index !== 1).join('/')];
});
