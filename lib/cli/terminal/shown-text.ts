import { plainText } from '../../kernel/text/plain-text.ts';

/** The longest text of a server that is shown, characters. */
const LONGEST = 300;

/** One line without control characters: texts of servers and files must not reach a terminal as they are. */
export function shownText(text: string, longest: number = LONGEST): string {
  return plainText(text, longest);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** Bytes for people, e.g. `1.5 MiB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Milliseconds for people, e.g. `0.4 ms`, `12 ms` or `1.2 s`. */
export function timeText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A whole number with separators, the same in every locale, e.g. `12,345`. */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A number of things, e.g. `1 page` or `3 pages`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
