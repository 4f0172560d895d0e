/**
 * Works on the items, `most` at a time; the results are in the order of the items. After a failure no item is begun, and those that
 * were begun end first.
 */
export async function inTurn<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
