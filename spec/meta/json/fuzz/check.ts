import { isDeepStrictEqual } from 'node:util';
import { JsonObjectDecoder } from '../../../../lib/client/rest/decode/object-decoder.ts';
import { FrameSplitter } from '../../../../lib/client/transport/body/frame-splitter.ts';
import { isListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { FastScanner } from '../../../../lib/meta/json/wasm/fast-scanner.ts';
import type { ObjectScan } from '../../../../lib/meta/json/object-scan.ts';
import { JsonView } from '../../../../lib/meta/json/json-view.ts';
import type { KnownValue, KnownValueOf } from '../../../../lib/meta/json/known-values.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { identityOf, type ObjectView } from '../../../../lib/meta/object-view.ts';
import { isRecord, isUnclosed, parseFrame, parsePage } from './parsed.ts';

/** How often something happened. */
export class Tally {
  readonly counts: Map<string, number> = new Map();

  count(what: string, by: number = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }
}

type View = ObjectView<UnstructuredObject>;

interface Failure {
  readonly failure: string;
}

/** A result that both ways of reading must share. */
type Outcome = Failure | { readonly value: unknown };

const decoder = new JsonObjectDecoder<UnstructuredObject>();
const javascript = new JsonObjectDecoder<UnstructuredObject>('javascript');
const scanners = [new FastScanner('webassembly'), new FastScanner('javascript')] as const;

/** Reads frames in pieces; returns what is wrong with what came out. */
export function checkFrames(pieces: readonly Buffer[], tally: Tally): string | undefined {
  const splitter = new FrameSplitter();
  const outcomes: Outcome[] = [];
  let scanned: string | undefined;
  const take = (bytes: Buffer, start: number, end: number): void => {
    scanned ??= scanDifference(bytes, start, end, tally);
    outcomes.push(outcomeOf(() => decodedEvent({ bytes }, start, end, tally)));
  };
  for (const piece of pieces) splitter.push(piece, take);
  splitter.end(take);
  const expected = linesOf(Buffer.concat(pieces)).map((frame) =>
    outcomeOf(() => expectedEvent(frame)),
  );
  for (const outcome of expected) {
    tally.count('failure' in outcome ? `frame: ${outcome.failure}` : 'frame: event');
  }
  return scanned ?? difference(outcomes, expected);
}

/** Scans a frame as an event and as an object, with WebAssembly and with JavaScript; returns what is different. */
function scanDifference(
  bytes: Buffer,
  start: number,
  end: number,
  tally: Tally,
): string | undefined {
  const [one, other] = scanners.map((scanner) => {
    const isEvent = scanner.scanEvent(bytes, start, end);
    const event = isEvent ? resultOf(scanner.scan) : undefined;
    if (isEvent && scanner === scanners[0]) tally.count('scan: event');
    scanner.load(bytes, start, end);
    const objectEnd = scanner.scanObject(start);
    const object = objectEnd < 0 ? undefined : resultOf(scanner.scan);
    if (objectEnd >= 0 && scanner === scanners[0]) tally.count('scan: object');
    return { isEvent, event, objectEnd, object };
  });
  return difference(one, other);
}

/** The result of a scan, without places of absent parts. */
function resultOf(scan: ObjectScan): unknown {
  const range = (start: number, end: number): unknown => (start < 0 ? 'absent' : [start, end]);
  const { plain, hasKind, hasApiVersion, name, namespace, uid, resourceVersion } = scan;
  // Of an object that is not plain, only its end is used.
  if (!plain) return { plain };
  return {
    plain,
    hasKind,
    hasApiVersion,
    name,
    namespace,
    uid,
    resourceVersion,
    metadata: range(scan.metadataStart, scan.metadataEnd),
    managedFields: range(scan.managedFieldsStart, scan.managedFieldsEnd),
    longest: range(scan.longestStart, scan.longestEnd),
  };
}

/** Reads a frame and a changed copy of it, both knowing a part of the frame; returns what is wrong with what came out. */
export function checkKnownValue(frame: Buffer, changed: Buffer, tally: Tally): string | undefined {
  const known = longestMemberOf(frame);
  if (known === undefined) return undefined;
  for (const bytes of [frame, changed]) {
    let asked = 0;
    const read = (knownValueOf?: KnownValueOf): Outcome =>
      outcomeOf(() => decodedEvent({ bytes }, 0, bytes.length, new Tally(), knownValueOf));
    const actual = read(() => {
      asked += 1;
      return known;
    });
    if (asked > 0) tally.count('frame: something was known of it');
    const problem = difference(actual, read());
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function longestMemberOf(frame: Buffer): KnownValue | undefined {
  try {
    const event = decoder.decodeEvent({ bytes: frame });
    if (event.type === 'BOOKMARK' || !(event.object instanceof JsonView)) return undefined;
    const known = (event.object as JsonView<UnstructuredObject>).longestMember;
    if (known === undefined) return undefined;
    const bytes = Buffer.from(known.bytes.subarray(known.start, known.end));
    return { bytes, start: 0, end: bytes.length };
  } catch {
    return undefined;
  }
}

export interface Taking {
  /** Whether items are taken once this piece is in; the others are in the page. */
  readonly takes: (piece: number) => boolean;
  /** Whether items are read only when the whole page is in. */
  readonly readsLate: boolean;
}

/** Reads a page in pieces; returns what is wrong with what came out. */
export function checkPage(
  pieces: readonly Buffer[],
  { takes, readsLate }: Taking,
  tally: Tally,
): string | undefined {
  const expected = outcomeOf(() => {
    const page = parsePage(Buffer.concat(pieces));
    return { ...page, items: page.items.map((object) => summaryOf(object)) };
  });
  const refusals: string[] = [];
  const taken = pieces.map((_, index) => takes(index));
  const [actual, other] = [decoder, javascript].map((reader) =>
    outcomeOf(() => {
      const list = reader.beginList();
      const items: (() => unknown)[] = [];
      const take = (views: readonly View[], isLate: boolean): void => {
        for (const view of views) {
          const read = isLate ? undefined : readView(view, tally);
          items.push(() => read ?? readView(view, tally));
        }
      };
      try {
        for (const [index, piece] of pieces.entries()) {
          list.push(piece);
          if (taken[index] === true) take(list.takeItems(), readsLate);
        }
        const page = list.end();
        take(page.items, true);
        return { ...page, items: items.map((read) => read()) };
      } catch (error) {
        if (items.length > 0) refusals.push((error as Error).message);
        throw error;
      }
    }),
  ) as [Outcome, Outcome];
  const scanned = difference(actual, other);
  if (scanned !== undefined) return scanned;
  // A text that stops within its JSON is an answer that was cut; JSON.parse does not distinguish the two.
  if (
    'failure' in actual &&
    actual.failure === 'CONNECTION_FAILED' &&
    'failure' in expected &&
    isUnclosed(Buffer.concat(pieces))
  ) {
    tally.count('page: CONNECTION_FAILED');
    return undefined;
  }
  // Accepted input cannot be refused later.
  tally.count('failure' in expected ? `page: ${expected.failure}` : 'page: list');
  const key = /it names its (\w+) twice/.exec(refusals[0] ?? '')?.[1];
  if (!('failure' in expected) && key !== undefined && comesTwice(key, Buffer.concat(pieces))) {
    tally.count('page: refused, it takes back what it said');
    return undefined;
  }
  return difference(actual, expected);
}

function decodedEvent(
  source: { readonly bytes: Buffer },
  start: number,
  end: number,
  tally: Tally,
  knownValueOf?: KnownValueOf,
): unknown {
  const event = decoder.decodeEvent(source, start, end, knownValueOf);
  if (event.type === 'BOOKMARK') return event;
  return { type: event.type, object: readView(event.object, tally) };
}

function expectedEvent(frame: Buffer): unknown {
  const event = parseFrame(frame);
  return event.type === 'BOOKMARK' ? event : { type: event.type, object: summaryOf(event.object) };
}

/** Reads a view in the order in which laziness shows. */
function readView(view: View, tally: Tally): unknown {
  const isLazy = view instanceof JsonView;
  tally.count(isLazy ? 'object: stays in its bytes' : 'object: parsed at once');
  const { name, namespace, uid, resourceVersion } = identityOf(view);
  const { metadata } = view;
  if (isLazy && isRecord(metadata) && Object.hasOwn(metadata, 'managedFields')) {
    throw new Error('managedFields are in the metadata');
  }
  return {
    identity: [name, namespace, uid, resourceVersion],
    metadata: withoutManagedFields(metadata),
    object: view.object,
  };
}

function summaryOf(object: unknown): unknown {
  const metadata = (object as { metadata?: unknown }).metadata ?? {};
  const { name, namespace, uid, resourceVersion } = metadata as Record<string, unknown>;
  return {
    identity: [name, namespace, uid, resourceVersion],
    metadata: withoutManagedFields(metadata),
    object,
  };
}

function withoutManagedFields(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  return Object.entries(metadata).filter(([key]) => key !== 'managedFields');
}

function linesOf(stream: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start <= stream.length; ) {
    const newline = stream.indexOf(0x0a, start);
    const end = newline === -1 ? stream.length : newline;
    const line = stream.subarray(start, stream[end - 1] === 0x0d && end > start ? end - 1 : end);
    if (/[^ \t\r]/.test(line.toString('latin1'))) lines.push(line);
    start = end + 1;
  }
  return lines;
}

/** Whether a key comes twice in the outermost object of a valid text. */
function comesTwice(key: string, json: Buffer): boolean {
  const tokens = json.toString('utf8').match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g) ?? [];
  let depth = 0;
  let times = 0;
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && tokens[index + 1] === ':' && JSON.parse(token) === key) times += 1;
  }
  return times > 1;
}

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (error) {
    return { failure: isListwatchError(error) ? error.code : String(error) };
  }
}

function difference(actual: unknown, expected: unknown): string | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length === expected.length) {
    const at = actual.findIndex((one, index) => !isDeepStrictEqual(one, expected[index]));
    return difference(actual[at], expected[at]);
  }
  return `read:     ${JSON.stringify(actual)}\nexpected: ${JSON.stringify(expected)}`;
}
