import type { SpanContext } from '../../../kernel/report/tracer.ts';
import type { KubernetesObject } from '../../../meta/object.ts';

/** A write, as its sender knew it. */
export interface SentWrite {
  /** The state that the sender knew of when it sent the write; undefined if it knew none. */
  readonly before: KubernetesObject | undefined;
  readonly body: unknown;
  readonly subresource: string | undefined;
  /** Whether the write can only make a new object. */
  readonly creates: boolean;
  /** The span of its request. */
  span?: SpanContext | undefined;
  /** Whether it has made the version of its answer for sure. */
  isMaker?: boolean | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of the metadata that every change sets, or that follow from others. */
const KEPT_BY_SERVER: ReadonlySet<string> = new Set([
  'generation',
  'managedFields',
  'resourceVersion',
]);

/**
 * Whether the answer to a write has no change of others that the sender has not seen.
 *
 * The answer of a write that changes nothing is the present state, and its resource version is that of the last change, which may be one
 * of another client. Nothing in an answer says so. Therefore each difference between the state before and the answer must lie in what
 * was sent. In doubt the result is false: a controller then runs once more, and changes nothing.
 *
 * Not noticed: another client that writes the very same fields meanwhile; the sender has asked for these values.
 */
export function isOwnChange(
  answer: KubernetesObject,
  { before, body, subresource, creates }: SentWrite,
): boolean {
  if (creates) return true;
  if (before === undefined || before.metadata?.uid !== answer.metadata?.uid) {
    return hasOneManager(answer);
  }
  if (before.metadata?.resourceVersion === answer.metadata?.resourceVersion) return false;
  // The places of other bodies, those of JSON patches, are not read.
  if (!isFields(body)) return false;
  // The server reads nothing else of a whole object that is sent for its status.
  const sent = subresource === 'status' ? { status: body['status'] } : body;
  return isWithin(compared(before), compared(answer), sent);
}

/**
 * Whether the version of an answer is one that this write made: a write that changes nothing is answered with an older one. Undefined: the write
 * named no version that it starts from, see `isOwnChange`.
 */
export function madeVersion(
  { metadata }: KubernetesObject,
  { body }: SentWrite,
): boolean | undefined {
  const sent = (isFields(body) ? body : {}) as KubernetesObject;
  const { resourceVersion: from = '' } = sent.metadata ?? {};
  // The server has checked that nothing came in between.
  return from === '' ? undefined : metadata?.resourceVersion !== from;
}

/** Whether one manager alone has written to an object that the sender did not know. */
function hasOneManager({ metadata }: KubernetesObject): boolean {
  const { managedFields = [] } = (metadata ?? {}) as {
    readonly managedFields?: readonly { readonly manager?: string }[];
  };
  return new Set(managedFields.map(({ manager }) => manager)).size <= 1;
}

/** Whether all differences lie in what `sent` has. A list, a text or a number covers what is below it. */
function isWithin(before: unknown, after: unknown, sent: unknown): boolean {
  if (isSame(before, after)) return true;
  if (sent === undefined) return false;
  if (!isFields(sent) || !isFields(after)) return true;
  const earlier = isFields(before) ? before : {};
  const names = new Set([...Object.keys(earlier), ...Object.keys(after)]);
  return [...names].every((name) => isWithin(earlier[name], after[name], ownField(sent, name)));
}

/** An object without what every change sets, and without its type. */
function compared(object: KubernetesObject): Fields {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const fields = (metadata ?? {}) as Fields;
  const decided = Object.keys(fields).filter((name) => !KEPT_BY_SERVER.has(name));
  return { ...rest, metadata: Object.fromEntries(decided.map((name) => [name, fields[name]])) };
}

function ownField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of values that came as JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every(
    (name) => Object.hasOwn(other, name) && isSame((one as Fields)[name], (other as Fields)[name]),
  );
}
