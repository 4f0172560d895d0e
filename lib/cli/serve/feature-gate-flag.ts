import { FEATURE_GATES, type FeatureGates } from '../../server/api/feature-gates.ts';
import { UsageError } from '../arguments/usage-error.ts';

/** The options of a server that feature gates stand for. */
export interface SwitchedGates {
  /** Undefined for the default of the version. */
  readonly unsafeObjectDeletion: boolean | undefined;
  readonly featureGates: FeatureGates;
}

const UNSAFE_DELETION = 'AllowUnsafeMalformedObjectDeletion';

/** The gates that can be switched on. */
export const GATE_NAMES: readonly string[] = [UNSAFE_DELETION, ...FEATURE_GATES.names];

/**
 * Reads pairs such as `ManagedFieldsOptOut=true`; a later one counts. Otherwise each gate is as in kube-apiserver.
 * @param others `refuse` gates that cannot be switched, or `ignore` them
 * @throws {UsageError} for another value than true and false; for a gate that is refused.
 */
export function switchedGates(
  pairs: readonly string[],
  others: 'refuse' | 'ignore',
): SwitchedGates {
  const values = new Map<string, boolean>();
  for (const pair of pairs.filter((text) => text !== '')) {
    const [gate = '', value = ''] = pair.split('=', 2);
    if (GATE_NAMES.includes(gate)) values.set(gate, flagOf(gate, value));
    else if (others === 'refuse') {
      throw new UsageError(`--feature-gates: the gates are ${GATE_NAMES.join(', ')}, not ${gate}`);
    }
  }
  const { [UNSAFE_DELETION]: unsafeObjectDeletion, ...featureGates } = Object.fromEntries(values);
  return { unsafeObjectDeletion, featureGates };
}

function flagOf(gate: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new UsageError(
    `--feature-gates: ${gate} must be true or false, not ${JSON.stringify(value)}`,
  );
}
