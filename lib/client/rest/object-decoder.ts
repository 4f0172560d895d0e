import type { ListPage } from '../../cache/reflector/lister-watcher.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { ApiError } from '../../meta/api-error.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import type { KubernetesList, KubernetesObject } from '../../meta/object.ts';
import { JsonView, type ByteSource } from '../../meta/json/json-view.ts';
import { ObjectScanner } from '../../meta/json/object-scanner.ts';
import { isStatus } from '../../meta/status.ts';
import { INITIAL_EVENTS_END, type BookmarkEvent, type WatchEvent } from '../../meta/watch-event.ts';

/**
 * The one place where bytes become objects.
 *
 * Everything else passes frames in and views out, so a decoder may read the metadata only and decode a body when, and if,
 * somebody asks for it. What it was given stays untouched as long as a view of it is alive.
 */
export interface ObjectDecoder<T extends KubernetesObject> {
  /** The Accept headers that ask for what it decodes. @defaultValue JSON */
  readonly accept?: { readonly list: string; readonly watch: string } | undefined;
  /**
   * One frame of a watch, or what lies between `start` and `end` of the source.
   * @throws {ApiError} what an ERROR event says. {ListwatchError} code MALFORMED_FRAME; the message shows none of the content.
   */
  decodeEvent(source: ByteSource, start?: number, end?: number): WatchEvent<ObjectView<T>>;
  /**
   * One page of a list. Items lack apiVersion and kind on the wire; they get them from the kind of the list.
   * @throws {ListwatchError} code MALFORMED_RESPONSE; the message shows none of the content.
   */
  decodeList(body: Buffer): ListPage<ObjectView<T>>;
}

const scanner = new ObjectScanner();

/** Leaves objects in the bytes they came in. What is not plain JSON of the usual shape is parsed at once. */
export class JsonObjectDecoder<T extends KubernetesObject> implements ObjectDecoder<T> {
  decodeEvent(
    source: ByteSource,
    start: number = 0,
    end: number = source.bytes.length,
  ): WatchEvent<ObjectView<T>> {
    const { bytes } = source;
    if (!scanner.scanEvent(bytes, start, end)) return parseEvent(bytes.subarray(start, end));
    const { eventType, objectStart, objectEnd } = scanner;
    const object = new JsonView<T>(source, objectStart, objectEnd, scanner, undefined);
    return { type: eventType, object };
  }

  decodeList(body: Buffer): ListPage<ObjectView<T>> {
    const list = parseJson(body, malformedResponse);
    if (!isRecord(list) || !('items' in list)) throw malformedResponse('it is not a list');
    const { apiVersion, kind, metadata, items } = list as Partial<KubernetesList<T>>;
    // Go writes an empty slice that was never made as null.
    if (items !== null && !Array.isArray(items)) throw malformedResponse('its items are no array');
    const views = viewsOf<T>(items ?? [], apiVersion, itemKindOf(kind), body.length);
    const { resourceVersion, continue: continueToken, remainingItemCount } = metadata ?? {};
    return {
      items: views,
      resourceVersion: resourceVersion ?? '',
      ...(continueToken === undefined || continueToken === '' ? {} : { continueToken }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    };
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

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The items are fresh from the parser and nobody else's, so they are completed in place. */
function viewsOf<T extends KubernetesObject>(
  items: readonly T[],
  apiVersion: string | undefined,
  kind: string | undefined,
  pageBytes: number,
): ObjectView<T>[] {
  // Where each item ends in the page is not known; in sum the shares are right.
  const shareBytes = Math.round(pageBytes / items.length);
  return items.map((item: Mutable<KubernetesObject>, index) => {
    if (!isRecord(item)) throw malformedResponse(`its item ${index} is no object`);
    if (kind !== undefined) {
      item.apiVersion ??= apiVersion;
      item.kind ??= kind;
    }
    return new DecodedView(item as T, shareBytes);
  });
}

/** `PodList` holds Pods; a plain `List` is mixed, and its items name their own kinds. */
function itemKindOf(listKind: unknown): string | undefined {
  if (typeof listKind !== 'string' || !listKind.endsWith('List')) return undefined;
  const kind = listKind.slice(0, -'List'.length);
  return kind === '' ? undefined : kind;
}

function bookmark({ metadata }: KubernetesObject): BookmarkEvent {
  const resourceVersion = metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string') {
    throw malformedFrame('it is a BOOKMARK event without a resource version');
  }
  return {
    type: 'BOOKMARK',
    resourceVersion,
    initialEventsEnd: metadata?.annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}

function parseJson(bytes: Buffer, malformed: (problem: string) => ListwatchError): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    // The parser's own message quotes the text, which may be a Secret; only the place is kept.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw malformed(
      position === undefined
        ? `it is not JSON (${bytes.length} bytes)`
        : `it is not JSON from character ${position} on (${bytes.length} bytes)`,
    );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformedFrame(problem: string): ListwatchError {
  return new ListwatchError('MALFORMED_FRAME', problem);
}

function malformedResponse(problem: string): ListwatchError {
  return new ListwatchError('MALFORMED_RESPONSE', problem);
}
