import type { StatusCause } from './status.ts';

/** The reason of a cause that names a field of another manager. */
export const FIELD_MANAGER_CONFLICT = 'FieldManagerConflict';

/** A field that another manager has, with another value than the one that is applied. */
export interface ApplyConflict {
  /** E.g. `kubectl-client-side-apply`. */
  readonly manager: string;
  /** E.g. `.spec.replicas`. */
  readonly field: string;
  /** The version in which the other manager wrote the field, if it wrote by an update. */
  readonly apiVersion?: string | undefined;
  /** The subresource through which it wrote, such as `status`. */
  readonly subresource?: string | undefined;
}

const CONFLICT =
  /^conflict with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?(?: using (\S+))?/;

/**
 * The conflict that a cause of an apply's 409 describes; undefined for another cause.
 * @see apimachinery pkg/util/managedfields/internal/conflict.go @ v0.36.3
 */
export function applyConflictOf({
  reason,
  message = '',
  field = '',
}: StatusCause): ApplyConflict | undefined {
  if (reason !== FIELD_MANAGER_CONFLICT) return undefined;
  const [, manager = '', subresource, apiVersion] = CONFLICT.exec(message) ?? [];
  return { manager: manager.replaceAll(/\\(.)/g, '$1'), field, apiVersion, subresource };
}
