import { ownerReferenceTo } from '../../../controller/helpers/owner-references.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Node, Pod, Service } from '../../../types/built-in/core-v1-kinds.ts';
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
} from '../../../types/built-in/discovery-v1-kinds.ts';
import { isPodReady } from '../../ownership/pod-activity.ts';
import {
  addressesOf,
  hasClusterIp,
  hostnameOf,
  isTerminating,
  targetPortOf,
} from '../endpoint-pods.ts';
import { HEADLESS } from '../endpoints-object.ts';
import { goPointer, sortedByHash } from '../go-hash.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const SLICE_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const SLICES_CONTROLLER = 'endpointslice-controller.k8s.io';
const ZONE = 'topology.kubernetes.io/zone';
const RESERVED: readonly string[] = [SERVICE_NAME, SLICE_MANAGED_BY, HEADLESS];
const LONGEST_NAME = 253;

export type AddressType = 'IPv4' | 'IPv6';

/**
 * The endpoint of a pod.
 * @see endpointslice utils.go podToEndpoint @ v0.37.2
 */
export function endpointOf(
  pod: Pod,
  node: Node | undefined,
  service: Service,
  addressType: AddressType,
): Endpoint {
  const { name, namespace, uid } = pod.metadata ?? {};
  const [serving, terminating] = [isPodReady(pod), isTerminating(pod)];
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { nodeName = '' } = pod.spec ?? {};
  const zone = node?.metadata?.labels?.[ZONE] ?? '';
  const hostname = hostnameOf(pod, service);
  return {
    addresses: addressesOf(pod, addressType),
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === '' ? {} : { zone }),
  };
}

/** Two endpoints with one key are one endpoint in two states. */
export function endpointKey({ addresses, hostname = '', targetRef }: Endpoint): string {
  const { namespace = '', name = '' } = targetRef ?? {};
  return [...addresses.toSorted(), hostname, namespace, name].join(' ');
}

/** Whether two endpoints of one key are in the same state. Hints do not count: they follow from it. */
export function isSameEndpoint(one: Endpoint, other: Endpoint): boolean {
  const state = ({ nodeName, zone, conditions = {}, targetRef = {} }: Endpoint): unknown[] => [
    nodeName,
    zone,
    conditions.ready,
    conditions.serving,
    conditions.terminating,
    targetRef.kind,
    targetRef.uid,
  ];
  const others = state(other);
  return state(one).every((value, at) => value === others[at]);
}

/** The ports of a pod for a service, in the order in which Kubernetes has them. */
export function slicePortsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  const ports = (spec?.ports ?? []).flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = '', protocol, appProtocol } = servicePort;
    return [{ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
  return sortedPorts(ports);
}

/** @see endpointslice util/controller_utils.go NewPortMapKey @ v0.37.2 */
export function sortedPorts(ports: readonly EndpointPort[]): EndpointPort[] {
  return sortedByHash(ports, portText);
}

/** Slices are of one set of ports; this is its key. */
export function portsKey(ports: readonly EndpointPort[] | undefined): string {
  return sortedPorts(ports ?? [])
    .map(portText)
    .join();
}

function portText({ name, protocol, port, appProtocol }: EndpointPort): string {
  return `(v1.EndpointPort){Name:${goPointer('string', name)} Protocol:${goPointer('v1.Protocol', protocol)} Port:${goPointer('int32', port)} AppProtocol:${goPointer('string', appProtocol)}}`;
}

/**
 * The address types that a service has slices of.
 * @see endpointslice utils.go getAddressTypesForService @ v0.37.2
 */
export function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((one) => one === 'IPv4' || one === 'IPv6');
  if (families.length > 0) return [...new Set(families)];
  const { clusterIP = '' } = spec ?? {};
  if (clusterIP === '' || clusterIP === 'None') return ['IPv4', 'IPv6'];
  return [clusterIP.includes(':') ? 'IPv6' : 'IPv4'];
}

/** The labels of the slices of a service: its own, and those by which slices are found. */
export function sliceLabels(service: Service): Record<string, string> {
  return {
    ...ownLabels(service.metadata?.labels),
    ...(hasClusterIp(service) ? {} : { [HEADLESS]: '' }),
    [SERVICE_NAME]: service.metadata?.name ?? '',
    [SLICE_MANAGED_BY]: SLICES_CONTROLLER,
  };
}

/** Labels without those that only the controller writes; their changes are not repaired. */
export function ownLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVED.includes(key)));
}

/** A slice without endpoints; the server makes its name. */
export function emptySlice(
  service: Stored<Service>,
  addressType: AddressType,
  ports: EndpointPort[],
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: namePrefix(service.metadata.name),
      namespace: service.metadata.namespace,
      labels: sliceLabels(service),
      ownerReferences: [ownerReferenceTo(service)],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

/** With a dash, unless the name is too long for it. */
export function namePrefix(name: string): string {
  return name.length < LONGEST_NAME ? `${name}-` : name;
}

export function isSliceOf({ metadata }: EndpointSlice, service: Stored<Service>): boolean {
  return (metadata?.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) =>
      uid === service.metadata.uid && kind === 'Service' && apiVersion === 'v1',
  );
}
