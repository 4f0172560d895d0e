import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../../kernel/options/options.ts';

/** Returns the error of a value as text, or undefined. */
type Rule = (value: unknown, option: string, owner: string) => string | undefined;

const is =
  (type: 'string' | 'boolean'): Rule =>
  (value) => {
    const article = type === 'string' ? 'a string' : 'true or false';
    return typeof value === type ? undefined : `must be ${article}, not ${shown(value)}`;
  };

const text = is('string');
const flag = is('boolean');

const oneOf =
  (choices: readonly string[]): Rule =>
  (value) => {
    const list = choices.map((choice) => `'${choice}'`).join(', ');
    return choices.includes(value as string)
      ? undefined
      : `must be one of ${list}, not ${shown(value)}`;
  };

const count: Rule = (value, option, owner) => {
  numberOption(owner, option, value as number, 0, { min: 0, integer: true });
  return undefined;
};

/** Checks the shape, not the class: a test environment may have its own AbortSignal class. */
const signal: Rule = (value) => {
  const { aborted, addEventListener } = isObject(value) ? (value as Record<string, unknown>) : {};
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
    ? undefined
    : `must be an AbortSignal, not ${shown(value)}`;
};

const object: Rule = (value) =>
  isObject(value) ? undefined : `must be an object, not ${shown(value)}`;

export type PatchType = 'merge' | 'json' | 'strategic';

const PATCH_TYPES: readonly PatchType[] = ['merge', 'json', 'strategic'];

const patchType: Rule = (value) =>
  PATCH_TYPES.includes(value as PatchType)
    ? undefined
    : `is ${shown(value)}, which this client does not send; send 'merge', 'json' or 'strategic', or call apply`;

const preconditions: Rule = (value, _, owner) => {
  if (!isObject(value)) return `must be an object, not ${shown(value)}`;
  checkCallOptions(`${owner}: preconditions`, value, ['uid', 'resourceVersion']);
  return undefined;
};

const writes: Rule = (value) => {
  const { written, deleted } = isObject(value) ? (value as Record<string, unknown>) : {};
  const observes = typeof written === 'function' && typeof deleted === 'function';
  return observes ? undefined : 'must have the methods written and deleted, as an informer has';
};

/** An option means the same in every call that takes it. */
const RULES = new Map<string, Rule>([
  ['namespace', text],
  ['signal', signal],
  ['resourceVersion', text],
  ['resourceVersionMatch', oneOf(['NotOlderThan', 'Exact'])],
  ['labelSelector', text],
  ['fieldSelector', text],
  ['shardSelector', text],
  ['limit', count],
  ['onExpired', oneOf(['fail', 'continue'])],
  ['continueToken', text],
  ['allowWatchBookmarks', flag],
  ['sendInitialEvents', flag],
  ['timeoutSeconds', count],
  ['timeoutMs', count],
  ['dryRun', flag],
  ['fieldManager', text],
  ['fieldValidation', oneOf(['Strict', 'Warn', 'Ignore'])],
  ['force', flag],
  ['current', object],
  ['ignoreNotFound', flag],
  ['type', patchType],
  ['subresource', text],
  ['uid', text],
  ['preconditions', preconditions],
  ['propagationPolicy', oneOf(['Orphan', 'Background', 'Foreground'])],
  ['gracePeriodSeconds', count],
  ['metadataOnly', flag],
  ['writes', writes],
]);

/**
 * Refuses options that do not exist, and values that a server would misread or ignore. For example, a write with `dryRun: 'All'`
 * would be carried out.
 * @throws {ListwatchError} code INVALID_OPTION naming the option and the rule.
 */
export function checkCallOptions(owner: string, options: object, known: readonly string[]): void {
  rejectUnknownOptions(owner, options, known);
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const problem = RULES.get(option)?.(value, option, owner);
    if (problem !== undefined) refuse(owner, `option "${option}" ${problem}`);
  }
}

/** @throws {ListwatchError} code INVALID_OPTION for a value that is not an object and cannot be sent. */
export function checkObject(owner: string, object: unknown): void {
  if (!isObject(object))
    refuse(
      owner,
      `it takes an object, not ${typeof object === 'string' ? 'a string' : shown(object)}`,
    );
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

/** A value in a message: never the content of an object, which may be a secret. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
