import { sameContent } from '../../meta/content/same-content.ts';
import type { Stored } from '../../meta/stored.ts';
import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
  Pod,
  Service,
} from '../../types/built-in/core-v1-kinds.ts';
import { isPodReady } from '../ownership/pod-activity.ts';
import {
  addressesOf,
  hasClusterIp,
  hasNamedTargets,
  hostnameOf,
  isEndpoint,
  targetPortOf,
} from './endpoint-pods.ts';
import { repackedSubsets, truncatedSubsets } from './endpoint-subsets.ts';

export const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
export const ENDPOINTS_CONTROLLER = 'endpoint-controller';
export const LAST_CHANGE = 'endpoints.kubernetes.io/last-change-trigger-time';
export const HEADLESS = 'service.kubernetes.io/headless';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
/** Clients of Endpoints read them whole. */
const MOST_ADDRESSES = 1000;

/**
 * The subsets of a service with these pods.
 * @see kubernetes pkg/controller/endpoint/endpoints_controller.go syncService @ v1.37.2
 */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const { publishNotReadyAddresses = false } = service.spec ?? {};
  const [first] = pods;
  const common =
    first === undefined || hasNamedTargets(service) ? undefined : portsOf(service, first);
  const subsets = pods.flatMap((pod): EndpointSubset[] => {
    if (!isEndpoint(pod, publishNotReadyAddresses)) return [];
    const address = addressOf(service, pod);
    if (address === undefined) return [];
    const field = publishNotReadyAddresses || isPodReady(pod) ? 'addresses' : 'notReadyAddresses';
    return (common ?? portsOf(service, pod)).map((port) => ({
      [field]: [address],
      ...(port === undefined ? {} : { ports: [port] }),
    }));
  });
  return repackedSubsets(subsets);
}

/** The first family of a service is the one of its Endpoints. */
function familyOf({ spec }: Service, pod: Pod): 'IPv4' | 'IPv6' {
  const [family] = spec?.ipFamilies ?? [];
  if (family === 'IPv4' || family === 'IPv6') return family;
  const { clusterIP = '' } = spec ?? {};
  const address = clusterIP === '' || clusterIP === 'None' ? pod.status?.podIP : clusterIP;
  return address?.includes(':') === true ? 'IPv6' : 'IPv4';
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = addressesOf(pod, familyOf(service, pod));
  if (ip === undefined) return undefined;
  const { name, namespace, uid } = pod.metadata ?? {};
  const hostname = hostnameOf(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** The ports of a pod; one that is undefined stands for a headless service without ports. */
function portsOf({ spec }: Service, pod: Pod): (EndpointPort | undefined)[] {
  const { ports = [], clusterIP } = spec ?? {};
  if (ports.length === 0) return clusterIP === 'None' ? [undefined] : [];
  return ports.flatMap((servicePort) => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol, appProtocol } = servicePort;
    return [
      {
        ...(name === undefined || name === '' ? {} : { name }),
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ];
  });
}

/**
 * The Endpoints of a service as they should be; undefined if the present ones are so. A later time of the last change alone is no reason to
 * write.
 */
export function wantedEndpoints(
  service: Stored<Service>,
  pods: readonly Pod[],
  present: Stored<Endpoints> | undefined,
  lastChange: string | undefined,
): Endpoints | undefined {
  const all = subsetsOf(service, pods);
  const cut = truncatedSubsets(all, MOST_ADDRESSES);
  const subsets = cut ?? all;
  const labels = labelsOf(service);
  const {
    [LAST_CHANGE]: _,
    [OVER_CAPACITY]: capacity,
    ...others
  } = present?.metadata.annotations ?? {};
  const isSame =
    present !== undefined &&
    sameContent({ labels: present.metadata.labels }, { labels }) &&
    (capacity === undefined) === (cut === undefined) &&
    (sameSubsets(present.subsets, subsets) ||
      sameSubsets(repackedSubsets(present.subsets ?? []), subsets));
  if (isSame) return undefined;
  const annotations = {
    ...others,
    ...(lastChange === undefined ? {} : { [LAST_CHANGE]: lastChange }),
    ...(cut === undefined ? {} : { [OVER_CAPACITY]: 'truncated' }),
  };
  const { name, namespace } = service.metadata;
  const metadata = { ...(present?.metadata ?? { name, namespace }), labels, annotations };
  return { ...present, apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
}

function labelsOf(service: Service): Record<string, string> {
  const { [HEADLESS]: _, ...labels } = service.metadata?.labels ?? {};
  return {
    ...labels,
    ...(hasClusterIp(service) ? {} : { [HEADLESS]: '' }),
    [MANAGED_BY]: ENDPOINTS_CONTROLLER,
  };
}

function sameSubsets(
  one: readonly EndpointSubset[] = [],
  other: readonly EndpointSubset[] = [],
): boolean {
  return sameContent({ subsets: one }, { subsets: other });
}
