import { forbidden, type FieldCause } from '../../../meta/failure/failures.ts';
import { defaultTo, ensureRecord, recordAt, textAt, textsAt } from '../../../meta/json-value.ts';
import { newStatusStrategy, type UpdateStrategy } from '../contract/strategy.ts';
import { fieldInvalid } from '../rules/field-causes.ts';
import type { KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { kubeFinalizerCauses } from '../rules/object-validation.ts';
import { checkedBy, type Check } from '../validation/check.ts';
import { qualifiedName } from '../validation/formats.ts';
import { format } from '../validation/values.ts';
import { CONTENT_FINALIZER } from './namespace-lifecycle.ts';
import type { RestStorage } from '../contract/rest-storage.ts';
import type { SubresourceParts } from '../contract/subresource-parts.ts';

/** `namespaces/NAME/finalize`: replaces `spec.finalizers`, as the controller that deletes a namespace's content does. */
function namespaceFinalize({ store }: SubresourceParts): RestStorage {
  return {
    describe: store.describe,
    table: store.table,
    patchable: false,
    update: async (context, name, update, options) =>
      await store.updateThrough(finalizeStrategy, context, name, update, options),
  };
}

const finalizeStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(namespace, existing) {
    const finalizers = textsAt(namespace, 'spec', 'finalizers');
    const spec = { ...recordAt(existing, 'spec') };
    if (finalizers.length === 0) delete spec['finalizers'];
    else spec['finalizers'] = finalizers;
    namespace['spec'] = spec;
    namespace['status'] = existing['status'];
  },
  validateUpdate(namespace) {
    return textsAt(namespace, 'spec', 'finalizers').flatMap(finalizerCauses);
  },
};

/** A finalizer is a qualified name; those without a domain belong to Kubernetes itself. */
function finalizerCauses(finalizer: string, index: number): FieldCause[] {
  const field = `spec.finalizers[${index}]`;
  return [
    ...qualifiedName(finalizer).map((problem) => fieldInvalid(field, finalizer, problem)),
    ...kubeFinalizerCauses(field, [finalizer]).map((cause) => ({ ...cause, field })),
  ];
}

/** Namespaces of the control plane, which cannot be deleted. See plugin/pkg/admission/namespace/lifecycle @ 24a394e. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** The label with the name of the namespace, for selectors. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

function setPhase(object: MutableObject, phase: string): void {
  object['status'] = { ...recordAt(object, 'status'), phase };
}

function setNameLabel({ metadata }: MutableObject): void {
  if (metadata.name !== undefined) {
    metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
  }
}

/** The phase follows from the deletion; the rest of the status, and labels, may be set. */
const statusStrategy: UpdateStrategy = {
  ...newStatusStrategy({
    setDefaults(object) {
      setNameLabel(object);
      const status = ensureRecord(object, 'status');
      if (status !== undefined) defaultTo(status, 'phase', 'Active');
    },
  }),
  validateUpdate(object) {
    const leaving = object.metadata.deletionTimestamp !== undefined;
    const phase = textAt(object, 'status', 'phase');
    if (phase === (leaving ? 'Terminating' : 'Active')) return [];
    const rule = leaving
      ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
      : "may only be 'Active' if `deletionTimestamp` is empty";
    return [fieldInvalid('status.Phase', phase, rule)];
  },
};

const finalizerNames: Check = (namespace, _path, report) => {
  const path = 'spec.finalizers';
  for (const name of textsAt(namespace, 'spec', 'finalizers')) {
    format(qualifiedName)(name, path, report);
    for (const cause of kubeFinalizerCauses(path, [name])) report.add({ ...cause, field: path });
  }
};

export const namespaces: KindRules = {
  resource: 'namespaces',
  newSubresources: (parts) => ({ finalize: namespaceFinalize(parts) }),
  statusStrategy,
  strategy: {
    setDefaults: setNameLabel,
    ...checkedBy(finalizerNames),
    prepareForCreate(object) {
      const finalizers = textsAt(object, 'spec', 'finalizers');
      if (!finalizers.includes(CONTENT_FINALIZER)) finalizers.push(CONTENT_FINALIZER);
      object['spec'] = { finalizers };
    },
    // Only the namespace lifecycle removes the content finalizer.
    prepareForUpdate(object, existing) {
      object['spec'] = existing['spec'];
    },
    prepareForDelete(object) {
      const name = object.metadata.name ?? '';
      if (IMMORTAL.has(name)) {
        const subject = { group: '', resource: 'namespaces' };
        throw forbidden(subject, name, 'this namespace may not be deleted');
      }
      setPhase(object, 'Terminating');
    },
    // Namespaces have a deletion of their own, without a grace period.
    recordsGracePeriod: false,
    finalizersOf: (object) => [
      ...(object.metadata.finalizers ?? []),
      ...textsAt(object, 'spec', 'finalizers'),
    ],
  },
  selectableFields: { 'status.phase': (object) => textAt(object, 'status', 'phase') },
};
