import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ShareWorker, WorkShare } from '../sharding/contract/work-share.ts';

export interface SharedKeysParts {
  readonly name: string;
  readonly runtime: Runtime;
  /** Looks through all objects again, as at the start. */
  readonly replay: () => void;
  /** Ends daemons of these keys. */
  readonly leave: (covers: (key: string) => boolean) => Promise<void>;
  /** Aborts the signals of the runs of these keys. */
  readonly cutShort: (covers: (key: string) => boolean, reason: unknown) => void;
}

interface Drain {
  readonly covers: (key: string) => boolean;
  readonly done: () => void;
}

/** The part of a controller that knows which keys are this replica's, and which of them are worked on. Without a share, all are. */
export class SharedKeys implements ShareWorker {
  readonly name: string;
  readonly #parts: SharedKeysParts;
  /** How many runs of each key are under way: of the controller, and of its timers. */
  readonly #running = new Map<string, number>();
  readonly #drains = new Set<Drain>();
  #share: WorkShare | undefined;
  #leave: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: SharedKeysParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  get share(): WorkShare | undefined {
    return this.#share;
  }

  get isStandby(): boolean {
    return this.#share?.isActive === false;
  }

  join(share: WorkShare): void {
    this.#share = share;
    this.#leave = share.join(this);
  }

  /** Leaves the share, as soon as no run is left: until then its keys may not go to another replica. */
  close(): void {
    this.#isClosed = true;
    if (this.#running.size === 0) this.#leave?.();
  }

  has(key: string): boolean {
    return this.#share === undefined || this.#share.has(key);
  }

  /** Runs something for a key, if it is in the share at this moment. */
  async run<R>(key: string, work: () => Promise<R>, otherwise: R): Promise<R> {
    if (this.#share === undefined) return await work();
    if (!this.#share.has(key)) return otherwise;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
      this.#look();
      if (this.#isClosed) this.close();
    }
  }

  gained(): void {
    if (!this.#isClosed) this.#parts.replay();
  }

  async drained(covers: (key: string) => boolean, undisturbedMs: number): Promise<void> {
    const left = this.#parts.leave(covers);
    if (this.#isRunning(covers)) {
      const timer = this.#parts.runtime.setTimer(undisturbedMs, () => {
        const text = `${this.name}: another replica takes over the object`;
        this.#parts.cutShort(covers, new ListwatchError('ABORTED', text));
      });
      await new Promise<void>((done) => {
        this.#drains.add({ covers, done });
      });
      timer.cancel();
    }
    await left;
  }

  #isRunning(covers: (key: string) => boolean): boolean {
    for (const key of this.#running.keys()) if (covers(key)) return true;
    return false;
  }

  #look(): void {
    for (const drain of this.#drains) {
      if (this.#isRunning(drain.covers)) continue;
      this.#drains.delete(drain);
      drain.done();
    }
  }
}
