/** The releases of which the tables have the facts, by their minor version. */
export const RELEASES = {
  35: 'v1.35.4',
  36: 'v1.36.3',
  37: 'v1.37.2',
} as const;

/** A minor version of Kubernetes 1 that the tables know. */
export type KubernetesMinor = keyof typeof RELEASES;

/** The newest released one: what a server serves unless it is given a version. */
export const NEWEST_MINOR: KubernetesMinor = 37;

/** A minor version by its name: `1.36`. */
export type KubernetesVersion = `1.${KubernetesMinor}`;

export const KUBERNETES_VERSIONS: readonly KubernetesVersion[] = Object.keys(RELEASES).map(
  (minor) => `1.${minor}` as KubernetesVersion,
);

/** @defaultValue the newest one */
export function minorOf(version: KubernetesVersion = `1.${NEWEST_MINOR}`): KubernetesMinor {
  return Number(version.slice('1.'.length)) as KubernetesMinor;
}

const MARK = /^\[(\d*)\.\.(\d*)\](.*\n?)/gm;

/**
 * The lines of a table as one minor version has them. A line that not all versions have begins with the first and the last that have it:
 * `[..36]` until 1.36, `[37..]` since 1.37, `[36..36]` in 1.36 alone.
 */
export function textOfMinor(text: string, minor: number): string {
  return text.replaceAll(MARK, (_, from: string, to: string, line: string) =>
    Number(from) <= minor && (to === '' || minor <= Number(to)) ? line : '',
  );
}
