import { forbidden } from '../../../../meta/failures.ts';
import { recordAt, textAt, textsAt } from '../../rules/json-value.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import { dnsLabelProblem } from '../../rules/name-validation.ts';
import { CONTENT_FINALIZER } from '../../namespaces/namespace-lifecycle.ts';

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

export const namespaces: KindRules = {
  resource: 'namespaces',
  strategy: {
    nameProblem: dnsLabelProblem,
    setDefaults: setNameLabel,
    prepareForCreate(object) {
      object['spec'] = { finalizers: [CONTENT_FINALIZER] };
      setPhase(object, 'Active');
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
    finalizersOf: (object) => [
      ...(object.metadata.finalizers ?? []),
      ...textsAt(object, 'spec', 'finalizers'),
    ],
  },
  selectableFields: { 'status.phase': (object) => textAt(object, 'status', 'phase') },
};
