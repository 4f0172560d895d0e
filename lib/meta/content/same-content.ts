/** A quantity: sign, digits with a point, and a suffix or an exponent. */
const QUANTITY_FORM =
  /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/;

const EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY = 'KMGTPE';

/** A number as digits × 10 ^ exponent. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent = '0'] =
    QUANTITY_FORM.exec(String(value)) ?? [];
  const text = whole + fraction;
  if (text === '') return undefined;
  const isBinary = suffix.length === 2;
  const factor = isBinary ? 1024n ** BigInt(BINARY.indexOf(suffix.charAt(0)) + 1) : 1n;
  const power = isBinary ? 0 : (EXPONENTS[suffix] ?? Number(exponent));
  return {
    digits: BigInt(text) * factor * (sign === '-' ? -1n : 1n),
    exponent: power - fraction.length,
  };
}

/**
 * Whether two quantities are the same number, such as `1000m` and `1`, or `1Gi` and `1024Mi`. False when one is no quantity.
 * @see apimachinery pkg/api/resource/quantity.go Cmp @ v0.36.3
 */
function sameQuantity(one: unknown, other: unknown): boolean {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a === undefined || b === undefined) return false;
  const least = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent }: Decimal): bigint =>
    digits * 10n ** BigInt(exponent - least);
  return scaled(a) === scaled(b);
}

const TIME_FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Seconds since 1970 and their fraction, as one text. */
function instantOf(value: unknown): string | undefined {
  const text = value instanceof Date ? value.toISOString() : value;
  if (typeof text !== 'string') return undefined;
  const [, seconds = '', fraction = '', zone = ''] = TIME_FORM.exec(text) ?? [];
  const atMs = Date.parse(seconds + zone);
  return Number.isNaN(atMs) ? undefined : `${atMs}.${fraction.replace(/0+$/, '')}`;
}

/** Whether two times, texts of RFC 3339 or `Date`, are the same instant. False when one is no time. */
function sameInstant(one: unknown, other: unknown): boolean {
  const instant = instantOf(one);
  return instant !== undefined && instant === instantOf(other);
}

export interface SameContentOptions {
  /** Whether `status` does not count. @defaultValue false */
  readonly ignoreStatus?: boolean | undefined;
  /**
   * Whether fields count only if `one` sets them: `one` is written by hand, `other` has the defaults of the server. Lists must be
   * of the same length. A `false`, `0` or empty text of `one` may be absent in `other`, because the server leaves many of them out.
   * A field that `one` no longer sets goes unnoticed; `apply` removes it.
   * @defaultValue false
   */
  readonly ignoreUnset?: boolean | undefined;
}

/**
 * Whether two objects mean the same, as a controller compares what it wants with what is stored.
 *
 * - A field that is absent equals one that is undefined, null or an empty list. An empty text or object counts as a value: in
 *   `storageClassName: ''` and `emptyDir: {}` it is one. Maps that Kubernetes keeps, such as `labels`, `data`, `nodeSelector` and
 *   `limits`, may be empty or absent.
 * - `metadata` counts only with what a client decides: `resourceVersion`, `uid`, `generation`, `managedFields`, the timestamps and
 *   `selfLink` do not count.
 * - Quantities are compared as numbers, `1000m` equals `1`, where Kubernetes has quantities: in `requests`, `limits`, `capacity`,
 *   `hard`, `sizeLimit` and the like. Times are compared as instants, in fields named after a time, such as `renewTime`.
 * - `stringData` of a Secret is what it becomes: `data` in base64.
 * - `status` counts unless option `ignoreStatus` is set; fields that only the server has set count unless `ignoreUnset` is set.
 *
 * @see apimachinery pkg/api/equality/semantic.go DeepEqual, DeepDerivative @ v0.36.3; it knows the Go types, this the names of fields
 */
