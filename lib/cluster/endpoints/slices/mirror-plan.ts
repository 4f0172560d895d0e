import { sameContent } from '../../../meta/content/same-content.ts';
import type { Stored } from '../../../meta/stored.ts';
import { ownerReferenceTo } from '../../../controller/helpers/owner-references.ts';
import { ipText, parseIp } from '../../../server/registry/validation/addresses/ip-address.ts';
import type {
  EndpointAddress,
  Endpoints,
  EndpointSubset,
} from '../../../types/built-in/core-v1-kinds.ts';
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
} from '../../../types/built-in/discovery-v1-kinds.ts';
import { repackedSubsets } from '../endpoint-subsets.ts';
import { LAST_CHANGE } from '../endpoints-object.ts';
import {
  endpointKey,
  isSameEndpoint,
  namePrefix,
  portsKey,
  SERVICE_NAME,
  SLICE_MANAGED_BY,
  sortedPorts,
  type AddressType,
} from './slice-object.ts';
import type { SliceWrites } from './slice-writes.ts';

export const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** As in kube-controller-manager (--mirroring-max-endpoints-per-subset). */
export const MOST_MIRRORED = 1000;

export interface MirrorPlan extends SliceWrites {
  /** Addresses that are no IP addresses. */
  readonly invalid: number;
  /** Addresses that are left out, with the invalid ones. */
  readonly skipped: number;
}

/** Whether Endpoints may be mirrored: not those that their author excludes, and not locks of leader elections. */
export function mayBeMirrored({ metadata }: Endpoints): boolean {
  const { labels = {}, annotations = {} } = metadata ?? {};
  return labels[SKIP_MIRROR] !== 'true' && annotations[LEADER] === undefined;
}

interface MirrorGroup {
  readonly addressType: AddressType;
  readonly ports: EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

/**
 * The writes that bring the slices of hand-written Endpoints to their addresses: one slice for each subset and address type.
 * @see kubernetes pkg/controller/endpointslicemirroring/reconciler.go reconcile @ v1.37.2
 */
export function plannedMirror(
  endpoints: Stored<Endpoints>,
  present: readonly Stored<EndpointSlice>[],
): MirrorPlan {
  const groups = new Map<string, MirrorGroup>();
  let [invalid, skipped] = [0, 0];
  for (const subset of repackedSubsets(endpoints.subsets ?? [])) {
    const result = addSubset(subset, groups);
    invalid += result.invalid;
    skipped += result.skipped;
  }
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const unused = new Set(present);
  const missing: MirrorGroup[] = [];
  for (const [key, group] of groups) {
    const slice = present.find((one) => groupKey(one.addressType, one.ports) === key);
    if (slice === undefined) missing.push(group);
    else {
      unused.delete(slice);
      if (!isMirror(slice, endpoints, group)) update.push(replaced(slice, endpoints, group));
    }
  }
  for (const group of missing) {
    const slice = [...unused].find((one) => one.addressType === group.addressType);
    if (slice === undefined) create.push(mirrorOf(endpoints, group));
    else {
      unused.delete(slice);
      update.push(replaced(slice, endpoints, group));
    }
  }
  return { create, update, remove: [...unused], invalid, skipped };
}

function groupKey(addressType: string, ports: readonly EndpointPort[] | undefined): string {
  return `${addressType} ${portsKey(ports)}`;
}

function addSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  groups: Map<string, MirrorGroup>,
): Pick<MirrorPlan, 'invalid' | 'skipped'> {
  const slicePorts = sortedPorts(ports.map((port) => ({ ...port, name: port.name ?? '' })));
  let [invalid, added] = [0, 0];
  const add = (address: EndpointAddress, ready: boolean): void => {
    if (added >= MOST_MIRRORED) return;
    const parsed = parseIp(address.ip);
    if (parsed === undefined) {
      invalid += 1;
      return;
    }
    added += 1;
    const addressType = parsed.family === 6 ? 'IPv6' : 'IPv4';
    const key = groupKey(addressType, slicePorts);
    const group = groups.get(key) ?? { addressType, ports: slicePorts, endpoints: new Map() };
    groups.set(key, group);
    const endpoint = endpointOf(address, ipText(parsed), ready);
    group.endpoints.set(endpointKey(endpoint), endpoint);
  };
  for (const address of addresses) add(address, true);
  for (const address of notReadyAddresses) add(address, false);
  return { invalid, skipped: addresses.length + notReadyAddresses.length - added };
}

function endpointOf(
  { hostname = '', nodeName, targetRef }: EndpointAddress,
  ip: string,
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

function mirrorOf(endpoints: Stored<Endpoints>, group: MirrorGroup): EndpointSlice {
  const { name, namespace, labels = {} } = endpoints.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: namePrefix(name),
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name, [SLICE_MANAGED_BY]: MIRRORING_CONTROLLER },
      annotations: mirroredAnnotations(endpoints),
      ownerReferences: [ownerReferenceTo(endpoints)],
    },
    addressType: group.addressType,
    endpoints: [...group.endpoints.values()],
    ports: group.ports,
  };
}

function mirroredAnnotations({ metadata }: Endpoints): Record<string, string> {
  const { [LAST_CHANGE]: _, [LAST_APPLIED]: __, ...annotations } = metadata?.annotations ?? {};
  return annotations;
}

function replaced(
  slice: Stored<EndpointSlice>,
  endpoints: Stored<Endpoints>,
  group: MirrorGroup,
): EndpointSlice {
  const mirror = mirrorOf(endpoints, group);
  return { ...slice, ...mirror, metadata: { ...slice.metadata, ...mirror.metadata } };
}

function isMirror(
  slice: Stored<EndpointSlice>,
  endpoints: Stored<Endpoints>,
  group: MirrorGroup,
): boolean {
  const seen = ({ metadata }: EndpointSlice): object => {
    const { labels, annotations, ownerReferences } = metadata ?? {};
    return { labels, annotations, ownerReferences };
  };
  if (!sameContent(seen(slice), seen(mirrorOf(endpoints, group)))) return false;
  const present = slice.endpoints ?? [];
  return (
    present.length === group.endpoints.size &&
    present.every((one) => {
      const wanted = group.endpoints.get(endpointKey(one));
      return wanted !== undefined && isSameEndpoint(one, wanted);
    })
  );
}
