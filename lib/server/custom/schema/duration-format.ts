const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PARTS = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const PART = /(\d+)\s*([A-Za-zµ]+)/g;
const NANOS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const LONGEST_NANOS = 2 ** 63;

/** Units as Scala writes them; the last one of a unit may have an ending: `2 hours`. */
const UNITS: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** Whether a text is a duration of Go or of Scala: `1h30m`, `2 days`. */
export function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) {
    let nanos = 0;
    for (const [, count = '', unit = ''] of text.matchAll(PARTS)) {
      nanos += Number(count) * (NANOS[unit] ?? 0);
    }
    if (nanos < LONGEST_NANOS) return true;
  }
  let found = false;
  for (const [, count = '', name = ''] of text.matchAll(PART)) {
    if (Number(count) >= LONGEST_NANOS) return false;
    const unit = name.toLowerCase();
    found ||= UNITS.some(
      (names) => names.includes(unit) || unit.startsWith(names.at(-1) as string),
    );
  }
  return found;
}
