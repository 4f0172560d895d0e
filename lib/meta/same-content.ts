/**
 * Whether two objects mean the same, as a controller compares what it wants with what is stored.
 *
 * - A field that is absent equals one that is undefined, null or an empty list. An empty text or object counts as a value: in
 *   `storageClassName: ''` and `emptyDir: {}` it is one.
 * - `metadata` counts only with what a client decides: `resourceVersion`, `uid`, `generation`, `managedFields`, the timestamps and
 *   `selfLink` do not count. Labels and annotations may be empty or absent.
 * - `status` counts unless option `ignoreStatus` is set.
 *
 * Quantities and times are compared as texts: the server stores them in one form, which the answer of a write has.
 */
export function sameContent(
  one: unknown,
  other: unknown,
  { ignoreStatus = false }: { readonly ignoreStatus?: boolean | undefined } = {},
): boolean {
  if (!isRecord(one) || !isRecord(other)) return same(one, other);
  const skipped = ignoreStatus ? TOP_WITHOUT_STATUS : TOP;
  return sameMembers(one, other, (name) => skipped.has(name)) && sameMetadata(one, other);
}

const TOP: ReadonlySet<string> = new Set(['metadata']);
const TOP_WITHOUT_STATUS: ReadonlySet<string> = new Set(['metadata', 'status']);

const SERVER_METADATA: ReadonlySet<string> = new Set([
  'resourceVersion',
  'uid',
  'generation',
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
]);

function sameMetadata(one: JsonObject, other: JsonObject): boolean {
  return sameMembers(metadataOf(one), metadataOf(other), (name) => SERVER_METADATA.has(name));
}

/** Without empty maps. */
function metadataOf({ metadata }: JsonObject): JsonObject {
  const members = isRecord(metadata) ? Object.entries(metadata) : [];
  return Object.fromEntries(
    members.filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );
}

type JsonObject = Readonly<Record<string, unknown>>;

function same(one: unknown, other: unknown): boolean {
  if (one === other || (isEmpty(one) && isEmpty(other))) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  }
  if (one instanceof Date || other instanceof Date) return textOf(one) === textOf(other);
  return isRecord(one) && isRecord(other) && sameMembers(one, other, never);
}

function sameMembers(
  one: JsonObject,
  other: JsonObject,
  isSkipped: (name: string) => boolean,
): boolean {
  for (const name of Object.keys(one)) {
    if (!isSkipped(name) && !same(one[name], ownOf(other, name))) return false;
  }
  for (const name of Object.keys(other)) {
    if (!isSkipped(name) && !Object.hasOwn(one, name) && !isEmpty(other[name])) return false;
  }
  return true;
}

const never = (): boolean => false;

function ownOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function textOf(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : value;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
