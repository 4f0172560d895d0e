/** After this time without a refusal and without a waiting request, milliseconds, there is no limit any more. */
const FORGET_MS = 30_000;

/** The rate falls at most once in this time, milliseconds; API servers ask refused clients to come back after one second. */
const REACTION_MS = 1000;

/** A refusal leaves this share of the rate. */
const DECREASE = 0.8;

/** The lowest rate, requests a second, so that no request waits longer than five seconds behind none. */
const LOWEST = 0.2;

/** The lowest rate after the first refusal, when nothing is known but the few requests that were sent. */
const LOWEST_AT_FIRST = 1;

/**
 * If more than this share of the answers of the last second were refusals, and at least so many, the rate was far too high, and
 * the number of accepted requests says more about the server. A few refusals after a pause say nothing about it.
 */
const OVERLOADED = 0.3;
const FEWEST_REFUSALS = 5;

/**
 * The rate grows by GROWTH × √rate each second, and the longer the server has refused nothing, the faster: after ten seconds
 * at twice the speed, after thirty at ten times. The root keeps clients fair (the higher of two rates grows by a smaller share),
 * and makes it take about as long to reach the limit again at five requests a second as at five hundred.
 */
const GROWTH = 0.05;
const GROWTH_DOUBLES_MS = 10_000;

/**
 * The first limit comes from few requests if the client has just begun to send. Until the next refusal, which shows the
 * true limit, the rate grows by this share each second.
 */
const FIRST_GROWTH = 0.2;

/** The longest time for which one answer lets the rate grow, milliseconds. */
const LONGEST_STEP_MS = 1000;

/** Counts of answers in the present and the previous second. */
interface Counts {
  accepted: number;
  refused: number;
}

/**
 * The rate at which a server accepts requests, found from its refusals: additive increase, multiplicative decrease.
 * All times are monotonic, milliseconds.
 */
export class AdaptiveRate {
  /** Requests a second; `Infinity`: no limit. */
  #limit = Infinity;
  #present: Counts = { accepted: 0, refused: 0 };
  #previous: Counts = { accepted: 0, refused: 0 };
  #secondStartMs = -Infinity;
  #lastRefusalMs = -Infinity;
  #lastDecreaseMs = -Infinity;
  #lastGrowthMs = -Infinity;
  #lastWaitMs = -Infinity;
  /** There was one refusal since there was no limit. */
  #first = false;

  /** Requests a second; `Infinity`: no limit. */
  get limit(): number {
    return this.#limit;
  }

  /** A request had to wait for its turn. */
  waited(nowMs: number): void {
    this.#lastWaitMs = nowMs;
  }

  /** Removes the limit if it has not been needed for some time. Returns whether it has. */
  forget(nowMs: number): boolean {
    if (this.#limit === Infinity) return false;
    if (nowMs - Math.max(this.#lastRefusalMs, this.#lastWaitMs) < FORGET_MS) return false;
    this.#limit = Infinity;
    return true;
  }

  /** The server has carried out a request, or refused it for another reason than load. */
  accepted(nowMs: number): void {
    this.#roll(nowMs);
    this.#present.accepted += 1;
    if (this.#limit === Infinity) return;
    const stepMs = Math.min(LONGEST_STEP_MS, nowMs - this.#lastGrowthMs);
    this.#lastGrowthMs = nowMs;
    // Without waiting requests nothing is learned about a higher rate.
    if (nowMs - this.#lastWaitMs > LONGEST_STEP_MS) return;
    const quiet = (nowMs - this.#lastRefusalMs) / GROWTH_DOUBLES_MS;
    const growth = GROWTH * Math.sqrt(this.#limit) * (1 + quiet * quiet);
    const first = this.#first ? FIRST_GROWTH * this.#limit : 0;
    this.#limit += (Math.max(growth, first) * stepMs) / 1000;
  }

  /** The server has refused a request that was sent at `sentMs`, because of load. Returns whether the rate has fallen. */
  refused(nowMs: number, sentMs: number): boolean {
    this.#roll(nowMs);
    this.#present.refused += 1;
    this.#lastRefusalMs = nowMs;
    // Requests that were in flight at the decrease say nothing about the new rate.
    if (sentMs < this.#lastDecreaseMs || nowMs - this.#lastDecreaseMs < REACTION_MS) return false;
    this.#first = this.#limit === Infinity;
    const lowest = this.#first ? LOWEST_AT_FIRST : LOWEST;
    this.#limit = Math.max(lowest, this.#base(nowMs) * DECREASE);
    this.#lastDecreaseMs = nowMs;
    this.#lastGrowthMs = nowMs;
    return true;
  }

  /** The rate from which to go down. */
  #base(nowMs: number): number {
    const previousShare = 1 - (nowMs - this.#secondStartMs) / 1000;
    const accepted = this.#present.accepted + this.#previous.accepted * previousShare;
    const refused = this.#present.refused + this.#previous.refused * previousShare;
    const overloaded = refused >= FEWEST_REFUSALS && refused / (accepted + refused) > OVERLOADED;
    return this.#limit === Infinity || overloaded ? Math.min(this.#limit, accepted) : this.#limit;
  }

  #roll(nowMs: number): void {
    const elapsedMs = nowMs - this.#secondStartMs;
    if (elapsedMs < 1000) return;
    const spare = this.#previous;
    this.#previous = this.#present;
    this.#present = spare;
    this.#present.accepted = 0;
    this.#present.refused = 0;
    if (elapsedMs < 2000) {
      this.#secondStartMs += 1000;
      return;
    }
    this.#previous.accepted = 0;
    this.#previous.refused = 0;
    this.#secondStartMs = nowMs;
  }
}
