/**
 * The kinds of request that can be made to fail: the first page of a list, a later page, a watch, or a watch that asks for
 * the present state first.
 */
export type ScriptedRequestKind = 'list' | 'page' | 'watch' | 'watch-list';

type Fault = { readonly error: unknown } | 'hang';

/** Faults that wait for the next requests of their kind. */
export class ScriptedFaults {
  readonly #queues: ReadonlyMap<ScriptedRequestKind, Fault[]> = new Map(
    (['list', 'page', 'watch', 'watch-list'] as const).map((kind) => [kind, []]),
  );

  add(kind: ScriptedRequestKind, fault: Fault, times: number): void {
    for (let count = 0; count < times; count += 1) this.#queues.get(kind)?.push(fault);
  }

  clear(): void {
    for (const queue of this.#queues.values()) queue.length = 0;
  }

  /** The fault of the next request of this kind, which it uses up. */
  take(kind: ScriptedRequestKind): Fault | undefined {
    return this.#queues.get(kind)?.shift();
  }
}
