import { RecentMap } from '../../../kernel/data/recent-map.ts';
import type { ApiVerb } from '../../../meta/api-call.ts';
import { objectKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';

/** A create, update, patch or apply that the server has carried out. */
export interface RecentWrite {
  readonly verb: ApiVerb;
  /** E.g. `apps/v1/deployments`. */
  readonly resource: string;
  readonly subresource: string | undefined;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** When the answer came, of the monotonic clock. */
  readonly atMs: number;
}

/** Writes that are kept at least; twice as many at most. An older one is not recognised. */
const KEPT = 500;

/** The last writes of a client, so that a controller can name the one that has started a run. Nothing is kept before `keep`. */
export class RecentWrites {
  /** By the resource version that the write has made. */
  #writes: RecentMap<string, RecentWrite> | undefined;
  #count = 0;

  /** From now on writes are kept. */
  keep(): void {
    this.#writes ??= new RecentMap(KEPT);
  }

  /** Writes since `keep`. */
  get count(): number {
    return this.#count;
  }

  add(answer: KubernetesObject, write: Omit<RecentWrite, 'key'>): void {
    const { name, namespace = '', resourceVersion } = answer.metadata ?? {};
    if (this.#writes === undefined || name === undefined || resourceVersion === undefined) return;
    this.#count += 1;
    this.#writes.set(resourceVersion, { ...write, key: objectKey({ namespace, name }) });
  }

  /** The write that has made this state of an object; undefined for one of another client. */
  of(resource: string, key: string, resourceVersion: string): RecentWrite | undefined {
    const write = this.#writes?.get(resourceVersion);
    return write?.resource === resource && write.key === key ? write : undefined;
  }
}
