/** The range of RFC 3339: from the first second of year 0 to the last second of year 9999. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;
const SECONDS_OF_A_DAY = 86_400;

/** Years, months and days change rarely from one time to the next. */
let lastDay = Number.NaN;
let lastDayText = '';
let lastSecond = Number.NaN;
let lastSecondText = '';

/** `2030-01-02T03:04:05`. @throws {RangeError} for a year that has not four digits. */
function secondText(second: number): string {
  if (second === lastSecond) return lastSecondText;
  if (!(second >= FIRST_SECOND && second <= LAST_SECOND)) {
    throw new RangeError(`${second} seconds is not a time between the years 0 and 9999`);
  }
  const day = Math.floor(second / SECONDS_OF_A_DAY);
  if (day !== lastDay) {
    lastDayText = new Date(day * SECONDS_OF_A_DAY * 1_000)
      .toISOString()
      .slice(0, 'YYYY-MM-DDT'.length);
    lastDay = day;
  }
  const rest = second - day * SECONDS_OF_A_DAY;
  const minutes = Math.floor(rest / 60);
  lastSecondText = `${lastDayText}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(rest % 60)}`;
  lastSecond = second;
  return lastSecondText;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

/** A time in whole seconds: nanoseconds are dropped, as in the JSON of Kubernetes. @throws {RangeError} */
export function timeText(second: number): string {
  return `${secondText(second)}Z`;
}

/** A time with six digits of a fraction. @throws {RangeError} */
export function microTimeText(second: number, nanos: number): string {
  if (!(nanos >= 0 && nanos < 1e9)) {
    throw new RangeError(`${nanos} nanoseconds are not a fraction of a second`);
  }
  return `${secondText(second)}.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z`;
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** The times of one object are often the same. */
let lastText = '';
let lastTime: Timestamp = { seconds: 0, nanos: 0 };

/** The seconds since 1970, and the nanoseconds of the fraction. @throws {RangeError} for text that is not RFC 3339. */
export function parseTime(text: string): Timestamp {
  if (text !== lastText) {
    lastTime = readTime(text);
    lastText = text;
  }
  return lastTime;
}

function readTime(text: string): Timestamp {
  const match = RFC_3339.exec(text);
  const milliseconds =
    match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[4]}`);
  if (match === null || Number.isNaN(milliseconds))
    throw new RangeError('it is not a time of RFC 3339');
  return {
    seconds: milliseconds / 1_000,
    nanos: Number((match[3] ?? '').slice(0, 9).padEnd(9, '0')),
  };
}
