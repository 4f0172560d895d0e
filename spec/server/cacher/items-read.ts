import { OrderedCursor } from '../../../lib/server/cacher/window/ordered-store.ts';

/** Counts the items that are read one by one from the states of watch caches, until it is disposed of. */
export class ItemsRead implements Disposable {
  count = 0;
  readonly #next = Object.getOwnPropertyDescriptor(OrderedCursor.prototype, 'next');

  constructor() {
    const { value } = this.#next as { value: (this: OrderedCursor<never>) => undefined };
    const counted = (): void => {
      this.count += 1;
    };
    OrderedCursor.prototype.next = function next(this: OrderedCursor<never>) {
      counted();
      return value.call(this);
    };
  }

  [Symbol.dispose](): void {
    Object.defineProperty(OrderedCursor.prototype, 'next', this.#next as PropertyDescriptor);
  }
}
