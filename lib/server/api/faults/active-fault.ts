import { seededRandom } from '../../../kernel/time/random.ts';
import type { Fault, FaultRule } from './fault-rule.ts';
import { matchesTarget, type FaultTarget } from './fault-target.ts';

/** One rule at work: its counters and its random numbers. */
export class ActiveFault implements Fault {
  readonly rule: FaultRule;
  readonly #random: () => number;
  readonly #onRemove: (fault: ActiveFault) => void;
  #matched = 0;
  #chosen = 0;
  #fired = 0;

  constructor(rule: FaultRule, onRemove: (fault: ActiveFault) => void) {
    this.rule = rule;
    this.#random = seededRandom(rule.seed ?? 1);
    this.#onRemove = onRemove;
  }

  get matched(): number {
    return this.#matched;
  }

  get applied(): number {
    return this.#chosen;
  }

  get fired(): number {
    return this.#fired;
  }

  remove(): void {
    this.#onRemove(this);
  }

  [Symbol.dispose](): void {
    this.remove();
  }

  /**
   * Whether the rule is applied to this request, which is counted.
   * @param isTaken a rule before this one leaves it no effect, so that `times` does not count the request.
   */
  chooses(target: FaultTarget, isTaken: boolean = false): boolean {
    const { match = {}, times = Infinity, skip = 0, probability = 1 } = this.rule;
    if (!matchesTarget(match, target)) return false;
    this.#matched += 1;
    // Drawn for every matching request, so that `times` and `skip` do not change the fate of later ones.
    const drawn = this.#random();
    if (isTaken || this.#matched <= skip || this.#chosen >= times || drawn >= probability)
      return false;
    this.#chosen += 1;
    return true;
  }

  /** The delay of a request, milliseconds. */
  drawDelayMs(): number {
    const { delayMs = 0 } = this.rule;
    if (typeof delayMs === 'number') return delayMs;
    const [least, most] = delayMs;
    return least + this.#random() * (most - least);
  }

  /** Counts an effect. */
  strike(): void {
    this.#fired += 1;
  }
}
