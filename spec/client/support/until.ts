const PATIENCE_MS = 2_000;

/** Waits until `condition` holds; says what did not come when it does not. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
