import type { Pod, Taint, Toleration } from '../../../types/built-in/core-v1-kinds.ts';

const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** @see api core/v1/toleration.go ToleratesTaint @ v0.37.2 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key, operator, value = '', effect } = toleration;
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator ?? 'Equal') {
    case 'Equal':
      return value === (taint.value ?? '');
    case 'Exists':
      return true;
    // `Lt` and `Gt` are behind a feature gate that is off.
    default:
      return false;
  }
}

export function toleratesCordon({ spec }: Pod): boolean {
  return spec?.tolerations?.some((one) => tolerates(one, CORDONED)) === true;
}

/** Whether some taint keeps the pod off the node. */
export function isKeptOff(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] = [],
): boolean {
  return taints.some(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' && !tolerations.some((one) => tolerates(one, taint)),
  );
}

/** The number of taints for which the pod should rather go elsewhere. */
export function avoidedTaints(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] = [],
): number {
  const isTolerated = (taint: Taint): boolean =>
    tolerations.some(
      (one) => (!one.effect || one.effect === 'PreferNoSchedule') && tolerates(one, taint),
    );
  return taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint))
    .length;
}
