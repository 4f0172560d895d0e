/** Puts another value in the place of a property, which keeps its other attributes. */
export function replaceProperty(target: object, name: PropertyKey, value: unknown): void {
  const { enumerable = true, configurable = true } =
    Object.getOwnPropertyDescriptor(target, name) ?? {};
  if (!configurable) {
    // A getter of Node that cannot be replaced gives what is replaced elsewhere.
    Reflect.set(target, name, value);
    return;
  }
  Object.defineProperty(target, name, { value, enumerable, configurable: true, writable: true });
}

/** The same, if the property is there. */
export function replaceFunction(
  target: object,
  name: PropertyKey,
  replacement: (real: Callable) => Callable,
): void {
  const real: unknown = Reflect.get(target, name);
  if (typeof real === 'function') replaceProperty(target, name, replacement(real as Callable));
}

/** A function of unknown parameters. */
export type Callable = (this: unknown, ...parameters: unknown[]) => unknown;
