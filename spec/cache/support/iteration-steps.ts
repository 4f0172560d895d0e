const ITERATORS = ['keys', 'values', 'entries', Symbol.iterator] as const;

type Method = (...args: unknown[]) => unknown;

/** The items that loops over maps and sets look at while `run` is under way: a measure of work that no clock is in. */
export async function iterationSteps(run: () => unknown): Promise<number> {
  let steps = 0;
  const restore: (() => void)[] = [];
  const replace = (target: object, name: PropertyKey, by: (original: Method) => Method): void => {
    const original = Reflect.get(target, name) as Method;
    const put = (value: Method): void => {
      Reflect.defineProperty(target, name, { value, writable: true, configurable: true });
    };
    put(by(original));
    restore.push(() => put(original));
  };
  for (const prototype of [Map.prototype, Set.prototype]) {
    for (const name of ITERATORS) {
      replace(prototype, name, (original) => {
        return function* counted(this: unknown): IterableIterator<unknown> {
          const items = Reflect.apply(original, this, []) as IterableIterator<unknown>;
          for (let item = items.next(); item.done !== true; item = items.next()) {
            steps += 1;
            yield item.value;
          }
        };
      });
    }
    replace(prototype, 'forEach', (original) => {
      return function counted(this: Set<unknown>, ...args: unknown[]): unknown {
        steps += this.size;
        return Reflect.apply(original, this, args);
      };
    });
  }
  try {
    await run();
  } finally {
    for (const one of restore) one();
  }
  return steps;
}
