import { RELEASES, type KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';

/**
 * The response to `/version`: the implemented release of the Kubernetes API, with this implementation as build metadata.
 * Clients compare major and minor only.
 */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** The answer of `/version`. */
export function serverVersion(minor: KubernetesMinor): ServerVersion {
  return {
    major: '1',
    minor: minor.toString(),
    emulationMajor: '1',
    emulationMinor: minor.toString(),
    minCompatibilityMajor: '1',
    minCompatibilityMinor: (minor - 1).toString(),
    gitVersion: `${RELEASES[minor]}+listwatch`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: '',
  };
}
