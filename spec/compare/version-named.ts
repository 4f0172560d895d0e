import {
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
} from '../../lib/meta/releases/kubernetes-releases.ts';

/** The version that an option names. @throws {Error} for a version that the server does not have. */
export function versionNamed(text: string | undefined): KubernetesVersion | undefined {
  const version = KUBERNETES_VERSIONS.find((one) => one === text);
  if (version === undefined && text !== undefined) {
    throw new Error(`--version is one of ${KUBERNETES_VERSIONS.join(', ')}`);
  }
  return version;
}
