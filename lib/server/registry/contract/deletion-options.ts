import type { FieldCause } from '../../../meta/failure/failures.ts';
import type { DeleteRequest } from './rest-storage.ts';
import { fieldInvalid, fieldNotSupported } from '../rules/field-causes.ts';

export type PropagationPolicy = NonNullable<DeleteRequest['propagationPolicy']>;

const POLICIES: readonly PropagationPolicy[] = ['Foreground', 'Background', 'Orphan'];
const TWO_POLICIES = 'orphanDependents and deletionPropagation cannot be both set';

/** Options of a deletion as they came. */
export interface DeletionOptions {
  readonly propagationPolicy: string | undefined;
  /** The predecessor of the policy. */
  readonly orphanDependents: boolean | undefined;
  readonly dryRun: readonly string[];
}

/** The values of `dryRun`: none, or `All`. */
export function dryRunCauses(values: readonly string[]): FieldCause[] {
  const fits = values.every((value) => value === 'All');
  return fits ? [] : [fieldNotSupported('dryRun', values, ['All'])];
}

/** @see apimachinery pkg/apis/meta/v1/validation ValidateDeleteOptions @ v0.37.2 */
export function deletionCauses(options: DeletionOptions): FieldCause[] {
  const { propagationPolicy, orphanDependents, dryRun } = options;
  const causes: FieldCause[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    causes.push(fieldInvalid('propagationPolicy', propagationPolicy, TWO_POLICIES));
  }
  if (propagationPolicy !== undefined && !isPolicy(propagationPolicy)) {
    causes.push(fieldNotSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  return [...causes, ...dryRunCauses(dryRun)];
}

/** The policy that options without causes ask for. */
export function policyOf({
  propagationPolicy,
  orphanDependents,
}: DeletionOptions): PropagationPolicy | undefined {
  if (propagationPolicy !== undefined) return propagationPolicy as PropagationPolicy;
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

function isPolicy(text: string): boolean {
  return (POLICIES as readonly string[]).includes(text);
}
