import type { FieldCause } from '../../../meta/failure/failures.ts';
import type { RestStorage } from '../contract/rest-storage.ts';
import type { UpdateStrategy } from '../contract/strategy.ts';
import type { SubresourceParts } from '../contract/subresource-parts.ts';
import { fieldInvalid } from '../rules/field-causes.ts';
import { recordAt, textsAt } from '../../../meta/json-value.ts';
import { qualifiedName } from '../rules/name-forms.ts';
import { kubeFinalizerCauses } from '../rules/object-validation.ts';

/** `namespaces/NAME/finalize`: replaces `spec.finalizers`, as the controller that deletes a namespace's content does. */
export function namespaceFinalize({ store }: SubresourceParts): RestStorage {
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
