import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEWEST_MINOR, RELEASES } from '../../lib/meta/releases/kubernetes-releases.ts';
import { moduleVersion } from './recorded-minor.ts';

/** The files that declare the gates, in a Go module cache. */
const FILES = [
  `k8s.io/kubernetes@${RELEASES[NEWEST_MINOR]}/pkg/features/kube_features.go`,
  `k8s.io/apiserver@${moduleVersion(NEWEST_MINOR)}/pkg/features/kube_features.go`,
];

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

  constructor(modules: string) {
    for (const file of FILES) {
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

  /** Whether the field of a gate is removed from what clients send. A gate without a history is gone: its feature is on. */
  removes(gate: string, minor: number): boolean {
    const stages = this.#stages.get(gate);
    if (stages === undefined || WITH_RULES.has(gate)) return false;
    return stages.findLast(({ since }) => since <= minor)?.isOn !== true;
  }
}
