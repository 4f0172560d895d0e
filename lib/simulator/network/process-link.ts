import type { PlannedFault } from '../contract/fault.ts';
import { countsAt, type RequestFacts } from './request-facts.ts';

/** A fault that happens at a request. */
export type RequestFault = Exclude<
  PlannedFault,
  { readonly kind: 'cut' | 'hide' | 'stale' | 'reorder' }
>;

interface Armed {
  readonly fault: RequestFault;
  seen: number;
}

/** An open watch of a process. */
export interface OpenWatch {
  readonly resource: string;
  /** Breaks the connection. */
  cut(): void;
}

/** Holds back what watches bring, until it is released. */
class Hold {
  readonly #waiting: (() => void)[] = [];

  wait(task: () => void): void {
    this.#waiting.push(task);
  }

  release(): void {
    for (const task of this.#waiting.splice(0)) task();
  }
}

/** The view from which a process is served after time travel. */
export interface StaleView {
  readonly revision: string;
}

const EVERYTHING = '*';

/** The connection of one process to the server, over all its incarnations: its faults, and what holds back its view. */
export class ProcessLink {
  readonly #armed: Armed[];
  readonly #holds = new Map<string, Hold>();
  readonly #watches = new Set<OpenWatch>();
  readonly #expired = new Set<string>();
  /** While it is set, lists and watches are those of a server that lags. */
  stale: StaleView | undefined;
  partitioned: boolean = false;
  /** Resources whose webhooks are down, and how many faults say so. */
  readonly #webhooksDown = new Map<string, number>();
  /** Lists of this incarnation have their items in reverse order. */
  reversesLists: boolean = false;

  constructor(faults: readonly RequestFault[]) {
    this.#armed = faults.map((fault) => ({ fault, seen: 0 }));
  }

  /** Counts a request, and returns the faults that happen at it. */
  faultsAt(facts: RequestFacts): readonly RequestFault[] {
    if (this.#armed.length === 0) return [];
    const now: RequestFault[] = [];
    for (const armed of this.#armed) {
      if (!countsAt(armed.fault.at, facts)) continue;
      armed.seen += 1;
      if (armed.seen === armed.fault.at.occurrence) now.push(armed.fault);
    }
    return now;
  }

  /** A webhook goes down, or with `up` one is up again. */
  webhook(resource: string, state: 'down' | 'up'): void {
    const count = (this.#webhooksDown.get(resource) ?? 0) + (state === 'down' ? 1 : -1);
    if (count > 0) this.#webhooksDown.set(resource, count);
    else this.#webhooksDown.delete(resource);
  }

  /** Whether the server has to ask a webhook that is down. */
  asksWebhook({ verb, resource }: RequestFacts): boolean {
    if (!this.#webhooksDown.has(resource)) return false;
    return verb === 'create' || verb === 'update' || verb === 'patch';
  }

  /** Holds back what watches of a resource bring from now on; left out: all of them. */
  hold(resource: string = EVERYTHING): void {
    if (!this.#holds.has(resource)) this.#holds.set(resource, new Hold());
  }

  release(resource: string = EVERYTHING): void {
    const hold = this.#holds.get(resource);
    this.#holds.delete(resource);
    hold?.release();
  }

  releaseAll(): void {
    for (const resource of this.#holds.keys()) this.release(resource);
  }

  get isHolding(): boolean {
    return this.#holds.size > 0;
  }

  /** Calls `task` when nothing holds back the watches of a resource: at once, or later. */
  whenFree(resource: string, task: () => void): void {
    const hold = this.#holds.get(EVERYTHING) ?? this.#holds.get(resource);
    if (hold === undefined) task();
    else hold.wait(() => this.whenFree(resource, task));
  }

  opened(watch: OpenWatch): void {
    this.#watches.add(watch);
  }

  closed(watch: OpenWatch): void {
    this.#watches.delete(watch);
  }

  /** Ends the watches of a resource, or all. With `expired`, the next one that resumes is refused as too old. */
  cut(resource: string | undefined, expired: boolean): number {
    const concerned = [...this.#watches].filter(
      (watch) => resource === undefined || watch.resource === resource,
    );
    for (const watch of concerned) {
      if (expired) this.#expired.add(watch.resource);
      this.#watches.delete(watch);
      watch.cut();
    }
    return concerned.length;
  }

  /** Whether a watch that resumes has to be refused; asked once. */
  takeExpired(resource: string): boolean {
    return this.#expired.delete(resource);
  }

  /** The connections of an incarnation that is gone. */
  forget(): void {
    this.#watches.clear();
    this.#expired.clear();
    this.#holds.clear();
    this.reversesLists = false;
  }
}
