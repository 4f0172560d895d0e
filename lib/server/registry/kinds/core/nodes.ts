import type { KubernetesObject } from '../../../../meta/object.ts';
import { defaultTo, ensureRecord, recordsAt, textAt, valueAt } from '../../rules/json-value.ts';
import { readersOf, type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import { ageColumn, column, nameColumn, textColumn } from '../../contract/table-columns.ts';

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function statusCell(node: KubernetesObject): string {
  const ready = recordsAt(node, 'status', 'conditions').find((one) => one['type'] === 'Ready');
  const words = [
    ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady',
  ];
  if (isUnschedulable(node)) words.push('SchedulingDisabled');
  return words.join(',');
}

function isUnschedulable(node: KubernetesObject): boolean {
  return valueAt(node, 'spec', 'unschedulable') === true;
}

function rolesCell(node: KubernetesObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_LABEL_PREFIX)) roles.add(key.slice(ROLE_LABEL_PREFIX.length));
    else if (key === ROLE_LABEL) roles.add(value);
  }
  roles.delete('');
  return [...roles].toSorted().join(',') || '<none>';
}

function addressCell(type: string): (node: KubernetesObject) => string {
  return (node) => {
    const address = recordsAt(node, 'status', 'addresses').find((one) => one['type'] === type);
    return textAt(address, 'address') || '<none>';
  };
}

const UNKNOWN = '<unknown>';

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
  cells: readersOf([
    nameColumn,
    column('Status', statusCell),
    column('Roles', rolesCell),
    ageColumn,
    textColumn('Version', ['status', 'nodeInfo', 'kubeletVersion']),
    column('Internal-IP', addressCell('InternalIP'), { wide: true }),
    column('External-IP', addressCell('ExternalIP'), { wide: true }),
    textColumn('OS-Image', ['status', 'nodeInfo', 'osImage'], { wide: true, missing: UNKNOWN }),
    textColumn('Kernel-Version', ['status', 'nodeInfo', 'kernelVersion'], {
      wide: true,
      missing: UNKNOWN,
    }),
    textColumn('Container-Runtime', ['status', 'nodeInfo', 'containerRuntimeVersion'], {
      wide: true,
      missing: UNKNOWN,
    }),
  ]),
};
