import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import { forEachField, type FieldSet } from '../../../meta/fields/field-set.ts';
import { pathText } from '../../../meta/fields/list-elements.ts';
import type { ManagedEntry } from './managed-entry.ts';

/** Fields of another manager that an apply would change. */
export interface FieldConflict {
  readonly entry: ManagedEntry;
  readonly fields: FieldSet;
}

/** The 409 of an apply that would take fields from other managers: a cause for each field. */
export function applyConflict(conflicts: readonly FieldConflict[]): ApiError {
  const found = conflicts.flatMap(({ entry, fields }) => {
    const paths: string[] = [];
    forEachField(fields, (path) => paths.push(pathText(path)));
    return paths.map((path) => ({ entry, manager: managerText(entry), path }));
  });
  const causes = found.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field: path,
  }));
  return failure('Conflict', conflictMessage(found), { details: { causes } });
}

interface Found {
  readonly entry: ManagedEntry;
  readonly manager: string;
  readonly path: string;
}

/** As JSON, by which kube-apiserver sorts managers. */
function identityOf({ entry }: Found): string {
  const { manager, operation, apiVersion, subresource } = entry;
  return JSON.stringify({
    manager,
    operation,
    apiVersion: operation === 'Apply' ? undefined : apiVersion,
    subresource: subresource === '' ? undefined : subresource,
  });
}

function conflictMessage(found: readonly Found[]): string {
  const [first] = found;
  if (found.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.path}`;
  }
  const byManager = new Map<string, Found[]>();
  for (const one of found) {
    const identity = identityOf(one);
    byManager.set(identity, [...(byManager.get(identity) ?? []), one]);
  }
  const lines = [...byManager]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, ofManager]) => [
      `conflicts with ${ofManager[0]?.manager}:`,
      ...ofManager.map(({ path }) => `- ${path}`),
    ]);
  return `Apply failed with ${found.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  const name = JSON.stringify(manager);
  const place =
    subresource === '' ? name : `${name} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${place} using ${apiVersion}` : place;
}
