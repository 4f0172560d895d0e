import { isSince, type KubernetesFeature } from '../../../meta/releases/kubernetes-features.ts';
import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldImmutable,
  fieldInternalError,
  fieldInvalid,
  fieldInvalidHere,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
} from '../rules/field-causes.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import type { WritePolicy } from '../rules/write-policy.ts';

/**
 * A rule for the value at a path. It adds a cause to the report for each fault, in the order in which an API server names them, and
 * throws nothing.
 *
 * Values come from a body that was read by the types of its kind, so that their JSON types are right; they may be absent. An absent
 * value passes each rule but `required`. `old` is the value at the same place of the stored object, at an update.
 */
export type Check = (value: unknown, path: string, report: Report, old?: unknown) => void;

/** The causes found so far, and what rules need to know of the whole write. */
export class Report {
  readonly causes: FieldCause[] = [];
  readonly object: JsonRecord;
  /** The stored object, at an update. */
  readonly existing: JsonRecord | undefined;
  readonly policy: WritePolicy;

  constructor(object: JsonRecord, existing?: JsonRecord, policy: WritePolicy = {}) {
    this.object = object;
    this.existing = existing;
    this.policy = policy;
  }

  /** Whether the server has a rule that not all versions have. */
  isSince(feature: KubernetesFeature): boolean {
    return isSince(this.policy.minor, feature);
  }

  get isUpdate(): boolean {
    return this.existing !== undefined;
  }

  add(cause: FieldCause): void {
    this.causes.push(cause);
  }

  // One method for each cause of `field-causes.ts`.

  required(path: string, detail?: string): void {
    this.add(fieldRequired(path, detail));
  }

  invalid(path: string, value: unknown, detail: string): void {
    this.add(fieldInvalid(path, value, detail));
  }

  invalidHere(path: string, detail: string): void {
    this.add(fieldInvalidHere(path, detail));
  }

  notSupported(path: string, value: unknown, supported: readonly unknown[]): void {
    this.add(fieldNotSupported(path, value, supported));
  }

  forbidden(path: string, detail: string): void {
    this.add(fieldForbidden(path, detail));
  }

  internalError(path: string, detail: string): void {
    this.add(fieldInternalError(path, detail));
  }

  duplicate(path: string, value: unknown): void {
    this.add(fieldDuplicate(path, value));
  }

  tooLong(path: string, limit: number, unit: string): void {
    this.add(fieldTooLong(path, limit, unit));
  }

  tooMany(path: string, count: number, limit: number): void {
    this.add(fieldTooMany(path, count, limit));
  }

  immutable(path: string, value: unknown): void {
    this.add(fieldImmutable(path, value));
  }

  notFound(path: string, value: unknown): void {
    this.add(fieldNotFound(path, value));
  }
}

/** The faults of an object; of its update when there is a stored one. */
export function causesOf(
  check: Check,
  object: JsonRecord,
  existing?: JsonRecord,
  policy?: WritePolicy,
): FieldCause[] {
  const report = new Report(object, existing, policy);
  check(object, '', report, existing);
  return report.causes;
}

/** The validation of a strategy by checks, which see at an update the stored object as well. */
export function checkedBy(check: Check): {
  validate(this: void, object: JsonRecord, policy?: WritePolicy): FieldCause[];
  validateUpdate(
    this: void,
    object: JsonRecord,
    existing: JsonRecord,
    policy?: WritePolicy,
  ): FieldCause[];
} {
  return {
    validate: (object, policy) => causesOf(check, object, undefined, policy),
    validateUpdate: (object, existing, policy) => causesOf(check, object, existing, policy),
  };
}
