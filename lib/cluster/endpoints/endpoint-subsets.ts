import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
} from '../../types/built-in/core-v1-kinds.ts';
import { goPointer, goSlice, sortedByHash } from './go-hash.ts';

/** The ports of one set of addresses, with their readiness. */
interface PortGroup {
  readonly ports: EndpointPort[];
  readonly ready: ReadonlyMap<string, boolean>;
}

/**
 * The canonical form of subsets: each set of addresses once with all of its ports, addresses by IP and uid, an address that is not ready
 * in one subset not ready for that port.
 * @see kubernetes pkg/api/v1/endpoints/util.go RepackSubsets @ v1.37.2
 */
export function repackedSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  const texts = new Map<EndpointPort, string>();
  const byPort = new Map<string, { port: EndpointPort | undefined; ready: Map<string, boolean> }>();
  for (const subset of subsets) {
    const ports = subset.ports ?? [];
    for (const port of ports.length === 0 ? [undefined] : ports) {
      // Many subsets may share one port.
      const key = port === undefined ? '' : (texts.get(port) ?? corePortText(port));
      if (port !== undefined) texts.set(port, key);
      const group = byPort.get(key) ?? { port, ready: new Map<string, boolean>() };
      byPort.set(key, group);
      for (const address of subset.addresses ?? []) note(address, true, addresses, group.ready);
      for (const address of subset.notReadyAddresses ?? []) {
        note(address, false, addresses, group.ready);
      }
    }
  }
  const groups = new Map<string, PortGroup>();
  for (const { port, ready } of byPort.values()) {
    const key = JSON.stringify([...ready].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const group = groups.get(key) ?? { ports: [], ready };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  const packed = [...groups.values()].map((group) => subsetOf(group, addresses));
  return sortedByHash(packed, subsetText);
}

function note(
  address: EndpointAddress,
  isReady: boolean,
  addresses: Map<string, EndpointAddress>,
  ready: Map<string, boolean>,
): void {
  const key = `${address.ip} ${address.targetRef?.uid ?? ''}`;
  if (!addresses.has(key)) addresses.set(key, address);
  if (ready.get(key) !== false) ready.set(key, isReady);
}

function subsetOf(
  { ports, ready }: PortGroup,
  addresses: ReadonlyMap<string, EndpointAddress>,
): EndpointSubset {
  const withState = (wanted: boolean): EndpointAddress[] =>
    [...ready]
      .flatMap(([key, isReady]) => (isReady === wanted ? (addresses.get(key) ?? []) : []))
      .toSorted(compareAddresses);
  const [isReady, notReady] = [withState(true), withState(false)];
  return {
    ...(isReady.length === 0 ? {} : { addresses: isReady }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    ...(ports.length === 0
      ? {}
      : { ports: sortedByHash(ports, (port) => `(v1.EndpointPort)${corePortText(port)}`) }),
  };
}

function compareAddresses(one: EndpointAddress, other: EndpointAddress): number {
  if (one.ip !== other.ip) return one.ip < other.ip ? -1 : 1;
  const [a, b] = [one.targetRef?.uid, other.targetRef?.uid];
  if (a === b) return 0;
  return a === undefined || (b !== undefined && a < b) ? -1 : 1;
}

function corePortText({ name = '', port, protocol, appProtocol }: EndpointPort): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol ?? ''} AppProtocol:${goPointer('string', appProtocol)}}`;
}

function addressText({ ip, hostname = '', nodeName, targetRef }: EndpointAddress): string {
  const { kind = '', namespace = '', name = '', uid = '' } = targetRef ?? {};
  const { apiVersion = '', resourceVersion = '', fieldPath = '' } = targetRef ?? {};
  const target =
    targetRef &&
    `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${goPointer('string', nodeName)} TargetRef:${goPointer('v1.ObjectReference', target)}}`;
}

function subsetText({ addresses, notReadyAddresses, ports }: EndpointSubset): string {
  const list = (all?: readonly EndpointAddress[]): string =>
    goSlice('v1.EndpointAddress', all?.map(addressText));
  return `(v1.EndpointSubset){Addresses:${list(addresses)} NotReadyAddresses:${list(notReadyAddresses)} Ports:${goSlice('v1.EndpointPort', ports?.map(corePortText))}}`;
}

/**
 * Subsets with not more than `max` addresses, ready ones first, each subset with its proportion; undefined if they have not more.
 * @see kubernetes pkg/controller/endpoint/endpoints_controller.go truncateEndpoints @ v1.37.2
 */
export function truncatedSubsets(
  subsets: readonly EndpointSubset[],
  max: number,
): EndpointSubset[] | undefined {
  const count = (field: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')];
  if (ready + notReady <= max) return undefined;
  const cutsReady = ready > max;
  const field = cutsReady ? 'addresses' : 'notReadyAddresses';
  const [total, room] = cutsReady ? [ready, max] : [notReady, max - ready];
  let left = room;
  return subsets.map((subset) => {
    const present = subset[field] ?? [];
    // Rounded up, so that the last subset may get less than its proportion.
    const share = Math.min(left, Math.ceil((present.length / total) * room));
    const kept = present.slice(0, share);
    left -= kept.length;
    return withoutEmpty(
      cutsReady
        ? { ...subset, addresses: kept, notReadyAddresses: [] }
        : { ...subset, notReadyAddresses: kept },
    );
  });
}

function withoutEmpty({
  addresses = [],
  notReadyAddresses = [],
  ...rest
}: EndpointSubset): EndpointSubset {
  return {
    ...rest,
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
  };
}
