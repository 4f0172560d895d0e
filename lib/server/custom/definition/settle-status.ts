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
  type DefinitionCondition,
} from './custom-resource-definition.ts';
import { NON_STRUCTURAL } from './structure-condition.ts';

/** The input of one step of the status. */
export interface SettleOptions extends NameRivals {
  /** RFC 3339. */
  readonly now: string;
  /** Checks the schemas of a definition, or has checked them before. */
  readonly structureOf: (definition: MutableObject) => DefinitionCondition | undefined;
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

function settleStructure(definition: MutableObject, { now, structureOf }: SettleOptions): void {
  const found = structureOf(definition);
  if (found !== undefined) setCondition(definition, found, now);
  else if (conditionOf(definition, NON_STRUCTURAL) !== undefined) {
    removeCondition(definition, NON_STRUCTURAL);
  }
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
