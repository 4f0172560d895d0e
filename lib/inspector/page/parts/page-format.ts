const NATURAL = new Intl.Collator('en', { numeric: true });

/** `page-2` before `page-10`. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return NATURAL.compare(one.name, other.name);
}

export function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return NATURAL.compare(one.key, other.key);
}

const GROUPS = new Intl.NumberFormat('en-US');

/** `12,345` */
export function count(value: number): string {
  return GROUPS.format(Math.round(value));
}

/** `1 key`, `2 keys` */
export function plural(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `0`, `0.4`, `12`, `1,024` */
export function rate(value: number): string {
  if (value === 0) return '0';
  return value < 10 ? value.toFixed(1) : count(value);
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export function bytes(value: number): string {
  let [size, unit] = [value, 0];
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

/** `850 µs`, `12 ms`, `3.4 s`, `2 m 10 s`, `3 h 5 m`, `2 d 4 h` */
export function span(ms: number): string {
  if (ms < 1) return ms <= 0 ? '0 ms' : `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.floor(ms / 1000);
  const pair = (large: number, one: string, small: number, other: string): string =>
    small === 0 ? `${large} ${one}` : `${large} ${one} ${small} ${other}`;
  if (seconds < 3600) return pair(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  return pair(Math.floor(minutes / 1440), 'd', Math.floor((minutes % 1440) / 60), 'h');
}

/** `14:03:27` in the time of the reader. */
export function clock(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

/** `14:03:27.045` */
export function exactClock(ms: number): string {
  return `${clock(ms)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}`;
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value >= 99.95 || value < 0.05 ? Math.round(value) : value.toFixed(1)} %`;
}

export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
