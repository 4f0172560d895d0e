import type { MutableObject } from '../../rules/mutable-object.ts';
import type { KubernetesObject } from '../../../../meta/object.ts';
import { ensureRecord, recordsAt, valueAt } from '../../rules/json-value.ts';
import { nodeProxy } from '../../subresources/proxies.ts';
import { type KindRules } from '../contract/kind-rules.ts';

function isUnschedulable(node: KubernetesObject): boolean {
  return valueAt(node, 'spec', 'unschedulable') === true;
}

const NOT_READY = 'node.kubernetes.io/not-ready';

/** Nothing is scheduled on a new node until it is ready. @see plugin/pkg/admission/nodetaint @ v1.36.3 */
function taint(node: MutableObject): void {
  const spec = ensureRecord(node, 'spec');
  if (spec === undefined) return;
  const taints = recordsAt(spec, 'taints');
  const isTainted = taints.some(
    (one) => one['key'] === NOT_READY && one['effect'] === 'NoSchedule',
  );
  if (!isTainted) spec['taints'] = [...taints, { key: NOT_READY, effect: 'NoSchedule' }];
}

export const nodes: KindRules = {
  resource: 'nodes',
  newSubresources: (parts) => ({ proxy: nodeProxy(parts) }),
  strategy: {
    // A kubelet creates its node together with the status, so a creation may set the status.
    status: false,
    prepareForCreate: taint,
    prepareForUpdate(node, existing) {
      if (existing['status'] === undefined) delete node['status'];
      else node['status'] = existing['status'];
    },
  },
  selectableFields: { 'spec.unschedulable': (node) => String(isUnschedulable(node)) },
};
