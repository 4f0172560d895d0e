/** Waits for a condition; fails with its name when it does not come true in time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs: number = 15_000,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`gave up after ${limitMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
