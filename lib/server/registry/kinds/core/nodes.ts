import type { KubernetesObject } from '../../../../meta/object.ts';
import { defaultTo, ensureRecord, valueAt } from '../../rules/json-value.ts';
import { nodeProxy } from '../../subresources/proxies.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

function isUnschedulable(node: KubernetesObject): boolean {
  return valueAt(node, 'spec', 'unschedulable') === true;
}

const NODE_INFO = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
];

/** Adds the fields that the status of a node always has. */
function completeStatus(node: MutableObject): void {
  const status = ensureRecord(node, 'status');
  if (status === undefined) return;
  const endpoints = ensureRecord(status, 'daemonEndpoints');
  if (endpoints !== undefined) defaultTo(endpoints, 'kubeletEndpoint', { Port: 0 });
  const info = ensureRecord(status, 'nodeInfo');
  if (info === undefined) return;
  for (const name of NODE_INFO) defaultTo(info, name, '');
}

export const nodes: KindRules = {
  resource: 'nodes',
  newSubresources: (parts) => ({ proxy: nodeProxy(parts) }),
  strategy: {
    // A kubelet creates its node together with the status, so a creation may set the status.
    status: false,
    prepareForCreate: completeStatus,
    prepareForUpdate(node, existing) {
      if (existing['status'] === undefined) delete node['status'];
      else node['status'] = existing['status'];
    },
  },
  selectableFields: { 'spec.unschedulable': (node) => String(isUnschedulable(node)) },
};
