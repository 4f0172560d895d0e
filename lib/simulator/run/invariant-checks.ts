import { errorMessage } from '../../kernel/failure/errors.ts';
import { atPlaceOf } from '../ambient/user-place.ts';
import type { Finding } from '../contract/finding.ts';
import type { ClusterState, Invariant } from '../contract/world.ts';

/** The user's invariants. One that throws is a finding. */
export class InvariantChecks {
  readonly #always: readonly Extract<Invariant, { readonly always: unknown }>[];
  readonly #report: (finding: Finding) => void;

  constructor(invariants: readonly Invariant[], report: (finding: Finding) => void) {
    this.#always = invariants.filter((one) => 'always' in one);
    this.#report = report;
  }

  /** Checks what has to hold in every state. */
  always(state: ClusterState, atMs: number): void {
    for (const { name, always } of this.#always) {
      let message: string | undefined;
      try {
        message = always(state);
      } catch (error) {
        message = thrown(error);
      }
      if (message !== undefined) this.#report({ class: 'invariant', subject: name, message, atMs });
    }
  }

  /** Whether a condition holds. */
  holds(name: string, condition: () => boolean): boolean {
    try {
      return condition();
    } catch (error) {
      const message = thrown(error);
      this.#report({ class: 'invariant', subject: name, message });
      return true;
    }
  }
}

function thrown(error: unknown): string {
  return `the invariant threw: ${errorMessage(error)}${atPlaceOf(error)}`;
}
