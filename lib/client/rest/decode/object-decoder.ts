import { ApiError } from '../../../meta/failure/api-error.ts';
import { JsonView, type ByteSource } from '../../../meta/json/json-view.ts';
import type { KnownValueOf } from '../../../meta/json/known-values.ts';
import { FastScanner, type ScannerKind } from '../../../meta/json/wasm/fast-scanner.ts';
import { DecodedView, type ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { isStatus } from '../../../meta/failure/status.ts';
import {
  INITIAL_EVENTS_END,
  type BookmarkEvent,
  type WatchEvent,
} from '../../../meta/watch-event.ts';
import { isRecord, malformedFrame, parseJson } from './json-record.ts';
import { JsonListDecoder, type ListDecoder } from './list-decoder.ts';

/**
 * The only place where bytes become objects.
 *
 * Callers pass frames and get views, so a decoder may read only the metadata and decode a body when it is read. The input must
 * not change as long as a view of it is in use.
 */
export interface ObjectDecoder<T extends KubernetesObject> {
  /** The Accept headers for the formats that it decodes. @defaultValue JSON */
  readonly accept?: { readonly list: string; readonly watch: string } | undefined;
  /**
   * Decodes one frame of a watch: the bytes between `start` and `end` of the source. Bytes that equal the known value of
   * `knownValueOf` are not scanned.
   * @throws {ApiError} the Status of an ERROR event. {ListwatchError} code MALFORMED_FRAME; the message shows none of the content.
   */
  decodeEvent(
    source: ByteSource,
    start?: number,
    end?: number,
    knownValueOf?: KnownValueOf,
  ): WatchEvent<ObjectView<T>>;
  /** Begins a page of a list. Items have no apiVersion and kind on the wire; they get them from the kind of the list. */
  beginList(): ListDecoder<T>;
}

/** Leaves objects in the bytes they came in. A frame that is not JSON of the usual shape is parsed at once. */
export class JsonObjectDecoder<T extends KubernetesObject> implements ObjectDecoder<T> {
  readonly #kind: ScannerKind | undefined;
  #opened: FastScanner | undefined;

  /** @param kind the scanner to use, for comparisons. @defaultValue the scanner of the process */
  constructor(kind?: ScannerKind) {
    this.#kind = kind;
  }

  /** The scanner of the process is opened when it is needed. */
  get #scanner(): FastScanner {
    return (this.#opened ??= new FastScanner(this.#kind));
  }

  decodeEvent(
    source: ByteSource,
    start: number = 0,
    end: number = source.bytes.length,
    knownValueOf?: KnownValueOf,
  ): WatchEvent<ObjectView<T>> {
    const { bytes } = source;
    const scanner = this.#scanner;
    if (!scanner.scanEvent(bytes, start, end, knownValueOf))
      return parseEvent(bytes.subarray(start, end));
    const { scan } = scanner;
    const { eventType, objectStart, objectEnd } = scan;
    const object = new JsonView<T>(source, objectStart, objectEnd, scan, undefined);
    return { type: eventType, object };
  }

  beginList(): ListDecoder<T> {
    return new JsonListDecoder<T>(this.#scanner);
  }
}

function parseEvent<T extends KubernetesObject>(frame: Buffer): WatchEvent<ObjectView<T>> {
  const event = parseJson(frame, malformedFrame);
  if (!isRecord(event)) throw malformedFrame('it is not a watch event');
  const { type, object } = event;
  if (!isRecord(object)) throw malformedFrame('it has no object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: new DecodedView(object as unknown as T, frame.length) };
    case 'BOOKMARK':
      return bookmark(object);
    case 'ERROR':
      if (isStatus(object)) throw new ApiError(object);
      throw malformedFrame('it is an ERROR event without a Status');
    default:
      throw malformedFrame('its type is none of ADDED, MODIFIED, DELETED, BOOKMARK and ERROR');
  }
}

function bookmark({ kind, metadata }: KubernetesObject): BookmarkEvent {
  const resourceVersion = metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string') {
    throw malformedFrame('it is a BOOKMARK event without a resource version');
  }
  const initialEventsEnd = metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
  const itemKind = initialEventsEnd && typeof kind === 'string' ? { itemKind: kind } : {};
  return { type: 'BOOKMARK', resourceVersion, initialEventsEnd, ...itemKind };
}
