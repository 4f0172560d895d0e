import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

/** Virtual time in which no wait is spread, or each one by the same share. */
export class UnspreadRuntime extends VirtualRuntime {
  readonly #share: number;

  constructor(share: number = 0) {
    super();
    this.#share = share;
  }

  override random(): number {
    return this.#share;
  }
}
