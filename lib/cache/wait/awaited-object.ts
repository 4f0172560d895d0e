import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import type { LazyObject } from '../informer/handlers/event-handler.ts';
import type { UntilGone, UntilPresent } from './cache-condition.ts';
import { conditionText, holds } from './condition-sequence.ts';
import type { AwaitedState, Reached } from './informer-wait.ts';

/** Most objects that a message names when they exist but do not fulfil the condition. */
const SHOWN_OBJECTS = 3;

/** A state, or the absence, of the selected object. A name without a namespace may select several objects. */
export class AwaitedObject<T extends KubernetesObject> implements AwaitedState<T> {
  readonly skipsChanges = false;
  readonly #informer: string;
  readonly #condition: UntilPresent<T> | UntilGone;
  /** The existing objects, with their resource versions. */
  readonly #present: Map<string, string> = new Map();

  constructor(informer: string, condition: UntilPresent<T> | UntilGone) {
    this.#informer = informer;
    this.#condition = condition;
  }

  seen(key: string, view: LazyObject<T>): Reached<T> | undefined {
    if (!this.#selects(key, view)) return undefined;
    this.#present.set(key, identityOf(view).resourceVersion ?? '');
    const { is, gone } = this.#condition;
    if (gone === true) return undefined;
    const { object } = view;
    return is === undefined || holds(is, object) ? { object } : undefined;
  }

  lost(key: string): void {
    this.#present.delete(key);
  }

  settled(): Reached<T> | undefined {
    const { gone } = this.#condition;
    return gone === true && this.#present.size === 0 ? { object: undefined } : undefined;
  }

  describe(): string {
    const { is, gone, key, name, namespace } = this.#condition;
    const where = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
    const who = `${JSON.stringify(key ?? name)}${where} of ${this.#informer}`;
    const present = is === undefined ? 'exist' : `satisfy ${conditionText(is)}`;
    return `${who} to ${gone === true ? 'be gone' : present}; ${this.#whereabouts()}`;
  }

  #selects(key: string, view: LazyObject<T>): boolean {
    const { key: wanted, name, namespace } = this.#condition;
    if (wanted !== undefined) return key === wanted;
    const found = identityOf(view);
    if (found.name !== name) return false;
    return namespace === undefined || (found.namespace ?? '') === namespace;
  }

  #whereabouts(): string {
    if (this.#present.size === 0) return 'it is not there';
    const places = Array.from(
      this.#present,
      ([key, version]) => `${key} at resource version ${version || 'none'}`,
    );
    const more = places.length > SHOWN_OBJECTS ? ` and ${places.length - SHOWN_OBJECTS} more` : '';
    return `there is ${places.slice(0, SHOWN_OBJECTS).join(', ')}${more}`;
  }
}
