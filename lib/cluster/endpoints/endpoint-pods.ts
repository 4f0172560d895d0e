import { ipText, parseIp } from '../../server/registry/validation/addresses/ip-address.ts';
import type { Container, Pod, Service, ServicePort } from '../../types/built-in/core-v1-kinds.ts';
import { sameContent } from '../../meta/content/same-content.ts';
import { isPodEnded, isPodReady } from '../ownership/pod-activity.ts';

export function isTerminating({ metadata }: Pod): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/**
 * Whether the endpoints of a service name this pod at all.
 * @see endpointslice util/controller_utils.go ShouldPodBeInEndpoints @ v0.37.2
 */
export function isEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  const { podIP = '', podIPs = [] } = pod.status ?? {};
  if (isPodEnded(pod) || (podIP === '' && podIPs.length === 0)) return false;
  return includeTerminating || !isTerminating(pod);
}

/** The name of a pod in the domain of a headless service. */
export function hostnameOf({ spec, metadata }: Pod, service: Service): string | undefined {
  const { hostname = '', subdomain } = spec ?? {};
  const isOfService =
    subdomain === service.metadata?.name && metadata?.namespace === service.metadata?.namespace;
  return hostname !== '' && isOfService ? hostname : undefined;
}

const OCTET = String.raw`(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])`;
const CANONICAL_V4 = new RegExp(String.raw`^${OCTET}(?:\.${OCTET}){3}$`);

/** The addresses of a family, as they are written canonically. */
export function addressesOf({ status }: Pod, family: 'IPv4' | 'IPv6'): string[] {
  return (status?.podIPs ?? []).flatMap(({ ip }) => {
    if (CANONICAL_V4.test(ip)) return family === 'IPv4' ? [ip] : [];
    const parsed = parseIp(ip);
    // An address that cannot be read is none of IPv6.
    const isWanted = (parsed?.family === 6) === (family === 'IPv6');
    return parsed !== undefined && isWanted ? [ipText(parsed)] : [];
  });
}

/**
 * The port of the pod behind a port of a service: a number, or one that a container has under this name; undefined if none has.
 * @see endpointslice utils.go FindPort @ v0.37.2
 */
export function targetPortOf(
  { spec }: Pod,
  { targetPort, protocol = 'TCP', port }: ServicePort,
): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === 'number') return targetPort;
  const sidecars = (spec?.initContainers ?? []).filter((one) => one.restartPolicy === 'Always');
  const containers: readonly Container[] = [...(spec?.containers ?? []), ...sidecars];
  const ports = containers.flatMap((one) => one.ports ?? []);
  const named = ports.find(
    (one) => one.name === targetPort && (one.protocol ?? 'TCP') === protocol,
  );
  return named?.containerPort;
}

/** Whether the ports of a service are the same for all pods. */
export function hasNamedTargets({ spec }: Service): boolean {
  return (spec?.ports ?? []).some(({ targetPort }) => typeof targetPort === 'string');
}

export function hasClusterIp({ spec }: Service): boolean {
  const { clusterIP = '' } = spec ?? {};
  return clusterIP !== '' && clusterIP !== 'None';
}

/** Whether an update may change the services that select a pod, or what they say of it. */
export function concernsEndpoints(before: Pod, after: Pod): boolean {
  const seen = (pod: Pod): unknown => [
    pod.metadata?.labels,
    pod.metadata?.deletionTimestamp,
    pod.spec?.hostname,
    pod.spec?.subdomain,
    isPodReady(pod),
    isPodEnded(pod),
    pod.status?.podIPs,
  ];
  return !sameContent({ seen: seen(before) }, { seen: seen(after) });
}
