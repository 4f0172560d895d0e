import { runHook } from '../../../kernel/report/run-hook.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { metaNamespaceKeyFunc, objectKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { isOwnChange, madeVersion, type SentWrite } from './own-change.ts';
import type { Writer } from './write-causes.ts';
import { isStatus, type Status } from '../../../meta/failure/status.ts';

/** An object that a deletion has removed. */
export interface DeletedObject {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly uid?: string | undefined;
  /** The resource version of the deletion, if the server returns it. */
  readonly resourceVersion?: string | undefined;
}

/** Gets the answers of the server to writes; for example an informer, which shows own writes at once. */
export interface WriteObserver<T extends KubernetesObject> {
  /**
   * The object as stored by the server; after a deletion, the object that still exists until its finalizers are removed. `isOwn`: it has
   * no change of others that was not known before the write; see `known`. Without it, every answer may have one.
   */
  written(object: T, isOwn?: boolean): void;
  deleted(object: DeletedObject): void;
  /** The state of an object that is known before a write is sent, by `namespace/name`. */
  known?(key: string): KubernetesObject | undefined;
  /** Named as the cause of what the writes lead to. */
  readonly writer?: Writer | undefined;
}

/** The origin of an answer. */
export interface WriteAnswer {
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The sent write. */
export interface WriteRequest {
  /** `namespace/name`, or the name alone; undefined for a name that the server makes. */
  readonly key: string | undefined;
  readonly creates: boolean;
  readonly body: unknown;
  readonly subresource: string | undefined;
}

/** Reports the answers of writes to an observer. If the observer throws, the write still succeeds. */
export class WriteReporter<T extends KubernetesObject> {
  readonly #observer: WriteObserver<T> | undefined;
  readonly #logger: Logger;

  constructor(observer: WriteObserver<T> | undefined, logger: Logger) {
    this.#observer = observer;
    this.#logger = logger;
  }

  get writer(): Writer | undefined {
    return this.#observer?.writer;
  }

  /** A write is sent now. */
  begin({ key, ...write }: WriteRequest): SentWrite {
    const before = write.creates || key === undefined ? undefined : this.#known(key);
    return { before, ...write };
  }

  /** The answer to a create, update or patch. */
  written(answer: T, { apiVersion, subresource, dryRun }: WriteAnswer, sent: SentWrite): void {
    if (!this.#reports(sent) || dryRun === true || isStatus(answer)) return;
    // A subresource may answer with a kind of its own under the name and uid of the object, such as the Scale of a Deployment.
    const own = subresource === undefined || subresource === 'status';
    if (!own && answer.apiVersion !== apiVersion) return;
    // The write that removes the last finalizer of a deleted object removes the object.
    if (answer.metadata?.deletionTimestamp === undefined) this.#stored(answer, sent);
    else this.#deleted(answer, sent);
  }

  /** The answer to a delete of the object `name`. */
  deleted(
    answer: T | Status,
    {
      namespace = '',
      name,
      dryRun,
    }: {
      readonly namespace?: string | undefined;
      readonly name: string;
      readonly dryRun?: boolean | undefined;
    },
    sent?: SentWrite,
  ): void {
    if (!this.#reports(sent) || dryRun === true) return;
    if (isStatus(answer)) {
      const { uid } = answer.details ?? {};
      this.#notify((observer) => observer.deleted({ key: objectKey({ namespace, name }), uid }));
      return;
    }
    if (sent?.before !== undefined) this.#note(answer, sent, () => isOwnChange(answer, sent));
    this.#deleted(answer);
  }

  #reports(sent: SentWrite | undefined): boolean {
    return this.#observer !== undefined || sent?.span !== undefined;
  }

  #known(key: string): KubernetesObject | undefined {
    let known: KubernetesObject | undefined;
    this.#notify((observer) => {
      known = observer.known?.(key);
    });
    return known;
  }

  #stored(object: T, sent: SentWrite | undefined): void {
    // Comparing takes longer than all else here, so it is done once, and only for those who need it.
    let compared: boolean | undefined;
    const isOwn = (): boolean => (compared ??= sent === undefined || isOwnChange(object, sent));
    if (sent !== undefined) this.#note(object, sent, isOwn);
    this.#notify((observer) => observer.written(object, observer.known === undefined || isOwn()));
  }

  #deleted(object: T, sent?: SentWrite): void {
    if (goesOnToExist(object)) {
      this.#stored(object, sent);
      return;
    }
    this.#notify((observer) => {
      const { uid, resourceVersion } = object.metadata ?? {};
      return observer.deleted({ key: metaNamespaceKeyFunc(object), uid, resourceVersion });
    });
  }

  #notify(call: (observer: WriteObserver<T>) => unknown): void {
    const observer = this.#observer;
    if (observer === undefined) return;
    runHook(this.#logger, 'write observer', () => call(observer));
  }

  #note(object: T, sent: SentWrite, isOwn: () => boolean): void {
    if (this.writer === undefined && sent.span === undefined) return;
    runHook(this.#logger, 'write observer', () => {
      sent.isMaker = madeVersion(object, sent) ?? isOwn();
    });
  }
}

/**
 * Whether a deleted object still exists, because of its finalizers or its grace period.
 * @see apiserver pkg/registry/generic/registry/store.go ShouldDeleteDuringUpdate @ eed236c
 */
function goesOnToExist({ metadata, kind, ...rest }: KubernetesObject): boolean {
  if (metadata?.deletionTimestamp === undefined) return false;
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  if (finalizers.length > 0 || deletionGracePeriodSeconds > 0) return true;
  if (kind !== 'Namespace') return false;
  // Namespaces have finalizers in `spec` too.
  const { spec } = rest as { readonly spec?: { readonly finalizers?: readonly string[] } };
  return (spec?.finalizers ?? []).length > 0;
}
