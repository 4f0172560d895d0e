import type { UnstructuredObject } from '../../../../meta/object.ts';
import { recordsAt, textAt } from '../../rules/json-value.ts';

/**
 * Texts for fields of a pod that are allowed but hardly meant.
 * @see pkg/api/pod/warnings.go @ v1.36.3
 */
export function podWarnings(pod: UnstructuredObject): string[] {
  return specWarnings(pod['spec'], 'spec');
}

/** The same for the spec of a pod template at `field`. */
export function specWarnings(spec: unknown, field: string): string[] {
  const constraints = recordsAt(spec, 'topologySpreadConstraints').flatMap((one, index) =>
    one['labelSelector'] === undefined
      ? [
          `${field}.topologySpreadConstraints[${index}].labelSelector: a null labelSelector results in matching no pod`,
        ]
      : [],
  );
  return [...constraints, ...environmentWarnings(spec, field)];
}

/** A variable that is set twice hides the first one. */
function environmentWarnings(spec: unknown, field: string): string[] {
  return ['initContainers', 'containers'].flatMap((list) =>
    recordsAt(spec, list).flatMap((container, index) => {
      const names = recordsAt(container, 'env').map((one) => textAt(one, 'name'));
      const path = `${field}.${list}[${index}].env`;
      return names.flatMap((name, at) =>
        names.indexOf(name) < at
          ? [`${path}[${at}]: hides previous definition of "${name}", which may be unexpected`]
          : [],
      );
    }),
  );
}
