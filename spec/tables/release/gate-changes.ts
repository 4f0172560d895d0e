import type { KubernetesMinor } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { FeatureGates } from '../feature-gates.ts';
import type { ReportPart } from './main.ts';

/** The gates whose default the release has changed. */
export function gateChanges(modules: string, release: string, from: KubernetesMinor): ReportPart {
  const gates = new FeatureGates(modules, release);
  const minor = Number(/^v1\.(\d+)\./.exec(release)?.[1]);
  const lines = gates.names().flatMap((name) => {
    const [before, after] = [gates.isOn(name, from), gates.isOn(name, minor)];
    if (before === after) return [];
    return [`${name}: ${stateOf(before)} -> ${stateOf(after)}`];
  });
  return {
    title: 'feature gates with another default',
    remedy:
      'Each may have rules, fields or answers of its own: lib/meta/releases/kubernetes-features.ts.',
    lines,
  };
}

function stateOf(isOn: boolean | undefined): string {
  if (isOn === undefined) return 'none';
  return isOn ? 'on' : 'off';
}
