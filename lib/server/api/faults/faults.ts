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
import { faultTarget } from './fault-target.ts';

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
 * - Of several rules that match a request, each is applied in the order in which they were added; the first answer or reset
 *   before the answer ends that.
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
    const chosen = [...this.#faults].filter((fault) => fault.chooses(target));
    for (const fault of chosen) {
      const early = await this.#before(fault, request);
      if (early !== undefined) return early;
    }
    let response = await handler(request);
    for (const fault of chosen) {
      response = changedAnswer(response, fault, request, this.#options.runtime);
    }
    return response;
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
