import { runHook } from '../../../kernel/report/run-hook.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { metaNamespaceKeyFunc, objectKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { isOwnChange, madeVersion, type SentWrite } from './own-change.ts';
import type { WriteCauses, Writer } from './write-causes.ts';
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

export interface WriteReporterParts<T extends KubernetesObject> {
  readonly observer: WriteObserver<T> | undefined;
  /** The plural of the resource. */
  readonly resource: string;
  readonly causes: WriteCauses;
  readonly logger: Logger;
}

interface NotedWrite {
  readonly deletes: boolean;
  readonly isOwn: () => boolean;
}

/** Reports the answers of writes to an observer. If the observer throws, the write still succeeds. */
export class WriteReporter<T extends KubernetesObject> {
  readonly #observer: WriteObserver<T> | undefined;
  readonly #parts: WriteReporterParts<T>;

  constructor(parts: WriteReporterParts<T>) {
    this.#observer = parts.observer;
    this.#parts = parts;
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
    if (sent?.before !== undefined) {
      const isOwn = (): boolean => isOwnChange(answer, sent);
      this.#note(answer, sent, { deletes: !goesOnToExist(answer), isOwn });
    }
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
    if (sent !== undefined) this.#note(object, sent, { deletes: false, isOwn });
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
    runHook(this.#parts.logger, 'write observer', () => call(observer));
  }

  /** Before the observer gets the answer, which may lead to a run at once. */
  #note(object: T, sent: SentWrite, { deletes, isOwn }: NotedWrite): void {
    const writer = this.#observer?.writer;
    const { span } = sent;
    if (writer === undefined && span === undefined) return;
    const { causes, resource, logger } = this.#parts;
    runHook(logger, 'write observer', () => {
      const { resourceVersion } = object.metadata ?? {};
      if (resourceVersion === undefined || !(madeVersion(object, sent) ?? isOwn())) return;
      causes.note(metaNamespaceKeyFunc(object), resourceVersion, {
        resource,
        deletes,
        writer,
        span,
      });
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
