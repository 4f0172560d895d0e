import type { KubernetesObject } from '../../../../meta/object.ts';
import { valueAt } from '../../rules/json-value.ts';
import { nodeProxy } from '../../subresources/proxies.ts';
import { type KindRules } from '../contract/kind-rules.ts';

function isUnschedulable(node: KubernetesObject): boolean {
  return valueAt(node, 'spec', 'unschedulable') === true;
}

export const nodes: KindRules = {
  resource: 'nodes',
  newSubresources: (parts) => ({ proxy: nodeProxy(parts) }),
  strategy: {
    // A kubelet creates its node together with the status, so a creation may set the status.
    status: false,
    prepareForUpdate(node, existing) {
      if (existing['status'] === undefined) delete node['status'];
      else node['status'] = existing['status'];
    },
  },
  selectableFields: { 'spec.unschedulable': (node) => String(isUnschedulable(node)) },
};
