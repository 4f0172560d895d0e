import {
  RELEASES,
  textOfMinor,
  type KubernetesMinor,
} from '../../lib/meta/releases/kubernetes-releases.ts';
import { versionedLines } from './versioned-lines.ts';

/** All minor versions that the tables know, the oldest first. */
export const MINORS: readonly KubernetesMinor[] = Object.keys(RELEASES).map(
  (minor) => Number(minor) as KubernetesMinor,
);

/** The names of all releases, for the head of a generated file. */
export const ALL_RELEASES: string = Object.values(RELEASES).join(', ');

/** `v0.37.2`, the version of the modules of Kubernetes v1.37.2. */
export function moduleVersion(minor: KubernetesMinor): string {
  return RELEASES[minor].replace(/^v1/, 'v0');
}

/** @throws {Error} for a server of a version that the tables do not have. */
export function minorOf(serverVersion: string): KubernetesMinor {
  const minor = MINORS.find((one) => RELEASES[one] === serverVersion);
  if (minor !== undefined) return minor;
  throw new Error(
    `the server is ${serverVersion}, the tables have ${ALL_RELEASES}: see lib/meta/releases/kubernetes-releases.ts`,
  );
}

/** A table in which the lines of one minor version are those that were recorded. */
export function withRecorded(
  text: string,
  recorded: KubernetesMinor,
  lines: readonly string[],
): string[] {
  return versionedLines(
    MINORS.map((minor) => [minor, minor === recorded ? lines : linesOfMinor(text, minor)]),
  );
}

export function linesOfMinor(text: string, minor: KubernetesMinor): string[] {
  return textOfMinor(text, minor)
    .split('\n')
    .filter((line) => line !== '');
}
