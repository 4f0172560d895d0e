import { RecentMap } from '../../../kernel/data/recent-map.ts';
import { Latch } from '../../../kernel/time/latch.ts';
import type { SpanContext } from '../../../kernel/report/tracer.ts';

/** Who writes: a run of a controller. */
export interface Writer {
  readonly controller: string;
  /** The key of the run. */
  readonly key: string;
}

/** The write that made a version of an object. */
export interface WriteCause {
  /** The plural of the resource. */
  readonly resource: string;
  /** Whether it is the version of a deletion. */
  readonly deletes: boolean;
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

/** Writes that are known at least; twice as many at most. A forgotten one is a cause that is not named. */
const KNOWN = 5_000;

/**
 * Which version of which object a client has written, so that a run that such a change leads to can name its cause. Nothing is kept before
 * the first write of a controller, or of a client with a tracer.
 */
export class WriteCauses {
  #causes: RecentMap<string, WriteCause> | undefined;
  readonly #open = new Set<OpenWrite>();

  /** False until something was noted, so that nothing has to be looked for. */
  get any(): boolean {
    return this.#causes !== undefined;
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
      (one) => resource.endsWith(`/${one.resource}`) && (one.key ?? key) === key,
    );
    if (open.length === 0) return undefined;
    return Promise.all(open.map(({ answered }) => answered.opened));
  }

  note(key: string, resourceVersion: string, cause: WriteCause): void {
    this.#causes ??= new RecentMap(KNOWN);
    const name = `${resourceVersion} ${key}`;
    // A write that changes nothing is answered with the version of an earlier one.
    if (this.#causes.get(name)?.resource !== cause.resource) this.#causes.set(name, cause);
  }

  /** `resource`: `apps/v1/deployments`, of any version. */
  of(resource: string, key: string, resourceVersion: string): WriteCause | undefined {
    const found = this.#causes?.get(`${resourceVersion} ${key}`);
    return found !== undefined && resource.endsWith(`/${found.resource}`) ? found : undefined;
  }
}
