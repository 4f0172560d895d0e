import { recordAt, recordsAt, textAt, textsAt, type JsonRecord } from '../../meta/json-value.ts';

const NONE: JsonRecord = {};

export function specOf(service: unknown): JsonRecord {
  return recordAt(service, 'spec') ?? NONE;
}

export function typeOf(spec: JsonRecord): string {
  return textAt(spec, 'type');
}

/** The numbers of the node ports that are set. */
export function nodePortsOf(spec: JsonRecord): number[] {
  return recordsAt(spec, 'ports')
    .map(({ nodePort }) => nodePort)
    .filter((one): one is number => typeof one === 'number' && one !== 0);
}

export function clusterIpsOf(spec: JsonRecord): string[] {
  return textsAt(spec, 'clusterIPs');
}

export function familiesOf(spec: JsonRecord): string[] {
  return textsAt(spec, 'ipFamilies');
}

/** Whether clients in the cluster reach the pods without an address of the Service. */
export function isHeadless(spec: JsonRecord): boolean {
  const addresses = clusterIpsOf(spec);
  return addresses.length === 1 && addresses[0] === 'None';
}

export function isExternalName(spec: JsonRecord): boolean {
  return typeOf(spec) === 'ExternalName';
}

export function isBalanced(spec: JsonRecord): boolean {
  return typeOf(spec) === 'LoadBalancer';
}

/** Whether services of the type may have node ports. */
export function hasNodePorts(spec: JsonRecord): boolean {
  return isBalanced(spec) || typeOf(spec) === 'NodePort';
}

/** Whether clients outside of the cluster reach it. */
export function isExternallyAccessible(spec: JsonRecord): boolean {
  if (hasNodePorts(spec)) return true;
  return typeOf(spec) === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0;
}

/** Whether a load balancer asks each node at a port of its own whether it has a pod. */
export function needsHealthCheck(spec: JsonRecord): boolean {
  return isBalanced(spec) && spec['externalTrafficPolicy'] === 'Local';
}

export function hasSelector(spec: JsonRecord): boolean {
  return Object.keys(recordAt(spec, 'selector') ?? NONE).length > 0;
}

export function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one, index) => one === right[index]);
}
