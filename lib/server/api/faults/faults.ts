import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import { toApiError } from '../../http/request-failures.ts';
import { failureResponse } from '../../http/responses/document-response.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { ConnectionReset } from '../../http/connection-reset.ts';
import { checkFaultRule } from './check-fault-rule.ts';
import { ActiveFault } from './active-fault.ts';
import { changedAnswer, faultStatus } from './faulted-answer.ts';
import type { Fault, FaultRule } from './fault-rule.ts';
import { faultTarget, type FaultTarget } from './fault-target.ts';

export interface FaultsOptions {
  readonly runtime: Runtime;
  /** Compacts all history. */
  readonly compact: () => Promise<void>;
}

const FAULTS = optionsOf<FaultsOptions>()('Faults', {
  runtime: is.object().required,
  compact: is.callback().required,
});

/**
 * The faults of a server, for testing how clients behave when the network and the server do not.
 *
 * ```ts
 * using fault = server.faults.add({ match: { verb: 'watch', resource: 'pods' }, reset: { afterEvents: 3 }, times: 2 });
 * ```
 *
 * Guarantees:
 * - They apply alike to requests on the port and in the process. They do not apply to `ApiServer.listerWatcher`, which sends none.
 * - The n-th request that matches a rule has the same fate in every run with the same seed.
 * - Several rules that match a request are applied in the order in which they were added. After one that prevents that the request is
 *   handled, no other one is; of those that break off or end its answer, one is. A rule that is not applied keeps its `times`.
 * - Without rules a request costs nothing more.
 */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #faults = new Set<ActiveFault>();

  constructor(options: FaultsOptions) {
    this.#options = FAULTS.read(options);
  }

  /** The number of rules. */
  get size(): number {
    return this.#faults.size;
  }

  /** The rules, in the order in which they were added. */
  [Symbol.iterator](): IterableIterator<Fault> {
    return this.#faults.values();
  }

  /**
   * Adds a rule, until it is disposed of or `clear` is called. Watches that are open already are not changed.
   * @throws {ListwatchError} code INVALID_OPTION for a rule that could never do what it says.
   */
  add(rule: FaultRule): Fault {
    checkFaultRule(rule);
    const fault = new ActiveFault(rule, (removed) => {
      this.#faults.delete(removed);
    });
    this.#faults.add(fault);
    return fault;
  }

  /** Removes all rules. Faults that wait within an answer remain. */
  clear(): void {
    this.#faults.clear();
  }

  /** The handler with these faults. It rejects with `ConnectionReset` where the connection has to be reset. */
  around(handler: ApiHandler): ApiHandler {
    return async (request) =>
      this.#faults.size === 0 ? await handler(request) : await this.#handle(handler, request);
  }

  async #handle(handler: ApiHandler, request: ApiRequest): Promise<ApiResponse> {
    const target = faultTarget(request);
    const chosen = this.#chosen(target);
    for (const fault of chosen) {
      const early = await this.#before(fault, request);
      if (early !== undefined) return early;
    }
    const isWrite = request.method !== 'GET';
    // A watch may show a write before its answer is made.
    const struck = isWrite ? chosen.filter(({ rule }) => losesAnswer(rule)) : [];
    for (const fault of struck) fault.strike();
    let response = await handler(request);
    for (const fault of chosen) {
      const { runtime } = this.#options;
      response = changedAnswer(response, fault, request, {
        runtime,
        isCounted: struck.includes(fault),
      });
    }
    return response;
  }

  #chosen(target: FaultTarget): ActiveFault[] {
    const isWatch = target.info?.verb === 'watch';
    let end: End | undefined;
    return [...this.#faults].filter((fault) => {
      const own = endOf(fault.rule, isWatch);
      const isTaken = end === 'unhandled' || (end !== undefined && own !== undefined);
      const isChosen = fault.chooses(target, isTaken);
      if (isChosen) end ??= own;
      return isChosen;
    });
  }

  /** The effects before the request is handled; returns an answer in place of that of the server. */
  async #before(fault: ActiveFault, request: ApiRequest): Promise<ApiResponse | undefined> {
    const { runtime, compact } = this.#options;
    const { answer, reset, compact: compacts } = fault.rule;
    const delayMs = fault.drawDelayMs();
    if (delayMs > 0) {
      fault.strike();
      await sleep(runtime, delayMs, { signal: request.signal }).catch(() => {});
    }
    if (compacts === true) {
      fault.strike();
      try {
        await compact();
      } catch (error) {
        return failureResponse(toApiError(error), request);
      }
    }
    if (answer !== undefined) {
      fault.strike();
      return failureResponse(faultStatus(answer), request);
    }
    if (reset !== true) return undefined;
    fault.strike();
    throw new ConnectionReset();
  }
}

/** How a rule ends a request. `unhandled`: before it is handled; `cut`: within its answer, or in place of it. */
type End = 'unhandled' | 'cut';

function endOf(rule: FaultRule, isWatch: boolean): End | undefined {
  const { answer, reset, expire, end, silence } = rule;
  if (answer !== undefined || reset === true) return 'unhandled';
  if (losesAnswer(rule)) return 'cut';
  const isCut = [reset, expire, end, silence].some((effect) => effect !== undefined);
  return isWatch && isCut ? 'cut' : undefined;
}

/** Whether it breaks off the answer of any request, however short. */
function losesAnswer({ reset }: FaultRule): boolean {
  return typeof reset === 'object' && ('handled' in reset || 'afterBytes' in reset);
}
