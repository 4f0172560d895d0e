/**
 * The kinds of request that can be made to fail: the first page of a list, a later page, a watch, or a watch that asks for
 * the present state first.
 */
export type ScriptedRequestKind = 'list' | 'page' | 'watch' | 'watch-list';

/** The point of a failure: a request, or a page after some of its items were handed out. */
export type ScriptedFaultKind = ScriptedRequestKind | 'piece';

type Fault = { readonly error: unknown } | 'hang';

/** Faults that wait for what comes next of their kind. */
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

  /** The fault of what comes next of this kind, which it uses up. */
  take(kind: ScriptedFaultKind): Fault | undefined {
    return this.#queues.get(kind)?.shift();
  }
}
