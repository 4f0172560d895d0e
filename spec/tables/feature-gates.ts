import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEWEST_MINOR, RELEASES } from '../../lib/meta/releases/kubernetes-releases.ts';

/** The files that declare the gates, in a Go module cache. */
function filesOf(release: string): string[] {
  return [
    `k8s.io/kubernetes@${release}/pkg/features/kube_features.go`,
    `k8s.io/apiserver@${release.replace(/^v1/, 'v0')}/pkg/features/kube_features.go`,
  ];
}

/** Gates whose fields the rules of their kinds remove: they stay in an object that has them already. */
const WITH_RULES: ReadonlySet<string> = new Set([
  'ClusterTrustBundleProjection',
  'ContainerStopSignals',
  'CoordinatedLeaderElection',
  'CrossNamespaceVolumeDataSource',
  'GenericWorkload',
  'MaxUnavailableStatefulSet',
  'PodCertificateRequest',
]);

interface Stage {
  readonly since: number;
  readonly isOn: boolean;
}

/** The feature gates of Kubernetes with their defaults by minor version: the newest release has the history of each. */
export class FeatureGates {
  readonly #stages = new Map<string, readonly Stage[]>();

  constructor(modules: string, release: string = RELEASES[NEWEST_MINOR]) {
    for (const file of filesOf(release)) {
      const text = readFileSync(join(modules, file), 'utf8');
      for (const [, name = '', body = ''] of text.matchAll(
        /^\t(?:\w+\.)?(\w+): \{\n([\s\S]*?)^\t\},/gm,
      )) {
        const stages = [...body.matchAll(/MustParse\("1\.(\d+)"\), Default: (true|false)/g)].map(
          ([, since, isOn]) => ({ since: Number(since), isOn: isOn === 'true' }),
        );
        if (stages.length > 0) this.#stages.set(name, stages);
      }
    }
  }

  names(): string[] {
    return [...this.#stages.keys()].toSorted();
  }

  /** The default of a gate; undefined before it came, and for one that is gone. */
  isOn(gate: string, minor: number): boolean | undefined {
    return this.#stages.get(gate)?.findLast(({ since }) => since <= minor)?.isOn;
  }

  /** Whether the field of a gate is removed from what clients send. A gate without a history is gone: its feature is on. */
  removes(gate: string, minor: number): boolean {
    const stages = this.#stages.get(gate);
    if (stages === undefined || WITH_RULES.has(gate)) return false;
    return stages.findLast(({ since }) => since <= minor)?.isOn !== true;
  }
}
