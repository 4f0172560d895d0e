/**
 * Long rows of like cases: `npm test` takes a share of each, the same in every run. With LISTWATCH_WHOLE=1 all of them run; with
 * LISTWATCH_SHARE=N another share, as in `.ci/run`, which draws N and prints it.
 */
export const isWhole: boolean = process.env['LISTWATCH_WHOLE'] === '1';

const OFFSET = Number(process.env['LISTWATCH_SHARE'] ?? 0);

/** Every `of`-th of the items, or all. */
export function shareOf<T>(items: readonly T[], of: number): readonly T[] {
  return isWhole ? items : items.filter((_, index) => index % of === OFFSET % of);
}
