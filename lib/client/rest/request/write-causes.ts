import { RecentMap } from '../../../kernel/data/recent-map.ts';
import { Latch } from '../../../kernel/time/latch.ts';
import type { SpanContext } from '../../../kernel/report/tracer.ts';
import type { ApiVerb } from '../../../meta/api-call.ts';
import { objectKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';

/** Who writes: a run of a controller. */
export interface Writer {
  readonly controller: string;
  /** The key of the run. */
  readonly key: string;
}

/** A write that the server has carried out. */
export interface WriteCause {
  readonly verb: ApiVerb;
  /** E.g. `apps/v1/deployments`. */
  readonly resource: string;
  readonly subresource: string | undefined;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** When the answer came, of the monotonic clock. */
  readonly atMs: number;
  /** Whether it has made the version of its answer for sure. One that changes nothing is answered with an older version. */
  readonly isMaker: boolean;
  /** Undefined: another part of the program. */
  readonly writer: Writer | undefined;
  /** The span of its request. */
  readonly span: SpanContext | undefined;
}

/** A write whose answer is missing; its version may be known from a watch already. */
interface OpenWrite {
  readonly resource: string;
  /** Undefined: the server makes the name. */
  readonly key: string | undefined;
  readonly answered: Latch;
}

/** Writes that are kept at least; twice as many at most. A forgotten one is a cause that is not named. */
const KEPT = 5_000;

/**
 * The last writes of a client by the version that they have made, so that a run that such a change leads to can name its cause. Nothing is kept
 * before `keep`.
 */
export class WriteCauses {
  /** By the resource version. */
  #writes: RecentMap<string, WriteCause> | undefined;
  readonly #open = new Set<OpenWrite>();
  #count = 0;

  /** From now on writes are kept. */
  keep(): void {
    this.#writes ??= new RecentMap(KEPT);
  }

  /** Writes since `keep`. */
  get count(): number {
    return this.#count;
  }

  /** A write is sent now; the result is called when it was answered or has failed. */
  begin(resource: string, key: string | undefined): () => void {
    const write = { resource, key, answered: new Latch(`answer to a write of ${resource}`) };
    this.#open.add(write);
    return () => {
      this.#open.delete(write);
      write.answered.open();
    };
  }

  /** Resolves when the writes are answered that may have made a version of this object; undefined: there are none. */
  whenAnswered(resource: string, key: string): Promise<unknown> | undefined {
    const open = [...this.#open].filter(
      (one) => isSameResource(resource, one.resource) && (one.key ?? key) === key,
    );
    if (open.length === 0) return undefined;
    return Promise.all(open.map(({ answered }) => answered.opened));
  }

  add(answer: KubernetesObject, write: Omit<WriteCause, 'key'>): void {
    const { name, namespace = '', resourceVersion } = answer.metadata ?? {};
    if (this.#writes === undefined || name === undefined || resourceVersion === undefined) return;
    this.#count += 1;
    const key = objectKey({ namespace, name });
    // A later write with the same version has changed nothing.
    if (this.of(write.resource, key, resourceVersion) !== undefined) return;
    this.#writes.set(resourceVersion, { ...write, key });
  }

  /**
   * The write that was answered with this state of an object; undefined for one of another client. `resource`: `apps/v1/deployments`, of any
   * version, also with a cluster in front.
   */
  of(resource: string, key: string, resourceVersion: string): WriteCause | undefined {
    const write = this.#writes?.get(resourceVersion);
    return write?.key === key && isSameResource(resource, write.resource) ? write : undefined;
  }
}

/** Whether both have the same plural: an object has several API versions. */
function isSameResource(one: string, other: string): boolean {
  return one.endsWith(other.slice(other.lastIndexOf('/')));
}
