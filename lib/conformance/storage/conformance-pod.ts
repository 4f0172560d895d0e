import { parseFieldSelector } from '../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { SelectionPredicate } from '../../server/storage/contract/selection-predicate.ts';

/**
 * The kind of object in the storage suites.
 *
 * @experimental
 */
export interface ConformancePod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string } | undefined;
}

/** The key prefix of the pods of a harness. */
export const CONFORMANCE_PREFIX = '/registry/pods/';

export interface PodFields {
  readonly uid?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly labels?: { readonly [key: string]: string } | undefined;
  readonly resourceVersion?: string | undefined;
}

/** The pod `namespace/name`; a `name` alone has no namespace. */
export function conformancePod(path: string, fields: PodFields = {}): ConformancePod {
  const slash = path.indexOf('/');
  const name = path.slice(slash + 1);
  const { nodeName, ...metadata } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(slash < 0 ? {} : { namespace: path.slice(0, slash) }), ...metadata },
    spec: nodeName === undefined ? {} : { nodeName },
  };
}

/** The storage key of the pod `namespace/name`. */
export function conformanceKey(path: string): string {
  return CONFORMANCE_PREFIX + path;
}

/** Selectors over labels and the fields `metadata.name`, `metadata.namespace` and `spec.nodeName`. */
export function conformancePredicate(selectors: {
  readonly labels?: string;
  readonly fields?: string;
}): SelectionPredicate<ConformancePod> {
  return {
    labels: parseLabelSelector(selectors.labels ?? ''),
    fields: parseFieldSelector(selectors.fields ?? ''),
    attributesOf: ({ metadata, spec }) => ({
      labels: metadata?.labels,
      fields: {
        'metadata.name': metadata?.name ?? '',
        'metadata.namespace': metadata?.namespace ?? '',
        'spec.nodeName': spec?.nodeName ?? '',
      },
    }),
  };
}
