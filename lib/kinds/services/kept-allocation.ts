import { recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import {
  clusterIpsOf,
  isBalanced,
  isExternalName,
  needsHealthCheck,
  nodePortsOf,
  typeOf,
} from './service-fields.ts';

function takesNodePorts(spec: JsonRecord): boolean {
  if (typeOf(spec) === 'NodePort') return true;
  return isBalanced(spec) && spec['allocateLoadBalancerNodePorts'] !== false;
}

/**
 * Keeps what was allocated and an update does not name. The spec and its ports must be private.
 * @see pkg/registry/core/service/storage/storage.go patchAllocatedValues @ v1.36.3
 */
export function keepAllocation(spec: JsonRecord, old: JsonRecord): void {
  if (!isExternalName(spec) && !isExternalName(old)) {
    const before = clusterIpsOf(old);
    if (textAt(spec, 'clusterIP') === '' && textAt(old, 'clusterIP') !== '') {
      spec['clusterIP'] = old['clusterIP'];
    }
    if (clusterIpsOf(spec).length === 0 && before.length > 0) spec['clusterIPs'] = before;
  }
  if (takesNodePorts(spec) && takesNodePorts(old)) keepNodePorts(spec, old);
  if (!needsHealthCheck(spec) || !needsHealthCheck(old)) return;
  if ((spec['healthCheckNodePort'] ?? 0) === 0) {
    spec['healthCheckNodePort'] = old['healthCheckNodePort'];
  }
}

/** By the names of the ports; not those that the update gave to another port. */
function keepNodePorts(spec: JsonRecord, old: JsonRecord): void {
  const named = nodePortsOf(spec);
  const before = new Map(
    recordsAt(old, 'ports').map((port) => [textAt(port, 'name'), port['nodePort']]),
  );
  for (const port of recordsAt(spec, 'ports')) {
    const kept = before.get(textAt(port, 'name'));
    if ((port['nodePort'] ?? 0) !== 0 || typeof kept !== 'number') continue;
    if (!named.includes(kept)) port['nodePort'] = kept;
  }
}
