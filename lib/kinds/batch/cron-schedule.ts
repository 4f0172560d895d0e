import { goDuration } from '../../server/registry/rules/go-duration.ts';
import { timeZoneProblem } from './time-zone.ts';

/** A field of a schedule: its limits, and names for numbers. */
interface CronField {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');

const FIELDS: readonly CronField[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];

const DESCRIPTORS = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const EVERY = '@every ';

/**
 * Why a schedule cannot be read, in the words of the library that kube-apiserver reads it with; undefined when it can.
 * @see github.com/robfig/cron v3.0.1 parser.go
 */
export function scheduleProblem(schedule: string): string | undefined {
  let rest = schedule;
  const zone = /^(?:CRON_)?TZ=/.exec(schedule);
  if (zone !== null) {
    const space = schedule.indexOf(' ');
    if (space < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
    const name = schedule.slice(zone[0].length, space);
    const problem = timeZoneProblem(name);
    if (problem !== undefined) return `provided bad location ${name}: ${problem}`;
    rest = schedule.slice(space).trim();
  }
  if (rest.startsWith('@')) return descriptorProblem(rest);
  const parts = rest.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(',')) {
      const problem = range === '' ? undefined : rangeProblem(range, FIELDS[index] as CronField);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const every = goDuration(text.slice(EVERY.length));
  return typeof every === 'string' ? `failed to parse duration ${text}: ${every}` : undefined;
}

/** A number, or why there is none. */
type Read = number | string;

function rangeProblem(text: string, field: CronField): string | undefined {
  const steps = text.split('/');
  const limits = (steps[0] as string).split('-');
  let start: Read = field.least;
  let end: Read = field.most;
  if (limits[0] !== '*' && limits[0] !== '?') {
    start = numberOrName(limits[0] as string, field);
    if (typeof start === 'string') return start;
    if (limits.length > 2) return `too many hyphens: ${text}`;
    end = limits.length === 1 ? start : numberOrName(limits[1] as string, field);
    if (typeof end === 'string') return end;
  }
  if (steps.length > 2) return `too many slashes: ${text}`;
  const step = steps.length === 1 ? 1 : numberOf(steps[1] as string);
  if (typeof step === 'string') return step;
  if (steps.length === 2 && limits.length === 1) end = field.most;
  return limitProblem({ start, end, step }, text, field);
}

function limitProblem(
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
  text: string,
  { least, most }: CronField,
): string | undefined {
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${text}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function numberOrName(text: string, { least, names }: CronField): Read {
  const place = names?.indexOf(text.toLowerCase()) ?? -1;
  return place < 0 ? numberOf(text) : least + place;
}

const LARGEST_INT64 = 2n ** 63n;

function numberOf(text: string): Read {
  const failed = (why: string): string =>
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`;
  if (!/^[+-]?\d+$/.test(text)) return failed('invalid syntax');
  const isLong = text.length > 18 && BigInt(text.replace('+', '')) >= LARGEST_INT64;
  if (isLong) return failed('value out of range');
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
