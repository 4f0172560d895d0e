/** Nanoseconds of each unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['\u00B5s', 1e3],
  ['\u03BCs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);
const MOST_NANOSECONDS = 2 ** 63;

/** A duration such as `1m30s` in nanoseconds, or in Go's words why the text is none. @see time.ParseDuration of Go 1.26 */
export function goDuration(text: string): number | string {
  const about = (problem: string): string => `time: ${problem} ${JSON.stringify(text)}`;
  const invalid = about('invalid duration');
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '') return invalid;
  const term = /(\d*)(?:\.(\d*))?([^.\d]*)/y;
  let total = 0;
  while (term.lastIndex < rest.length) {
    const [, whole = '', fraction = '', unit = ''] = term.exec(rest) ?? [];
    if (whole === '' && fraction === '') return invalid;
    if (unit === '') return about('missing unit in duration');
    const size = UNITS.get(unit);
    if (size === undefined) return about(`unknown unit ${JSON.stringify(unit)} in duration`);
    total += Number(`${whole === '' ? '0' : whole}.${fraction}`) * size;
    if (total >= MOST_NANOSECONDS) return invalid;
  }
  return text.startsWith('-') ? -total : total;
}
