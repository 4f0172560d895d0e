import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { PageCycle } from '../../../meta/page-cycle.ts';

/** Checks the pages of the present list of a reflector: a continue token must not repeat. */
export class PageSequence {
  #cycle = new PageCycle();

  /** @throws {ListwatchError} code MALFORMED_RESPONSE when the pages go round in a circle. */
  check(
    asked: { readonly continueToken?: string | undefined },
    { continueToken = '' }: { readonly continueToken?: string | undefined },
    name: string,
  ): void {
    if (asked.continueToken === undefined) this.#cycle = new PageCycle();
    if (continueToken === '' || !this.#cycle.repeats(continueToken)) return;
    const text = `the pages of the list of ${name} go round in a circle: its source has to end with a page without continueToken`;
    throw new ListwatchError('MALFORMED_RESPONSE', text);
  }
}
