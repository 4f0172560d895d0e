import { fieldForbidden, fieldInvalid } from '../../../server/registry/rules/field-causes.ts';
import { textsAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { all, fields } from '../../../server/registry/validation/combine.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';
import { oneOf } from '../../../server/registry/validation/values.ts';
import { partCheck, podCheck } from '../report/pod-report.ts';
import { appArmorProfile, seccompProfile, unixId } from './security-profiles.ts';
import { windowsOptions } from './windows-options.ts';

const procMount: Check = all(
  oneOf(['Default', 'Unmasked']),
  podCheck((value, path, pod) => {
    if (!pod.hostUsers || value !== 'Unmasked') return;
    pod.add(fieldInvalid(path, value, '`hostUsers` must be false to use `Unmasked`'));
  }),
);

const escalation = partCheck((context, path, pod) => {
  if (context['allowPrivilegeEscalation'] !== false) return;
  const refuse = (what: string): void => {
    const rule = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
    pod.add(fieldInvalid(path, goForm('core.SecurityContext', context), rule));
  };
  if (context['privileged'] === true) refuse('`privileged` to true');
  for (const capability of textsAt(context, 'capabilities', 'add')) {
    if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
});

const privileged: Check = (value, path, report) => {
  if (value !== true || report.policy.allowPrivileged !== false) return;
  report.add(fieldForbidden(path, 'disallowed by cluster policy'));
};

/**
 * The security context of a container.
 * @see pkg/apis/core/validation/validation.go ValidateSecurityContext @ v1.36.3
 */
export const securityContext: Check = all(
  fields({ privileged }),
  fields({ runAsUser: unixId, runAsGroup: unixId, procMount, seccompProfile }),
  escalation,
  fields({ windowsOptions, appArmorProfile }),
);
