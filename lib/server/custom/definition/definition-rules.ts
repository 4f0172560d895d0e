import { isSince } from '../../../meta/releases/kubernetes-features.ts';
import type { WritePolicy } from '../../registry/rules/write-policy.ts';
import {
  CLEANUP_FINALIZER,
  setCondition,
  setDefinitionDefaults,
  storageVersionOf,
  versionsOf,
} from './custom-resource-definition.ts';
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
import { isSupportedFormat } from '../schema/text-formats.ts';
import { commonMembers } from './common-members.ts';
import { someSchema } from './structure/schema-walk.ts';

/**
 * The warnings of a write of a definition: formats that are not checked, in the words of API servers, and rules in CEL, which are
 * stored without being enforced.
 * Warnings of the stored definition are not sent again.
 */
function definitionWarnings(
  definition: unknown,
  existing?: unknown,
  policy?: WritePolicy,
): string[] {
  const known = new Set(unknownFormats(existing));
  const warnings = unknownFormats(definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
  if (isSince(policy?.minor, 'warnsOfSetsOfObjects')) {
    const old = new Set(unsupportedSets(existing));
    warnings.push(...unsupportedSets(definition).filter((one) => !old.has(one)));
  }
  if (hasRules(definition)) {
    warnings.push(
      'x-kubernetes-validations: rules in CEL are stored, but not enforced by this server',
    );
  }
  return warnings;
}

function schemasOf(definition: unknown): (Record<string, unknown> | undefined)[] {
  const versions = versionsOf(definition);
  const schemas = versions.map((version) => recordAt(version, 'schema', 'openAPIV3Schema'));
  return commonMembers(versions).schema ? schemas.slice(0, 1) : schemas;
}

function unknownFormats(definition: unknown): string[] {
  const formats: string[] = [];
  for (const schema of schemasOf(definition)) {
    someSchema(schema, (one) => {
      const format = textAt(one, 'format');
      if (format !== '' && !isSupportedFormat(format, [textAt(one, 'type')])) formats.push(format);
      return false;
    });
  }
  return formats;
}

/** Sets whose items have no order, in the order of their warnings. */
function unsupportedSets(definition: unknown): string[] {
  const found = new Set<string>();
  for (const schema of schemasOf(definition)) {
    someSchema(schema, (one) => {
      const type = textAt(one, 'items', 'type');
      const isSet = one['x-kubernetes-list-type'] === 'set';
      if (isSet && (type === 'object' || type === 'array')) {
        found.add(
          `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`,
        );
      }
      return false;
    });
  }
  return [...found].toSorted();
}

function hasRules(definition: unknown): boolean {
  return schemasOf(definition).some((schema) =>
    someSchema(schema, (one) => Array.isArray(one['x-kubernetes-validations'])),
  );
}

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
