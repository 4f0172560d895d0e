import type { KubernetesObject } from '../../../meta/object.ts';
import { parseFieldSelector } from '../../../meta/selectors/field-selector.ts';
import { parseLabelSelector, type LabelSelector } from '../../../meta/selectors/label-selector.ts';
import type { Change } from '../../record/cluster-history.ts';
import type { ObjectRef } from '../../record/stored-resources.ts';
import type { KeyValue } from '../../../server/mvcc/contract/key-value-store.ts';

/** The objects that a request reads. */
export class ComparedCollection {
  readonly resource: string;
  readonly #namespace: string;
  readonly #labels: LabelSelector;
  readonly #name: string | undefined;
  readonly #objectOf: (state: KeyValue) => KubernetesObject;

  /** Undefined for a request with fields that only the server knows. `namespace`: empty for all. */
  static of(
    resource: string,
    namespace: string,
    query: URLSearchParams,
    objectOf: (state: KeyValue) => KubernetesObject,
  ): ComparedCollection | undefined {
    try {
      const labels = parseLabelSelector(query.get('labelSelector') ?? '');
      const { requirements } = parseFieldSelector(query.get('fieldSelector') ?? '');
      const [first] = requirements;
      if (requirements.length > 1 || (query.get('shardSelector') ?? '') !== '') return undefined;
      if (first !== undefined && (first.field !== 'metadata.name' || first.operator !== '='))
        return undefined;
      return new ComparedCollection(resource, namespace, labels, first?.value, objectOf);
    } catch {
      // The server refuses it.
      return undefined;
    }
  }

  private constructor(
    resource: string,
    namespace: string,
    labels: LabelSelector,
    name: string | undefined,
    objectOf: (state: KeyValue) => KubernetesObject,
  ) {
    this.resource = resource;
    this.#namespace = namespace;
    this.#labels = labels;
    this.#name = name;
    this.#objectOf = objectOf;
  }

  /** Whether an object in a state belongs to it. */
  has(ref: ObjectRef, state: KeyValue | undefined): boolean {
    if (state === undefined || ref.resource !== this.resource) return false;
    if (this.#namespace !== '' && ref.namespace !== this.#namespace) return false;
    if (this.#name !== undefined && ref.name !== this.#name) return false;
    return this.#labels.empty || this.#labels.matches(this.#objectOf(state).metadata?.labels);
  }

  /** The event that a change is for a watch of it. */
  eventOf({ ref, before, after }: Change): 'ADDED' | 'MODIFIED' | 'DELETED' | undefined {
    const [had, has] = [this.has(ref, before), this.has(ref, after)];
    if (had) return has ? 'MODIFIED' : 'DELETED';
    return has ? 'ADDED' : undefined;
  }
}

/** `NAMESPACE/NAME`, or the name alone. */
export function idOf({ metadata }: KubernetesObject): string {
  const { namespace = '', name = '' } = metadata ?? {};
  return namespace === '' ? name : `${namespace}/${name}`;
}
