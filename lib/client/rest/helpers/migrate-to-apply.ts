import { is, optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import { isFieldSet, NO_FIELDS, union, type FieldSet } from '../../../meta/fields/field-set.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import {
  CALL,
  type CallOptions,
  type PatchOptions,
  type WriteOptions,
} from '../request/resource-options.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

export interface MigrateOptions extends Omit<WriteOptions, 'fieldValidation'> {
  /** The field managers of the writes so far, e.g. `['kubectl-client-side-apply', 'kubectl-edit']`; see `metadata.managedFields`. */
  readonly from: readonly string[];
  /** Fields that were written through this subresource, such as `status`. @defaultValue the object itself */
  readonly subresource?: string | undefined;
}

export const MIGRATE_OPTIONS: OptionsSchema<MigrateOptions> = optionsOf<MigrateOptions>()(
  'migrateToServerSideApply',
  {
    ...CALL,
    dryRun: is.flag(),
    fieldManager: is.text(),
    from: is.anything().required,
    subresource: is.text(),
  },
);

/** The calls that it needs of a resource. */
export interface ReadsAndPatches<T> {
  get(name: string, options: CallOptions): Promise<T>;
  patch(name: string, patch: object, options: PatchOptions): Promise<T>;
}

interface Entry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fieldsV1?: unknown;
}

/** See `ResourceClient.migrateToServerSideApply`. */
export async function migrateToApply<T extends KubernetesObject>(
  resource: ReadsAndPatches<T>,
  name: string,
  { from, subresource = '', fieldManager, namespace, signal, dryRun }: MigrateOptions,
  { to, runtime }: { readonly to: string; readonly runtime: Runtime },
): Promise<T> {
  return await retryOnConflict(
    async () => {
      const stored = await resource.get(name, { namespace, signal });
      let after = entriesOf(stored);
      const isLeft = from.some((one) =>
        after.some((entry) => isBy(entry, one, 'Update', subresource)),
      );
      if (!isLeft) return stored;
      for (const manager of from) after = migrated(after, manager, to, subresource);
      // The version is replaced, not tested: a change in between is a conflict then, and not an invalid patch.
      const patch = [
        { op: 'replace', path: '/metadata/managedFields', value: after },
        {
          op: 'replace',
          path: '/metadata/resourceVersion',
          value: stored.metadata?.resourceVersion,
        },
      ];
      return await resource.patch(name, patch, { namespace, signal, dryRun, fieldManager });
    },
    { signal, runtime },
  );
}

/** @see client-go util/csaupgrade/upgrade.go upgradedManagedFields @ v0.36.3 */
function migrated(
  entries: readonly Entry[],
  from: string,
  to: string,
  subresource: string,
): readonly Entry[] {
  const target =
    entries.find((entry) => isBy(entry, to, 'Apply', subresource)) ??
    entries.find((entry) => isBy(entry, from, 'Update', subresource));
  if (target === undefined) return entries;
  // Fields of another API version cannot be united with these.
  const added = entries.find(
    (entry) => isBy(entry, from, 'Update', subresource) && entry.apiVersion === target.apiVersion,
  );
  const fieldsV1 = union(fieldsOf(target), added === undefined ? NO_FIELDS : fieldsOf(added));
  const applied = { ...target, manager: to, operation: 'Apply', fieldsV1 };
  return entries
    .map((entry) => (entry === target ? applied : entry))
    .filter((entry) => !isBy(entry, from, 'Update', subresource));
}

function isBy(entry: Entry, manager: string, operation: string, subresource: string): boolean {
  return (
    entry.manager === manager &&
    entry.operation === operation &&
    (entry.subresource ?? '') === subresource
  );
}

function fieldsOf({ fieldsV1 }: Entry): FieldSet {
  return isFieldSet(fieldsV1) ? fieldsV1 : NO_FIELDS;
}

function entriesOf({ metadata }: KubernetesObject): readonly Entry[] {
  const { managedFields } = (metadata ?? {}) as { readonly managedFields?: unknown };
  if (!Array.isArray(managedFields)) return [];
  return managedFields.filter((one) => typeof one === 'object' && one !== null) as Entry[];
}
