/**
 * The kinds of request that can fail: the first page of a list, a later page, a watch, or a watch that requests the present
 * state first.
 */
export type ScriptedRequestKind = 'list' | 'page' | 'watch' | 'watch-list';

/** Where a fault occurs: at a request, or within a page after some of its items were sent. */
export type ScriptedFaultKind = ScriptedRequestKind | 'piece';

type Fault = { readonly error: unknown } | 'hang';

/** Planned faults, by the kind of request that they affect. */
export class ScriptedFaults {
  readonly #queues: ReadonlyMap<ScriptedFaultKind, Fault[]> = new Map(
    (['list', 'page', 'watch', 'watch-list', 'piece'] as const).map((kind) => [kind, []]),
  );

  add(kind: ScriptedFaultKind, fault: Fault, times: number): void {
    for (let count = 0; count < times; count += 1) this.#queues.get(kind)?.push(fault);
  }

  clear(): void {
    for (const queue of this.#queues.values()) queue.length = 0;
  }

  /** Removes and returns the fault for the next request of this kind. */
  take(kind: ScriptedFaultKind): Fault | undefined {
    return this.#queues.get(kind)?.shift();
  }
}
