import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { shown } from '../../../kernel/options/option-rules.ts';

/** The media types of patches. */
export const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

export type PatchType = 'merge' | 'json' | 'strategic';

/** @throws {ListwatchError} code INVALID_OPTION for a value that is not an object and cannot be sent. */
export function checkObject(owner: string, object: unknown): void {
  if (!isObject(object)) refuse(owner, `it takes an object, not ${shown(object)}`);
}

/** @throws {ListwatchError} code INVALID_OPTION for an object that does not say its type. */
export function checkTyped<T extends object>(
  owner: string,
  object: T,
): T & { readonly apiVersion: string; readonly kind: string } {
  checkObject(owner, object);
  const own = (name: string): unknown =>
    Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
  if (typeof own('apiVersion') !== 'string' || typeof own('kind') !== 'string')
    refuse(owner, 'the object has no apiVersion or no kind');
  return object as T & { readonly apiVersion: string; readonly kind: string };
}

/**
 * The type of a patch.
 * @throws {ListwatchError} code INVALID_OPTION for a patch that is not of the requested type.
 */
export function patchTypeOf(patch: unknown, asked: PatchType | undefined): PatchType {
  const given = Array.isArray(patch) ? 'json' : 'merge';
  if (!Array.isArray(patch)) checkObject('patch', patch);
  if (asked === undefined || asked === given) return given;
  if (asked === 'strategic' && given === 'merge') return asked;
  const takes = asked === 'json' ? 'an array of operations' : 'an object with the fields to change';
  return refuse('patch', `a patch of type '${asked}' is ${takes}`);
}

/**
 * An applied object has to say its type, and the call who applies it.
 * @throws {ListwatchError} code INVALID_OPTION naming what is missing.
 */
export function checkApplied(
  part: unknown,
  fieldManager: unknown,
): asserts part is { readonly apiVersion: string; readonly kind: string } {
  checkObject('apply', part);
  const { apiVersion, kind, metadata } = part as Record<string, unknown>;
  if (typeof fieldManager !== 'string' || fieldManager === '') {
    refuse(
      'apply',
      'it needs a field manager: set option "fieldManager", of the call or the client',
    );
  }
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    refuse('apply', 'the object has no apiVersion or no kind; an applied object says both');
  }
  if (isObject(metadata) && Object.hasOwn(metadata, 'managedFields')) {
    refuse(
      'apply',
      'the object has metadata.managedFields, so it was read from a server; apply only the fields that you decide: see appliedBy',
    );
  }
}

/**
 * The field manager to which fields are migrated.
 * @throws {ListwatchError} code INVALID_OPTION naming what is missing.
 */
export function checkMigration(from: unknown, fieldManager: string | undefined): string {
  const owner = 'migrateToServerSideApply';
  if (!Array.isArray(from) || from.length === 0 || from.some((one) => typeof one !== 'string')) {
    refuse(owner, 'option "from" must be an array with the field managers of the writes so far');
  }
  if (fieldManager === undefined || fieldManager === '') {
    refuse(owner, 'it needs a field manager: set option "fieldManager", of the call or the client');
  }
  return fieldManager;
}

function refuse(owner: string, problem: string): never {
  throw new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
