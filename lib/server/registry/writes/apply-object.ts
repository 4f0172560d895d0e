import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import { fieldProblems } from '../../../meta/fields/check-fields.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { applyConfiguration } from '../managed-fields/field-manager.ts';
import { fieldRulesOf } from '../managed-fields/field-rules.ts';
import type { ApplyOptions, RequestContext } from '../contract/rest-storage.ts';
import type { StoreParts } from './store-parts.ts';
import { fieldWriteOf, type TrackedParts } from './track-fields.ts';

/**
 * The object after a server-side apply. `existing` is undefined when there is none.
 * @throws {ApiError} 400 for a configuration that does not fit the schema, 409 for fields of other managers.
 */
export function applyObject(
  parts: StoreParts,
  context: RequestContext,
  existing: UnstructuredObject | undefined,
  configuration: UnstructuredObject,
  options: ApplyOptions,
): UnstructuredObject {
  const live = existing ?? newObject(parts, context);
  return appliedTo(parts, context, live, configuration, options);
}

/** The live object, which may be a `Scale`, after a server-side apply. @throws {ApiError} as `applyObject`. */
export function appliedTo(
  parts: TrackedParts,
  context: RequestContext,
  live: UnstructuredObject,
  configuration: UnstructuredObject,
  options: ApplyOptions,
): UnstructuredObject {
  const { schema, empty } = fieldRulesOf(parts.kind);
  const problems = fieldProblems(schema, configuration);
  if (problems.length > 0) throw unfit(parts, configuration, problems);
  try {
    return applyConfiguration(configuration, {
      ...fieldWriteOf(parts, context, options),
      force: options.force ?? false,
      live,
      empty,
    });
  } catch (error) {
    if (!isListwatchError(error, 'FIELD_SCHEMA')) throw error;
    throw unfit(parts, configuration, [error.message]);
  }
}

function newObject(
  { kind: { describe }, apiVersion }: StoreParts,
  { namespace }: RequestContext,
): UnstructuredObject {
  // A new object has the name of its configuration only, so that one without a name is refused.
  const metadata = describe.namespaced ? { namespace } : {};
  return { apiVersion, kind: describe.kind, metadata };
}

/** The real API server answers 500 without a reason. */
function unfit(
  { kind: { describe } }: Pick<StoreParts, 'kind'>,
  { metadata }: UnstructuredObject,
  problems: readonly string[],
): Error {
  const { group, version, kind } = describe;
  const what = `${goText(metadata?.namespace)}/${goText(metadata?.name)}; ${group}/${version}, Kind=${kind}`;
  const text =
    problems.length === 1
      ? problems[0]
      : `errors:\n${problems.map((one) => `  ${one}`).join('\n')}`;
  return plainFailure(`failed to create typed patch object (${what}): ${text}`);
}

/** Go reads what is no text as an empty one. */
function goText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The real API server gives no reason. */
export function plainFailure(message: string): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code: 500,
  });
}
