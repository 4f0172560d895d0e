import type { PodBodies } from './pod-bodies.ts';
import { BEFORE_ITEM } from './pod-bodies.ts';

export type EventType = 'ADDED' | 'MODIFIED';

/** Bytes before and after a pod. */
export interface Around {
  readonly before: Buffer;
  readonly after: Buffer;
}

export interface PageOf {
  readonly first: number;
  readonly count: number;
  readonly resourceVersion: string;
  /** The token for the next page; empty on the last. */
  readonly next: string;
  readonly remaining: number;
}

/** How pods come in lists and watches, in one content type. */
export interface PodEncoding {
  readonly pods: PodBodies;
  readonly listType: string;
  readonly watchType: string;
  /** Around all items of a page. */
  aroundPage(page: PageOf): Around;
  /** The bytes before the item; `begin` and `end` say which bytes of the pod are the item. */
  item(pod: number, first: boolean): { before: Buffer; begin: number; end: number };
  aroundEvent(type: EventType, length: number): Around;
  /** A whole frame. */
  bookmark(resourceVersion: string, initialEventsEnd: boolean): Buffer;
}

const END_OF_EVENT = Buffer.from('}\n');
const JSON_EVENTS: Readonly<Record<EventType, Around>> = {
  ADDED: { before: Buffer.from('{"type":"ADDED","object":'), after: END_OF_EVENT },
  MODIFIED: { before: Buffer.from('{"type":"MODIFIED","object":'), after: END_OF_EVENT },
};
const FIRST_ITEM = Buffer.from('{');
const NEXT_ITEM = Buffer.from(',{');

export class JsonPods implements PodEncoding {
  readonly listType = 'application/json';
  readonly watchType = 'application/json';
  readonly pods: PodBodies;

  constructor(pods: PodBodies) {
    this.pods = pods;
  }

  aroundPage({ resourceVersion, next, remaining }: PageOf): Around {
    const rest = next === '' ? '' : `,"continue":"${next}","remainingItemCount":${remaining}`;
    const head = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}"${rest}},"items":[`;
    return { before: Buffer.from(head), after: Buffer.from(']}\n') };
  }

  item(pod: number, first: boolean): { before: Buffer; begin: number; end: number } {
    const before = first ? FIRST_ITEM : NEXT_ITEM;
    return { before, begin: BEFORE_ITEM, end: this.pods.lengthOf(pod) };
  }

  aroundEvent(type: EventType): Around {
    return JSON_EVENTS[type];
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean): Buffer {
    const annotations = initialEventsEnd
      ? ',"annotations":{"k8s.io/initial-events-end":"true"}'
      : '';
    return Buffer.from(
      `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}","creationTimestamp":null${annotations}},"spec":{"containers":null},"status":{}}}\n`,
    );
  }
}

const MAGIC = Buffer.from('k8s\0');
const NOTHING = Buffer.alloc(0);

/** Bodies are `k8s\0` and `runtime.Unknown` around the pod, as client-go's encoder makes them. */
export class ProtobufPods implements PodEncoding {
  readonly listType = 'application/vnd.kubernetes.protobuf';
  readonly watchType = 'application/vnd.kubernetes.protobuf;stream=watch';
  readonly pods: PodBodies;

  constructor(pods: PodBodies) {
    this.pods = pods;
  }

  aroundPage({ first, count, resourceVersion, next, remaining }: PageOf): Around {
    const listMeta = Buffer.concat([
      field(2, Buffer.from(resourceVersion)),
      ...(next === '' ? [] : [field(3, Buffer.from(next)), tagged(4, 0, remaining)]),
    ]);
    const meta = field(1, listMeta);
    let length = meta.length;
    for (let pod = first; pod < first + count; pod += 1) {
      const { before, begin, end } = this.item(pod);
      length += before.length + end - begin;
    }
    const typeMeta = typeMetaOf('PodList');
    return {
      before: Buffer.concat([MAGIC, field(1, typeMeta), tagged(2, 2, length), meta]),
      after: NOTHING,
    };
  }

  item(pod: number): { before: Buffer; begin: number; end: number } {
    const { begin, end } = rawOf(this.pods.body(pod));
    return { before: tagged(2, 2, end - begin), begin, end };
  }

  aroundEvent(type: EventType, length: number): Around {
    const raw = tagged(1, 2, length);
    const head = Buffer.concat([
      field(1, Buffer.from(type)),
      tagged(2, 2, raw.length + length),
      raw,
    ]);
    return { before: lengthPrefixed(head, length), after: NOTHING };
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean): Buffer {
    const annotation = Buffer.concat([
      field(1, Buffer.from('k8s.io/initial-events-end')),
      field(2, Buffer.from('true')),
    ]);
    const metadata = Buffer.concat([
      field(6, Buffer.from(resourceVersion)),
      ...(initialEventsEnd ? [field(12, annotation)] : []),
    ]);
    const pod = Buffer.concat([MAGIC, field(1, typeMetaOf('Pod')), field(2, field(1, metadata))]);
    const event = Buffer.concat([field(1, Buffer.from('BOOKMARK')), field(2, field(1, pod))]);
    return lengthPrefixed(event, 0);
  }
}

function typeMetaOf(kind: string): Buffer {
  return Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from(kind))]);
}

function lengthPrefixed(head: Buffer, following: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(head.length + following);
  return Buffer.concat([prefix, head]);
}

function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([tagged(number, 2, bytes.length), bytes]);
}

/** A tag of protobuf and the number behind it. */
function tagged(number: number, wireType: 0 | 2, value: number): Buffer {
  const bytes = [(number << 3) | wireType];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Where in `k8s\0` and a `runtime.Unknown` the object stands. */
function rawOf(body: Buffer): { begin: number; end: number } {
  let at = MAGIC.length;
  while (at < body.length) {
    const number = (body[at] as number) >> 3;
    let length = 0;
    let scale = 1;
    for (at += 1; ; at += 1) {
      const byte = body[at] as number;
      length += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte < 0x80) break;
    }
    at += 1;
    if (number === 2) return { begin: at, end: at + length };
    at += length;
  }
  throw new Error('an encoded pod has no raw object');
}
