/**
 * Long rows of like cases: `npm test` takes a share of each, the same in every run; with LISTWATCH_WHOLE=1, as in `.ci/run`, all of them
 * run.
 */
export const isWhole: boolean = process.env['LISTWATCH_WHOLE'] === '1';

/** Every `of`-th of the items, or all. */
export function shareOf<T>(items: readonly T[], of: number): readonly T[] {
  return isWhole ? items : items.filter((_, index) => index % of === 0);
}
