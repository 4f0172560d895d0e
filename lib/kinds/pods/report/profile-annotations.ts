// Annotations from times when profiles of the node's security modules were no fields.

export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
/** Before the name of a container. */
export const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
/** Before the name of a container. */
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
export const LOCALHOST = 'localhost/';

export interface AppArmorProfile {
  readonly type: string;
  readonly localhostProfile?: string;
}

/** The field that an annotation about AppArmor stands for; undefined when there is none. @see pkg/api/pod/util.go ApparmorFieldForAnnotation @ v1.36.3 */
export function appArmorOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST)) return undefined;
  const localhostProfile = annotation.slice(LOCALHOST.length);
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}
