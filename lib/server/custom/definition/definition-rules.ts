import {
  CLEANUP_FINALIZER,
  setCondition,
  setDefinitionDefaults,
  storageVersionOf,
} from './custom-resource-definition.ts';
import { definitionWarnings } from './definition-warnings.ts';
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from './validate-definition.ts';
import { newStatusStrategy } from '../../registry/contract/strategy.ts';
import { timestampOf } from '../../registry/rules/duration.ts';
import { recordAt, textAt, textsAt } from '../../../meta/json-value.ts';
import type { KindRules } from '../../registry/contract/kind-rules.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';

/** Adds the present storage version to the list of versions in which objects may be stored. */
function noteStorageVersion(definition: MutableObject): void {
  const version = storageVersionOf(definition);
  if (version === undefined) return;
  const storage = textAt(version, 'name');
  const status = recordAt(definition, 'status');
  const stored = textsAt(status, 'storedVersions');
  if (stored.includes(storage)) return;
  // The status of an update is shared with the stored object, so it is replaced instead of modified.
  definition['status'] = { ...status, storedVersions: [...stored, storage] };
}

/** A status without stored versions gets the present one. */
function setStoredVersions(definition: MutableObject): void {
  if (textsAt(definition, 'status', 'storedVersions').length === 0) noteStorageVersion(definition);
}

export const customResourceDefinitions: KindRules = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  statusStrategy: {
    ...newStatusStrategy({
      setDefaults: setStoredVersions,
      validateUpdate: validateDefinitionStatus,
    }),
    allowUnconditionalUpdate: false,
  },
  strategy: {
    setDefaults: setDefinitionDefaults,
    prepareForCreate: noteStorageVersion,
    prepareForUpdate: noteStorageVersion,
    validate: validateDefinition,
    validateUpdate: validateDefinitionUpdate,
    allowUnconditionalUpdate: false,
    warnings: definitionWarnings,
    recordsGracePeriod: false,
    countsDeletion: false,
    prepareForDelete(definition, { nowMs }) {
      const finalizers = definition.metadata.finalizers ?? [];
      if (!finalizers.includes(CLEANUP_FINALIZER)) {
        definition.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
      }
      const reason = 'InstanceDeletionPending';
      const message =
        'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
      const condition = { type: 'Terminating', status: 'True', reason, message } as const;
      setCondition(definition, condition, timestampOf(nowMs));
    },
  },
};
