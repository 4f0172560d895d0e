import type { Finding } from '../contract/finding.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import type { ClusterHistory } from '../record/cluster-history.ts';
import { withoutUids } from '../record/uids.ts';
import type { KubernetesObject } from '../../meta/object.ts';

/** Problems of an end state that do not depend on runs without faults. */
export function stateFindings(history: ClusterHistory): readonly Finding[] {
  const findings: Finding[] = [];
  const { present, gone } = touched(history);
  for (const [subject, object] of present) {
    const { ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata ?? {};
    const lost = ownerReferences.find(({ uid }) => gone.has(uid));
    if (lost !== undefined) {
      const message = `it is left, and its owner ${lost.kind} ${lost.name} is gone`;
      findings.push({ class: 'orphan', subject, message, difference: `of ${lost.kind}` });
    }
    if (deletionTimestamp !== undefined && finalizers.length > 0) {
      const message = `it is being deleted, and no controller removes ${finalizers.join(', ')}`;
      findings.push({ class: 'finalizer', subject, message, difference: finalizers.join(', ') });
    }
    const generations = behind(object);
    if (generations !== undefined) {
      findings.push({ class: 'observed-generation', subject, message: generations });
    }
  }
  return findings;
}

/** Findings that runs without faults have too say nothing about faults. */
export function withoutUsual(
  findings: readonly Finding[],
  usual: readonly Finding[],
): readonly Finding[] {
  return findings.filter(
    (finding) =>
      !usual.some((one) => one.class === finding.class && one.subject === finding.subject),
  );
}

function behind(object: KubernetesObject): string | undefined {
  const { metadata, status } = object as {
    readonly metadata?: { readonly generation?: number };
    readonly status?: { readonly observedGeneration?: unknown };
  };
  const observed = status?.observedGeneration;
  const generation = metadata?.generation;
  if (typeof observed !== 'number' || generation === undefined || observed >= generation) {
    return undefined;
  }
  return `status.observedGeneration is ${observed} at the end, the generation ${generation}`;
}

function touched(history: ClusterHistory): {
  readonly present: ReadonlyMap<string, KubernetesObject>;
  readonly gone: ReadonlySet<string>;
} {
  const present = new Map<string, KubernetesObject>();
  const gone = new Set<string>();
  for (const { ref, after, before } of history.changes) {
    if (isBackgroundResource(ref.resource)) continue;
    const id = `${ref.resource} ${withoutUids(ref.object)}`;
    if (after !== undefined) {
      present.set(id, history.objectOf(after));
      continue;
    }
    present.delete(id);
    const uid = before && history.objectOf(before).metadata?.uid;
    if (uid !== undefined) gone.add(uid);
  }
  return { present, gone };
}
