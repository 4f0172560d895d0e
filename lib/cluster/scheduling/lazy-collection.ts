import type { HandlerRegistration } from '../../cache/informer/handlers/handler-registration.ts';
import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';

export interface LazyCollectionOptions<T extends KubernetesObject> {
  readonly open: () => SharedIndexInformer<T>;
  /** After its first list, and after each change. */
  readonly onChange: (object: Stored<T> | undefined) => void;
}

/** Objects that only some pods need: they are followed from the moment when the first one does. */
export class LazyCollection<T extends KubernetesObject> implements AsyncDisposable {
  readonly #options: LazyCollectionOptions<T>;
  #informer: SharedIndexInformer<T> | undefined;
  #registration: HandlerRegistration | undefined;
  #synced: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: LazyCollectionOptions<T>) {
    this.#options = options;
  }

  /** Whether the objects are known. If not, they will be, and `onChange` is called then. */
  get isKnown(): boolean {
    if (this.#registration === undefined) this.#begin();
    return this.#registration?.synced === true;
  }

  get(key: string): Stored<T> | undefined {
    return this.#informer?.indexer.get(key);
  }

  list(): readonly Stored<T>[] {
    return this.#informer?.indexer.list() ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#registration?.close();
    await this.#synced;
  }

  #begin(): void {
    const { open, onChange } = this.#options;
    this.#informer = open();
    const changed = (object: Stored<T>): void => {
      if (this.#registration?.synced === true) onChange(object);
    };
    const registration = this.#informer.addHandler({
      onAdd: changed,
      onUpdate: (_old: Stored<T>, object: Stored<T>) => changed(object),
      onDelete: changed,
    });
    this.#registration = registration;
    this.#synced = registration
      .whenSynced({ signal: this.#stop.signal })
      .then(() => onChange(undefined))
      // The end of the scheduler, or of the informer, which reports itself.
      .catch(() => {});
  }
}
