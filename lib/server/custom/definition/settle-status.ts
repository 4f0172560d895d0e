import { jsonEqual, recordAt, textAt } from '../../../meta/json-value.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';
import { acceptNames, hasWantedNames, type NameRivals } from './accepted-names.ts';
import { approvalOf } from './api-approval.ts';
import { bundleProblem } from './conversion-rules.ts';
import {
  conditionOf,
  hasCondition,
  removeCondition,
  setCondition,
  versionsOf,
} from './custom-resource-definition.ts';
import { structuralCauses, unsupportedMember } from './structure/structural-rules.ts';

/** The input of one step of the status. */
export interface SettleOptions extends NameRivals {
  /** RFC 3339. */
  readonly now: string;
}

type Step = (definition: MutableObject, options: SettleOptions) => void;

/**
 * Does the next thing that the status of a definition needs, as the controllers of an API server do one after the other: accept
 * names, check the approval and the structure, establish. Changes the definition; each step is one write.
 * @returns false when nothing is left to do
 */
export function settleStatus(definition: MutableObject, options: SettleOptions): boolean {
  const before = definition['status'];
  for (const step of STEPS) {
    step(definition, options);
    if (!jsonEqual(before, definition['status'])) return true;
  }
  return false;
}

const STEPS: readonly Step[] = [settleNames, settleApproval, settleStructure, establish];

/** @see apiextensions-apiserver pkg/controller/status/naming_controller.go @ v0.36.3 */
function settleNames(definition: MutableObject, options: SettleOptions): void {
  if (hasWantedNames(definition) && conditionOf(definition, 'NamesAccepted') !== undefined) return;
  const { names, conflict } = acceptNames(definition, options);
  const accepted = conflict === undefined;
  const condition = {
    type: 'NamesAccepted',
    status: accepted ? 'True' : 'False',
    reason: conflict?.reason ?? 'NoConflicts',
    message: conflict?.message ?? 'no conflicts found',
  } as const;
  definition['status'] = { ...recordAt(definition, 'status'), acceptedNames: names };
  setCondition(definition, condition, options.now);
  const established = conditionOf(definition, 'Established');
  if (established?.['status'] === 'True' || (established !== undefined && !accepted)) return;
  const waiting = {
    type: 'Established',
    status: 'False',
    reason: accepted ? 'Installing' : 'NotAccepted',
    message: accepted ? 'the initial names have been accepted' : 'not all names are accepted',
  } as const;
  setCondition(definition, waiting, options.now);
}

const APPROVALS = {
  Invalid: ['False', 'InvalidAnnotation'],
  Missing: ['False', 'MissingAnnotation'],
  Approved: ['True', 'ApprovedAnnotation'],
  Unapproved: ['False', 'UnapprovedAnnotation'],
} as const;

/** @see apiextensions-apiserver pkg/controller/apiapproval/apiapproval_controller.go @ v0.36.3 */
function settleApproval(definition: MutableObject, { now }: SettleOptions): void {
  const found = approvalOf(definition);
  if (found === undefined) return;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const [status, reason] = APPROVALS[found.state];
  setCondition(definition, { type, status, reason, message: found.reason }, now);
}

/** @see apiextensions-apiserver pkg/controller/nonstructuralschema/nonstructuralschema_controller.go @ v0.36.3 */
function settleStructure(definition: MutableObject, { now }: SettleOptions): void {
  const type = 'NonStructuralSchema';
  const problems: string[] = [];
  if (recordAt(definition, 'spec')?.['preserveUnknownFields'] === true) {
    problems.push('spec.preserveUnknownFields: Invalid value: true: must be false');
  }
  for (const [index, version] of versionsOf(definition).entries()) {
    const schema = recordAt(version, 'schema', 'openAPIV3Schema');
    if (schema === undefined) continue;
    const unsupported = unsupportedMember(schema);
    if (unsupported !== undefined) {
      const reason = 'StructuralError';
      const message = `failed to check validation schema for version ${textAt(version, 'name')}: ${unsupported}`;
      setCondition(definition, { type, status: 'Unknown', reason, message }, now);
      return;
    }
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    for (const { field, message } of structuralCauses(schema, path)) {
      problems.push(`${field}: ${message}`);
    }
  }
  if (problems.length === 0) {
    if (conditionOf(definition, type) !== undefined) removeCondition(definition, type);
    return;
  }
  const message = problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`;
  setCondition(definition, { type, status: 'True', reason: 'Violations', message }, now);
}

/** @see apiextensions-apiserver pkg/controller/establish/establishing_controller.go @ v0.36.3 */
function establish(definition: MutableObject, { now }: SettleOptions): void {
  if (!hasCondition(definition, 'NamesAccepted') || hasCondition(definition, 'Established')) return;
  const bundle = textAt(definition, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle');
  const isWrong = bundleProblem(bundle) !== undefined;
  const condition = {
    type: 'Established',
    status: isWrong ? 'False' : 'True',
    reason: isWrong ? 'InvalidCABundle' : 'InitialNamesAccepted',
    message: isWrong
      ? 'The conversion webhook CABundle is invalid'
      : 'the initial names have been accepted',
  } as const;
  setCondition(definition, condition, now);
}
