import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import {
  ensureRecord,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
} from '../../meta/json-value.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { causesOf } from '../../server/registry/validation/check.ts';
import { all } from '../../server/registry/validation/combine.ts';
import { cidrWarnings } from '../../server/registry/validation/addresses/ip-formats.ts';
import { nodeChecks, nodeUpdateChecks } from './node-checks.ts';
import { nodeProxy } from '../subresources/proxies.ts';
import { type KindRules } from '../../server/registry/contract/kind-rules.ts';

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

/** The field belongs to a feature that was removed: it stays where it is, and cannot be set anew. */
function dropConfigSource(node: MutableObject, existing: MutableObject | undefined): void {
  if (valueAt(existing, 'spec', 'configSource') === undefined) {
    delete recordAt(node, 'spec')?.['configSource'];
  }
  if (existing === undefined) delete recordAt(node, 'status')?.['config'];
}

const bothChecks = all(nodeChecks, nodeUpdateChecks);

function warnings(node: KubernetesObject): readonly string[] {
  const spec = recordAt(node, 'spec');
  return [
    ...(spec?.['configSource'] === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(textAt(spec, 'externalID') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...textsAt(spec, 'podCIDRs').flatMap((one, index) =>
      cidrWarnings(`spec.podCIDRs[${index}]`, one),
    ),
  ];
}

export const nodes: KindRules = {
  resource: 'nodes',
  newSubresources: (parts) => ({ proxy: nodeProxy(parts) }),
  strategy: {
    // A kubelet creates its node together with the status, so a creation may set the status.
    status: false,
    prepareForCreate(node) {
      dropConfigSource(node, undefined);
      taint(node);
    },
    prepareForUpdate(node, existing) {
      if (existing['status'] === undefined) delete node['status'];
      else node['status'] = existing['status'];
      dropConfigSource(node, existing);
    },
    validate: (node, policy) => causesOf(nodeChecks, node, undefined, policy),
    validateUpdate: (node, existing, policy) => causesOf(bothChecks, node, existing, policy),
    warnings,
  },
  statusStrategy: newStatusStrategy({
    validateUpdate: (node, existing, policy) => causesOf(nodeUpdateChecks, node, existing, policy),
    // A feature that was removed.
    setDefaults(node) {
      delete recordAt(node, 'status')?.['config'];
    },
  }),
  selectableFields: { 'spec.unschedulable': (node) => String(isUnschedulable(node)) },
};