export function sameContent(
  one: unknown,
  other: unknown,
  { ignoreStatus = false, ignoreUnset = false }: SameContentOptions = {},
): boolean {
  const comparison: Comparison = { ignoreUnset };
  if (!isRecord(one) || !isRecord(other)) return same(one, other, '', comparison);
  const skipped = ignoreStatus ? TOP_WITHOUT_STATUS : TOP;
  return (
    sameMembers(storedForm(one), storedForm(other), '', comparison, (name) => skipped.has(name)) &&
    sameMembers(metadataOf(one), metadataOf(other), '', comparison, (name) =>
      SERVER_METADATA.has(name),
    )
  );
}

interface Comparison {
  readonly ignoreUnset: boolean;
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

/** Fields below which all is quantities. */
const QUANTITIES: ReadonlySet<string> = new Set([
  'requests',
  'limits',
  'capacity',
  'allocatable',
  'allocatedResources',
  'hard',
  'used',
  'podFixed',
]);
/** Fields that are quantities. */
const QUANTITY: ReadonlySet<string> = new Set(['sizeLimit', 'divisor', 'averageValue']);
/** Fields whose members are texts of users; also maps that Go takes as the same whether they are empty or nil. */
const TEXTS: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'data',
  'binaryData',
  'stringData',
]);
const TIME = /(?:[Tt]ime|[Tt]imestamp)$/;

type JsonObject = Readonly<Record<string, unknown>>;

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isRecord(metadata) ? metadata : {};
}

/** `stringData` is only ever written. */
function storedForm(object: JsonObject): JsonObject {
  const { kind, data, stringData } = object;
  if (kind !== 'Secret' || !isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([name, text]) => [
    name,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const merged: JsonObject = Object.fromEntries([
    ...Object.entries(isRecord(data) ? data : {}),
    ...encoded,
  ]);
  return { ...object, data: merged, stringData: undefined };
}

/** `within` is the name of the field that has the value, or has the list of which the value is an item. */
function same(one: unknown, other: unknown, within: string, comparison: Comparison): boolean {
  if (one === other || (isEmpty(one, within) && isEmpty(other, within))) return true;
  if (comparison.ignoreUnset) {
    if (isEmpty(one, within) || (isZero(one) && other === undefined)) return true;
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return (
      one.length === other.length &&
      one.every((item, index) => same(item, other[index], within, comparison))
    );
  }
  if (one instanceof Date || other instanceof Date) return sameInstant(one, other);
  if (isRecord(one) || isRecord(other)) {
    const [a, b] = [recordOf(one, within), recordOf(other, within)];
    return a !== undefined && b !== undefined && sameMembers(a, b, within, comparison, never);
  }
  return false;
}

function sameMembers(
  one: JsonObject,
  other: JsonObject,
  within: string,
  comparison: Comparison,
  isSkipped: (name: string) => boolean,
): boolean {
  for (const name of Object.keys(one)) {
    if (isSkipped(name)) continue;
    const [a, b] = [one[name], ownOf(other, name)];
    if (!sameScalar(a, b, name, within) && !same(a, b, below(name, within), comparison))
      return false;
  }
  if (comparison.ignoreUnset) return true;
  for (const name of Object.keys(other)) {
    if (!isSkipped(name) && !Object.hasOwn(one, name) && !isEmpty(other[name], name)) return false;
  }
  return true;
}

function below(name: string, within: string): string {
  return QUANTITIES.has(within) ? within : name;
}

/** Two forms of one quantity or time. */
function sameScalar(one: unknown, other: unknown, name: string, within: string): boolean {
  if (one === other) return true;
  if (QUANTITIES.has(within) || QUANTITY.has(name)) return sameQuantity(one, other);
  return !TEXTS.has(within) && TIME.test(name) && sameInstant(one, other);
}

const never = (): boolean => false;

function ownOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isMap(name: string): boolean {
  return TEXTS.has(name) || QUANTITIES.has(name);
}

function isEmpty(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && isMap(name) && Object.keys(value).length === 0;
}

function isZero(value: unknown): boolean {
  return value === false || value === 0 || value === '';
}

/** A map that is absent is empty. */
function recordOf(value: unknown, name: string): JsonObject | undefined {
  if (isRecord(value)) return value;
  return isMap(name) && isEmpty(value, name) ? {} : undefined;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
