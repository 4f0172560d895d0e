import { jsonEqual, recordAt, textAt, valueAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { Report } from '../../server/registry/validation/check.ts';
import { appArmorProfile } from './containers/security-profiles.ts';
import { visitContainers } from './report/pod-report.ts';
import { APP_ARMOR, appArmorOf } from './report/profile-annotations.ts';
import { appArmorWarning } from './warnings/spec-warnings.ts';

function isRight(profile: unknown): boolean {
  const report = new Report({});
  appArmorProfile(profile, '', report);
  return report.causes.length === 0;
}

/**
 * Takes the AppArmor profiles in annotations of a new pod over to its containers.
 * @returns the warnings about these annotations
 * @see pkg/registry/core/pod/strategy.go applyAppArmorVersionSkew @ v1.36.3
 */
export function applyAppArmorAnnotations(pod: MutableObject): readonly string[] {
  const spec = recordAt(pod, 'spec');
  const { annotations } = pod.metadata;
  if (spec === undefined || annotations === undefined) return [];
  if (valueAt(spec, 'os', 'name') === 'windows') return [];
  const whole = valueAt(spec, 'securityContext', 'appArmorProfile');
  const warnings: string[] = [];
  visitContainers(spec, 'spec', (container) => {
    const key = APP_ARMOR + textAt(container, 'name');
    const annotation = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    const context = recordAt(container, 'securityContext');
    if (annotation === undefined || context?.['appArmorProfile'] !== undefined) return;
    const found = appArmorOf(annotation);
    const profile = found !== undefined && isRight(found) ? found : undefined;
    if (profile !== undefined && jsonEqual(profile, whole)) return;
    if (profile !== undefined) {
      container['securityContext'] = { ...context, appArmorProfile: profile };
    }
    warnings.push(appArmorWarning(`metadata.annotations[${key}]`));
  });
  return warnings;
}
