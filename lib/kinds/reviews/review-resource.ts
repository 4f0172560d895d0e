import { invalid, type FieldCause } from '../../meta/failure/failures.ts';
import type {
  ResourceDescription,
  RestStorage,
} from '../../server/registry/contract/rest-storage.ts';
import { defaultTable } from '../../server/registry/contract/table-columns.ts';

export interface ReviewOptions {
  readonly group: 'authentication.k8s.io' | 'authorization.k8s.io';
  readonly kind: string;
  /** @defaultValue false */
  readonly namespaced?: boolean | undefined;
  readonly create: NonNullable<RestStorage['create']>;
}

/** A resource that answers questions: its only verb is `create`, and nothing is stored. */
export function reviewResource({
  group,
  kind,
  namespaced = false,
  create,
}: ReviewOptions): RestStorage {
  const singular = kind.toLowerCase();
  const describe: ResourceDescription = {
    group,
    version: 'v1',
    kind,
    resource: `${singular}s`,
    singular,
    listKind: `${kind}List`,
    namespaced,
    shortNames: [],
    categories: [],
  };
  return { describe, table: defaultTable, create };
}

/** 422 of a review, in which kube-apiserver names no kind. */
export function invalidReview(causes: readonly FieldCause[]): Error {
  return invalid({ group: 'authorization.k8s.io', kind: '' }, '', causes);
}
