import { delimiter, join } from 'node:path';

export interface KubeconfigPaths {
  /** The files to read, the most important one first. */
  readonly paths: readonly string[];
  /** Where the paths come from, for messages. Undefined: it is the file of the home directory. */
  readonly variable: 'KUBECONFIG' | undefined;
}

/**
 * The kubeconfig files of an environment: those that KUBECONFIG lists, otherwise `~/.kube/config`. Empty and repeated entries are
 * left out. A KUBECONFIG of nothing but separators lists no file, and the home directory is not searched, as with kubectl.
 * @see client-go tools/clientcmd/loader.go NewDefaultClientConfigLoadingRules @ 32ce75a7
 */
export function kubeconfigPaths(
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): KubeconfigPaths {
  const listed = env['KUBECONFIG'] ?? '';
  if (listed === '') return { paths: [join(homeDir, '.kube', 'config')], variable: undefined };
  const paths = [...new Set(listed.split(delimiter))].filter((path) => path !== '');
  return { paths, variable: 'KUBECONFIG' };
}
