import type { Verb } from '../../http/request-info.ts';

/** One value or several, of which one has to be equal. */
export type OneOrMore<T extends string> = T | readonly T[];

/** Which requests a fault concerns. What is left out matches every request. */
export interface FaultMatch {
  /** The verb as in RBAC. Requests that are not of a resource, such as discovery, have none. */
  readonly verb?: OneOrMore<Verb> | undefined;
  /** Plural, with the subresource if it is one: `pods`, `pods/status`. */
  readonly resource?: OneOrMore<string> | undefined;
  /** Empty for the core group. */
  readonly group?: OneOrMore<string> | undefined;
  readonly namespace?: OneOrMore<string> | undefined;
  readonly name?: OneOrMore<string> | undefined;
  /** The user that authenticated; callers in the process are `system:admin`. */
  readonly user?: OneOrMore<string> | undefined;
  /** The path without the query: equal text, or a pattern that it has to match. */
  readonly path?: string | RegExp | undefined;
}

/** A place within a watch. Bookmarks do not count. */
export interface AfterEvents {
  /** The number of events that are sent before. 0: before the first one. */
  readonly afterEvents: number;
}

/** When the connection is reset. `true`: the request is not handled. */
export type FaultReset =
  | true
  /** The request is handled, so a write is stored, but nothing of the answer is sent. */
  | { readonly handled: true }
  | AfterEvents
  /** After this number of bytes of the body. A shorter body is sent whole, without its end. */
  | { readonly afterBytes: number };

/** An answer in place of the server's own; the request is not handled. */
export interface FaultAnswer {
  /** The HTTP status of the Status, from 400 to 599; its reason follows from it. */
  readonly status: number;
  /** In whole seconds: the header `Retry-After` and `details.retryAfterSeconds`. */
  readonly retryAfterSeconds?: number | undefined;
  readonly message?: string | undefined;
}

/** The effects on a request. At least one; several are applied in the order of these fields. */
export interface FaultEffects {
  /** Delays the request, milliseconds; of two bounds each request draws one value. */
  readonly delayMs?: number | readonly [least: number, most: number] | undefined;
  /** Compacts all history before the request is handled, as `ApiServer.compact` does. */
  readonly compact?: true | undefined;
  readonly answer?: FaultAnswer | undefined;
  readonly reset?: FaultReset | undefined;
  /** For watches: holds each piece of events back, milliseconds. The order stays. */
  readonly holdEventsMs?: number | undefined;
  /** For watches: ends with an ERROR event of code 410, as after a compaction. In JSON; a watch in another format just ends. */
  readonly expire?: true | AfterEvents | undefined;
  /** For watches: ends without an error, as at its timeout. */
  readonly end?: true | AfterEvents | undefined;
  /** For watches: sends nothing more, but stays open, as after the network has gone. */
  readonly silence?: true | AfterEvents | undefined;
}

/** A fault: which requests, how often, and what happens to them. */
export interface FaultRule extends FaultEffects {
  readonly match?: FaultMatch | undefined;
  /** The most requests that it is applied to. @defaultValue no limit */
  readonly times?: number | undefined;
  /** The number of matching requests that pass before the first one it is applied to. @defaultValue 0 */
  readonly skip?: number | undefined;
  /** The probability with which it is applied to a matching request, from 0 to 1. @defaultValue 1 */
  readonly probability?: number | undefined;
  /** Seeds `probability` and the delays: the n-th matching request of two runs has the same fate. @defaultValue 1 */
  readonly seed?: number | string | undefined;
}

/** A rule that was added. It ends when it is disposed of. */
export interface Fault extends Disposable {
  readonly rule: FaultRule;
  /** The number of requests that matched, also of those that another rule took. */
  readonly matched: number;
  /** The number of requests that the rule was applied to; `times` limits it. */
  readonly applied: number;
  /**
   * How often an effect happened. It is counted before clients can see the effect, or a write or an event that comes before it. Less
   * than `applied` while a watch has not reached the place of its effect; more if a rule has several effects.
   */
  readonly fired: number;
  /** Ends the rule; has no effect a second time. */
  remove(): void;
}
