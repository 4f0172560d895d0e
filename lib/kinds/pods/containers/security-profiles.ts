import { isRecord, textAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';
import { between, format } from '../../../server/registry/validation/values.ts';
import { descendingPath } from '../volumes/local-path.ts';

/** The number of a user or a group. */
export const unixId: Check = between(0, 2 ** 31 - 1);

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const localProfile = format(descendingPath);

/** @see pkg/apis/core/validation/validation.go validateSeccompProfileField @ v1.36.3 */
export const seccompProfile: Check = (profile, path, report) => {
  if (!isRecord(profile)) return;
  const type = textAt(profile, 'type');
  const { localhostProfile: local } = profile;
  const at = `${path}.localhostProfile`;
  if (type === '') {
    report.required(`${path}.type`, 'type is required when seccompProfile is set');
  } else if (!PROFILE_TYPES.includes(type)) {
    report.notSupported(`${path}.type`, type, PROFILE_TYPES);
  }
  if (type !== 'Localhost') {
    const rule = 'can only be set when seccomp type is Localhost';
    if (local !== undefined) report.invalid(at, goForm('core.SeccompProfile', profile), rule);
  } else if (local === undefined) {
    report.required(at, 'must be set when seccomp type is Localhost');
  } else localProfile(local, at, report);
};

const LONGEST_PROFILE = 4095;
const NEEDS_PROFILE = 'must be set when AppArmor type is Localhost';

/** @see pkg/apis/core/validation/validation.go ValidateAppArmorProfileField @ v1.36.3 */
export const appArmorProfile: Check = (profile, path, report) => {
  if (!isRecord(profile)) return;
  const type = textAt(profile, 'type');
  const { localhostProfile: local } = profile;
  const at = `${path}.localhostProfile`;
  if (type === '') {
    report.required(`${path}.type`, 'type is required when appArmorProfile is set');
  } else if (!PROFILE_TYPES.includes(type)) {
    report.notSupported(`${path}.type`, type, PROFILE_TYPES);
  } else if (type !== 'Localhost') {
    const rule = 'can only be set when AppArmor type is Localhost';
    if (local !== undefined) report.invalid(at, local, rule);
  } else if (typeof local !== 'string' || local === '') {
    report.required(at, NEEDS_PROFILE);
  } else {
    if (local.trim() !== local) report.invalid(at, local, 'must not be padded with whitespace');
    if (local.length > LONGEST_PROFILE) report.tooLong(at, LONGEST_PROFILE, 'bytes');
  }
};
