import { createHash } from 'node:crypto';

/** Larger bodies, e.g. OpenAPI documents, are compared by their digest. Characters of JSON. */
const LARGEST_BODY = 24_000;
const DAY_MS = 86_400_000;

const UUID = /\b(?!0{8})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const SERVICE_ADDRESS = /\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g;
const VERSION_IN_TEXT =
  /((?:resource ?version|current|version in precondition|in object meta): )\d+( \()?/gi;
/** Of a precondition. */
const VERSION_IN_BRACKETS = /(ResourceVersion in (?:the precondition|record) \()\d+\)/g;
/** Of an object that a message quotes. */
const VERSION_IN_JSON = /(\\?"resourceVersion\\?":\\?")\d+/g;
const CURRENT_IN_TEXT = /(\{rv\} \()\d+\)/g;
/** Ages in tables. */
const AGE = /^(?:\d+[smhdy])+$/;
/** The caller: the name of the administrator is a choice of the server, so that of the embedded one counts as that of the real one. */
const EMBEDDED_USER = 'listwatch:admin';
const REAL_USER = 'admin';
const NODE_PORT_IN_CELL = /:3\d{4}\//g;

/** Parts that differ from run to run, and are no part of the answer. */
export interface RunFacts {
  /** The namespace of the scenario in this run. */
  readonly namespace: string;
  readonly nowMs: number;
}

/**
 * The body of an answer without that which differs from run to run: uids, resource versions, times within a day of now, names that
 * the server generated, tokens, addresses and ports that the server allocated, ages in tables. Messages stay. The field sets of `managedFields` are shortened.
 */
export function normalise(body: unknown, facts: RunFacts): unknown {
  const names = new Map<string, string>();
  collectGeneratedNames(body, names);
  const normal = visit(body, '', { ...facts, names });
  const text = JSON.stringify(normal) ?? '';
  if (text.length <= LARGEST_BODY) return normal;
  return { sha256: createHash('sha256').update(canonical(normal)).digest('hex') };
}

const UNORDERED: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceRules',
  'nonResourceRules',
]);

/** Text of a value in which the order of members does not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    // Entries are in the order of their times, which are masked: two writes may fall into one second or into two.
    // Rules of a user are in the order of Go's map of bindings, which is random.
    if (UNORDERED.has(key) && Array.isArray(member)) return member.map(canonical).toSorted();
    return isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  });
}

/** The body without `managedFields`, which has the origin of a field and not its value. */
export function withoutManagedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutManagedFields);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'managedFields');
  return Object.fromEntries(members.map(([name, one]) => [name, withoutManagedFields(one)]));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Masks extends RunFacts {
  readonly names: ReadonlyMap<string, string>;
}

function visit(value: unknown, key: string, masks: Masks): unknown {
  if (typeof value === 'string') return text(value, key, masks);
  if (typeof value === 'number') return isPort(key) && value >= 30_000 ? '{port}' : value;
  if (Array.isArray(value)) return value.map((item) => visit(item, key, masks));
  if (!isRecord(value)) return value;
  if (key === 'fieldsV1') return fieldSet(value);
  const members = Object.entries(value).map(([name, member]) => [
    text(name, '', masks),
    visit(member, name, masks),
  ]);
  return Object.fromEntries(members) as unknown;
}

/** The set of fields of a manager, shorter: `metadata(labels(. app))`. Their order does not count. */
function fieldSet(fields: Record<string, unknown>): string {
  const parts = Object.entries(fields).map(([name, below]) => {
    const inner = isRecord(below) ? fieldSet(below) : '';
    const short = name.startsWith('f:') ? name.slice(2) : name;
    return inner === '' ? short : `${short}(${inner})`;
  });
  return parts.toSorted().join(' ');
}

function isPort(key: string): boolean {
  return key === 'nodePort' || key === 'healthCheckNodePort';
}

function text(value: string, key: string, { namespace, nowMs, names }: Masks): string {
  if (key === 'resourceVersion' && /^[1-9]\d*$/.test(value)) return '{rv}';
  if (key === 'continue' && value !== '') return '{continue}';
  if (key === 'token' && value.length > 40) return '{token}';
  // Of a definition: the group is called after the namespace.
  if (key === 'storageVersionHash' && namespace !== '') return '{hash}';
  if (key === 'serverAddress') return '{address}';
  if (key === 'cells' && AGE.test(value)) return '{age}';
  let masked = value;
  for (const [name, mask] of names) masked = masked.replaceAll(name, mask);
  if (namespace !== '') masked = masked.replaceAll(namespace, '{ns}');
  if (key === 'cells') masked = masked.replaceAll(NODE_PORT_IN_CELL, ':{port}/');
  return masked
    .replaceAll(EMBEDDED_USER, REAL_USER)
    .replaceAll(UUID, '{uid}')
    .replaceAll(TIME, (time) => (Math.abs(Date.parse(time) - nowMs) < DAY_MS ? '{time}' : time))
    .replaceAll(SERVICE_ADDRESS, '{address}')
    .replaceAll(VERSION_IN_TEXT, '$1{rv}$2')
    .replaceAll(VERSION_IN_BRACKETS, '$1{rv})')
    .replaceAll(VERSION_IN_JSON, '$1{rv}')
    .replaceAll(CURRENT_IN_TEXT, '$1{rv})');
}

/** A name is generated when it begins with the `generateName` beside it. */
function collectGeneratedNames(value: unknown, names: Map<string, string>): void {
  if (Array.isArray(value)) for (const item of value) collectGeneratedNames(item, names);
  if (!isRecord(value)) return;
  const { name, generateName: prefix } = value;
  if (typeof name === 'string' && typeof prefix === 'string' && prefix !== '') {
    if (name.startsWith(prefix) && name.length > prefix.length)
      names.set(name, `${prefix}{random}`);
  }
  for (const member of Object.values(value)) collectGeneratedNames(member, names);
}
