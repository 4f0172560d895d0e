import type { Revision } from '../../server/mvcc/contract/key-value-store.ts';
import { firstWith } from './key-value-history.ts';
import type { RecordedOperation } from './recorded-operation.ts';

/**
 * The order of revisions that follows from the times of calls and returns: an operation sees everything that returned before it
 * was called, and nothing that was called after it returned.
 */
export class RevisionOrder {
  /** By time of return, with the highest revision that was returned until then. */
  readonly #returns: { readonly at: number; readonly highest: Revision }[] = [];
  /** By revision, with the earliest return of an operation that saw this or a later one. */
  readonly #seen: { readonly revision: Revision; readonly at: number }[] = [];

  constructor(operations: readonly RecordedOperation[]) {
    const answered = operations.flatMap(({ returnedAt, outcome }) =>
      outcome.type === 'answered' ? [{ returnedAt, revision: outcome.response.revision }] : [],
    );
    let highest = 0n;
    for (const { returnedAt, revision } of answered.toSorted(
      (a, b) => a.returnedAt - b.returnedAt,
    )) {
      if (revision > highest) highest = revision;
      this.#returns.push({ at: returnedAt, highest });
    }
    let at = Number.POSITIVE_INFINITY;
    for (const { returnedAt, revision } of answered.toSorted(byRevision).toReversed()) {
      at = Math.min(at, returnedAt);
      this.#seen.push({ revision, at });
    }
    this.#seen.reverse();
  }

  /** The highest revision that was returned before a moment. */
  answeredBefore(moment: number): Revision {
    const next = firstWith(
      this.#returns.length,
      (index) => (this.#returns[index]?.at ?? 0) >= moment,
    );
    return this.#returns[next - 1]?.highest ?? 0n;
  }

  /** The time of the first result with a revision or a later one; infinite if there is none. */
  knownAt(revision: Revision): number {
    const next = firstWith(
      this.#seen.length,
      (index) => (this.#seen[index]?.revision ?? 0n) >= revision,
    );
    return this.#seen[next]?.at ?? Number.POSITIVE_INFINITY;
  }
}

function byRevision(
  left: { readonly revision: Revision },
  right: { readonly revision: Revision },
): number {
  return left.revision < right.revision ? -1 : left.revision > right.revision ? 1 : 0;
}
