import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { isNewer } from '../../../lib/meta/versions/version-order.ts';

const versionOf = ({ metadata }: KubernetesObject): string => metadata?.resourceVersion ?? '';

/** Follows the events of one reader, and complains of what must not come. */
export class ReaderCheck<T extends KubernetesObject> {
  readonly #name: string;
  readonly #complain: (text: string) => void;
  readonly #known = new Map<string, T>();

  constructor(name: string, complain: (text: string) => void) {
    this.#name = name;
    this.#complain = complain;
  }

  get objects(): readonly T[] {
    return [...this.#known.values()];
  }

  added(key: string, object: T): void {
    if (this.#known.has(key)) this.#complain(`${this.#name}: ${key} is added twice`);
    this.#known.set(key, object);
  }

  /** `old`: what the event says that the object was. */
  updated(key: string, object: T, old?: T): void {
    const known = this.#known.get(key);
    if (known === undefined) this.#complain(`${this.#name}: ${key} is changed and was never added`);
    else if (!isNewer(versionOf(object), versionOf(known)))
      this.#complain(`${this.#name}: ${key} goes back`);
    else if (old !== undefined && versionOf(old) !== versionOf(known))
      this.#complain(`${this.#name}: ${key} was not what the event says`);
    this.#known.set(key, object);
  }

  resynced(key: string, old: T, object: T): void {
    const known = this.#known.get(key);
    if (
      known === undefined ||
      versionOf(known) !== versionOf(object) ||
      versionOf(old) !== versionOf(object)
    )
      this.#complain(`${this.#name}: the resync of ${key} brings another state`);
  }

  deleted(key: string): void {
    if (!this.#known.delete(key)) this.#complain(`${this.#name}: ${key} is deleted twice`);
  }
}
