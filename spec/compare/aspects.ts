import { canonical, isRecord, withoutManagedFields } from './normalise.ts';
import type { Answer } from './scenario.ts';

/** The aspects in which two answers are compared, in the order of the table. */
export const ASPECTS = ['status', 'reason', 'causes', 'headers', 'body', 'all'] as const;

/**
 * `headers`: media type and warnings. `body`: the normalised body without `managedFields`. `all`: with them. An aspect counts
 * as the same only when the status is the same.
 */
export type Aspect = (typeof ASPECTS)[number];

/** The aspects in which two answers to a request are the same. */
export function sameAspects(one: Answer, other: Answer): ReadonlySet<Aspect> {
  const same = new Set<Aspect>();
  if (one.status !== other.status) return same;
  same.add('status');
  if (equal(member(one, 'reason'), member(other, 'reason'))) same.add('reason');
  if (equal(causesOf(one), causesOf(other))) same.add('causes');
  if (one.type === other.type && equal(one.warnings ?? [], other.warnings ?? [])) {
    same.add('headers');
  }
  if (equal(withoutManagedFields(one.body), withoutManagedFields(other.body))) same.add('body');
  if (equal(one.body, other.body)) same.add('all');
  return same;
}

/** Reason and field of each cause; messages are part of the body. */
function causesOf(answer: Answer): unknown {
  const details = member(answer, 'details');
  if (!isRecord(details) || !Array.isArray(details['causes'])) return [];
  return details['causes'].map((cause: unknown) =>
    isRecord(cause) ? [cause['reason'], cause['field']] : cause,
  );
}

/** Of a Status only. */
function member({ body }: Answer, name: string): unknown {
  return isRecord(body) && body['kind'] === 'Status' ? body[name] : undefined;
}

function equal(one: unknown, other: unknown): boolean {
  return canonical(one ?? null) === canonical(other ?? null);
}

/** The places in which two bodies differ, at most `most`, as lines. */
export function differences(one: unknown, other: unknown, most: number): string[] {
  const found: string[] = [];
  compareAt('', one, other, found);
  const rest = found.length - most;
  return rest > 0 ? [...found.slice(0, most), `and ${rest} more`] : found;
}

function compareAt(path: string, one: unknown, other: unknown, found: string[]): void {
  if (canonical(one ?? null) === canonical(other ?? null)) return;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (const [index, item] of one.entries())
      compareAt(`${path}[${index}]`, item, other[index], found);
    return;
  }
  if (isRecord(one) && isRecord(other)) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      compareAt(`${path}.${name}`, one[name], other[name], found);
    }
    return;
  }
  found.push(`${path || '.'}: ${short(one)} | ${short(other)}`);
}

const LONGEST_VALUE = 160;

function short(value: unknown): string {
  return value === undefined ? '–' : JSON.stringify(value).slice(0, LONGEST_VALUE);
}
