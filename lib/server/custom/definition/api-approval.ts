import type { FieldCause } from '../../../meta/failure/failures.ts';
import { fieldInvalid, fieldRequired } from '../../registry/rules/field-causes.ts';
import { textAt } from '../../../meta/json-value.ts';
import { isRequestUri } from '../schema/uri-format.ts';

const APPROVAL = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const FIELD = `metadata.annotations[${APPROVAL}]`;

export interface ApprovalState {
  readonly state: 'Invalid' | 'Missing' | 'Approved' | 'Unapproved';
  readonly reason: string;
}

/**
 * The approval of an API in a group of Kubernetes, from the annotation; undefined for other groups.
 * @see apiextensions-apiserver pkg/apihelpers/helpers.go @ v0.36.3
 */
export function approvalOf(definition: unknown): ApprovalState | undefined {
  const group = textAt(definition, 'spec', 'group');
  if (!/^(?:.*\.)?(?:k8s|kubernetes)\.io$/.test(group)) return undefined;
  const value = textAt(definition, 'metadata', 'annotations', APPROVAL);
  const rule = `protected groups must have approval annotation "${APPROVAL}"`;
  if (value === '') return { state: 'Missing', reason: `${rule}, ${SEE}` };
  if (value.startsWith('unapproved')) {
    return { state: 'Unapproved', reason: `not approved: ${JSON.stringify(value)}` };
  }
  if (isRequestUri(value) && /^[^:/]+:\/\/[^/]/.test(value)) {
    return { state: 'Approved', reason: `approved in ${value}` };
  }
  const either = 'with either a URL or a reason starting with "unapproved"';
  return { state: 'Invalid', reason: `${rule} ${either}, ${SEE}` };
}

/** A definition whose approval did not change is not refused. */
export function approvalCauses(definition: unknown, existing: unknown): FieldCause[] {
  const found = approvalOf(definition);
  if (found === undefined) return [];
  const { state, reason } = found;
  if (existing !== undefined && approvalOf(existing)?.state === state) return [];
  if (state === 'Missing') return [fieldRequired(FIELD, reason)];
  if (state !== 'Invalid') return [];
  const value = textAt(definition, 'metadata', 'annotations', APPROVAL);
  return [fieldInvalid(FIELD, value, reason)];
}
