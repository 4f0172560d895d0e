import { recordAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import { goQuote } from '../../../server/registry/rules/go-text.ts';
import {
  APP_ARMOR,
  LOCALHOST,
  SECCOMP_CONTAINER,
  SECCOMP_POD,
} from '../../pods/report/profile-annotations.ts';
import {
  containersText,
  containersThat,
  counted,
  joinQuoted,
  securityContextOf,
  settersText,
  sortedOnce,
  type PodCheck,
  type SecuredPod,
  type Violation,
} from './secured-pod.ts';

// Profiles of the security modules of a node: AppArmor and seccomp.

const ALLOWED_TYPES: readonly unknown[] = ['RuntimeDefault', 'Localhost'];
const SECCOMP_ANNOTATIONS: readonly unknown[] = ['runtime/default', 'docker/default'];

/** The use of one kind of profile in a pod. */
interface Profiles {
  /** Undefined when the pod as a whole names none. */
  readonly pod: JsonRecord | undefined;
  readonly isPodWrong: boolean;
  /** The containers whose profiles are forbidden. */
  readonly wrong: readonly string[];
  /** The forbidden types. */
  readonly types: readonly string[];
}

function profilesOf(pod: SecuredPod, field: string): Profiles {
  const profileOf = (holder: JsonRecord): JsonRecord | undefined =>
    recordAt(securityContextOf(holder), field);
  const isWrong = (holder: JsonRecord): boolean => {
    const profile = profileOf(holder);
    return profile !== undefined && !ALLOWED_TYPES.includes(profile['type']);
  };
  const holders = [pod.spec, ...pod.containers].filter(isWrong);
  return {
    pod: profileOf(pod.spec),
    isPodWrong: isWrong(pod.spec),
    wrong: containersThat(pod, isWrong),
    types: sortedOnce(holders.map((one) => textAt(profileOf(one), 'type'))),
  };
}

/** @see pod-security-admission policy/check_appArmorProfile.go @ v0.37.2 */
export const appArmor: PodCheck = (pod) => {
  const { isPodWrong, wrong, types } = profilesOf(pod, 'appArmorProfile');
  const annotations = annotationTexts(
    pod,
    (name) => name.startsWith(APP_ARMOR),
    (value) => value === '' || value === 'runtime/default' || value.startsWith(LOCALHOST),
  );
  const values = [...types, ...annotations];
  const setters = [settersText(isPodWrong, wrong)].filter((text) => text !== '');
  if (annotations.length > 0) setters.push(counted('annotation', annotations));
  if (setters.length === 0) return undefined;
  return {
    reason: counted('forbidden AppArmor profile', values),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${joinQuoted(values)}`,
  };
};

/** Before 1.19 profiles were annotations. @see pod-security-admission policy/check_seccompProfile_baseline.go @ v0.37.2 */
export const seccompAnnotations: PodCheck = (pod) => {
  const names = containersThat(pod, () => true).map((name) => `${SECCOMP_CONTAINER}${name}`);
  const forbidden = annotationTexts(
    pod,
    (name) => name === SECCOMP_POD || names.includes(name),
    (value) => SECCOMP_ANNOTATIONS.includes(value) || value.startsWith(LOCALHOST),
  );
  if (forbidden.length === 0) return undefined;
  const detail = `forbidden ${counted('annotation', forbidden)} ${forbidden.join(', ')}`;
  return { reason: 'seccompProfile', detail };
};

export const seccompTypes: PodCheck = (pod) => wrongSeccomp(profilesOf(pod, 'seccompProfile'));

/** @see pod-security-admission policy/check_seccompProfile_restricted.go @ v0.37.2 */
export const seccompRequired: PodCheck = (pod) => {
  const profiles = profilesOf(pod, 'seccompProfile');
  const wrong = wrongSeccomp(profiles);
  if (wrong !== undefined || profiles.pod !== undefined) return wrong;
  const missing = containersThat(
    pod,
    (one) => recordAt(one, 'securityContext', 'seccompProfile') === undefined,
  );
  if (missing.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${containersText(missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

function wrongSeccomp({ isPodWrong, wrong, types }: Profiles): Violation | undefined {
  const setters = settersText(isPodWrong, wrong);
  if (setters === '') return undefined;
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${joinQuoted(types)}`,
  };
}

/** The annotations with forbidden values, as `name="value"`. */
function annotationTexts(
  { annotations }: SecuredPod,
  concerns: (name: string) => boolean,
  isAllowed: (value: string) => boolean,
): string[] {
  const texts = Object.entries(annotations).flatMap(([name, value]) => {
    if (!concerns(name) || typeof value !== 'string' || isAllowed(value)) return [];
    return [`${name}=${goQuote(value)}`];
  });
  return sortedOnce(texts);
}
