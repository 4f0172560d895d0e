import { isSince } from '../../../meta/releases/kubernetes-features.ts';
import { randomInteger } from '../../../kernel/time/random.ts';
import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import {
  INITIAL_EVENTS_END,
  type BookmarkEvent,
  type WatchEvent,
} from '../../../meta/watch-event.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { encodeObject } from '../../../meta/protobuf/object-codec.ts';
import { watchEventFrame } from '../../../meta/protobuf/watch-event-frame.ts';
import type { StorageWatch } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { joinChunk } from '../../http/responses/chunk.ts';
import { bytesResponse, encodeText } from '../../http/responses/api-response.ts';
import { encodeDocument } from '../../http/responses/document-response.ts';
import { JSON_TYPE, PROTOBUF_TYPE, STREAM_TYPES, YAML_TYPE } from '../../http/media/media-type.ts';
import type { Exchange } from './exchange.ts';
import { parseWatchQuery, type WatchQuery } from '../../http/query-options.ts';
import { partialObject, rowOptions } from './render.ts';
import { includeObject, tableConvertorOf } from './shape.ts';
import { notAcceptable, toApiError } from '../../http/request-failures.ts';
import {
  bookmarkRow,
  partialObjectMetadata,
  tableHead,
  tableRow,
  TABLE_TAIL,
} from './answer/table.ts';
import { WatchBody, type WatchBodyOptions } from './answer/watch-body.ts';
import { encodeFrame, LARGEST_PIECE_BYTES } from './answer/watch-frames.ts';
import { WithoutManagedFields } from './answer/without-managed-fields.ts';

type Stored = StoredObject<UnstructuredObject>;
type Event = WatchEvent<Stored>;

/**
 * A watch without a timeout gets a random one in this range, so that the watches of a restarted server do not all end at the
 * same time.
 * @see apiserver pkg/endpoints/handlers/get.go ListResource, MinRequestTimeout @ 24a394e
 */
const SHORTEST_DEFAULT_SECONDS = 1_800;
const LONGEST_DEFAULT_SECONDS = 3_600;

/** The limit of a timer; two weeks. */
const LONGEST_SECONDS = 1_209_600;

/** Failures that are sent inside the stream; all others are an HTTP status. */
const IN_STREAM: ReadonlySet<number> = new Set([410, 500, 504]);

/** GET of a collection with `watch`: a stream of events, one JSON document per line. */
export async function serveWatch(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, query, runtime, sharded } = exchange;
  if (storage.watch === undefined) throw watchNotSupported(info);
  const parsed = parseWatchQuery(query, { sharded });
  includeObject(query);
  const timeoutMs = timeoutMsOf(parsed, exchange);
  const deadlineMonotonicMs = runtime.monotonicMs() + timeoutMs;
  let watch: StorageWatch<UnstructuredObject>;
  try {
    const fieldSelector = selectorOf(info.name, parsed.options.fieldSelector);
    watch = await storage.watch(context, { ...parsed.options, fieldSelector, deadlineMonotonicMs });
  } catch (error) {
    const failure = toApiError(error);
    if (!isSentInStream(failure)) throw failure;
    checkFrames(exchange);
    return watchResponse(exchange, parsed, errorFrame(exchange, failure));
  }
  try {
    checkFrames(exchange);
  } catch (error) {
    watch.destroy();
    throw error;
  }
  if (isOverBefore(parsed)) {
    watch.destroy();
    return watchResponse(exchange, parsed, errorFrame(exchange, deadlineExceeded()));
  }
  const body = new WatchBody({
    watch,
    timeoutMs,
    runtime,
    meter: exchange.openMeter(),
    signal: context.signal,
    encode: batchEncoder(exchange),
    encodeError: (error) => errorFrame(exchange, toApiError(error)),
  });
  return watchResponse(exchange, parsed, body);
}

function watchNotSupported({ resource }: Exchange['info']): ApiError {
  const message = `watch is not supported on resources of kind ${JSON.stringify(resource)}`;
  return failure('MethodNotAllowed', message, { details: { kind: resource } });
}

/** A watch of the newest state has to ask for its version first, and has no time to. */
function isOverBefore({ timeoutSeconds = 0, options }: WatchQuery): boolean {
  return timeoutSeconds < 0 && (options.resourceVersion ?? '') === '';
}

/** @see apiserver pkg/storage/cacher/cacher.go newErrWatcher @ v0.37.2 */
function deadlineExceeded(): ApiError {
  return failure('InternalError', 'context deadline exceeded');
}

/** A failure without a reason is one of the request: a resource version that is none. */
function isSentInStream({ httpStatus, reason }: ApiError): boolean {
  return IN_STREAM.has(httpStatus) && reason !== '';
}

/** kube-apiserver opens the watch before it looks for frames. @throws {ApiError} 406 for YAML, which has none. */
function checkFrames({ representation }: Exchange): void {
  if (representation.mediaType === YAML_TYPE) throw notAcceptable(STREAM_TYPES);
}

/** The old path form can name one object; the name is added to the field selector. */
function selectorOf(name: string | undefined, selector: string | undefined): string | undefined {
  if (name === undefined) return selector;
  const byName = `metadata.name=${name}`;
  return selector === undefined ? byName : `${byName},${selector}`;
}

function timeoutMsOf({ timeoutSeconds = 0 }: WatchQuery, { runtime }: Exchange): number {
  const seconds =
    timeoutSeconds !== 0
      ? Math.min(Math.max(timeoutSeconds, 0), LONGEST_SECONDS)
      : randomInteger(runtime, SHORTEST_DEFAULT_SECONDS, LONGEST_DEFAULT_SECONDS - 1);
  return seconds * 1000;
}

function watchResponse(
  exchange: Exchange,
  query: WatchQuery,
  body: ApiResponse['body'],
): ApiResponse {
  const type = isProtobuf(exchange) ? `${PROTOBUF_TYPE};stream=watch` : JSON_TYPE;
  const mayCompress = isSince(exchange.minor, 'compressedStreams') && isStreamingList(query);
  return { ...bytesResponse(200, type, body), isWatch: true, mayCompress };
}

/** @see apiserver pkg/endpoints/handlers/get.go isListWatchRequest @ v0.37.2 */
function isStreamingList({ options }: WatchQuery): boolean {
  return options.sendInitialEvents === true && options.allowWatchBookmarks === true;
}

function isProtobuf({ representation }: Exchange): boolean {
  return representation.mediaType === PROTOBUF_TYPE;
}

/** The frame that ends a failed watch; no other may follow. */
function errorFrame(exchange: Exchange, { status }: ApiError): Uint8Array {
  if (isProtobuf(exchange)) {
    return watchEventFrame('ERROR', encodeDocument(status, PROTOBUF_TYPE, false));
  }
  return encodeText(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
}

function batchEncoder(exchange: Exchange): WatchBodyOptions['encode'] {
  const { as } = exchange.representation;
  // An event has one object, so none can be sent: the watch ends at the first one, as in kube-apiserver.
  if (as === 'PartialObjectMetadataList') return () => undefined;
  if (as === 'Table') return joining(exchange, tableEncoder(exchange));
  const protobuf = isProtobuf(exchange);
  if (as !== undefined) {
    return joining(exchange, (protobuf ? protobufEncoder : partialEncoder)(exchange));
  }
  const frames = exchange.frames.of(exchange.representation);
  return (batch, from) => {
    const event = batch[from] as Event;
    if (event.type !== 'BOOKMARK') return frames.piece(batch, from);
    const bookmark = bookmarkObject(exchange, event);
    const bytes = protobuf
      ? watchEventFrame('BOOKMARK', encodeObject(bookmark))
      : bookmarkFrame(JSON.stringify(bookmark));
    return { bytes, count: 1 };
  };
}

/** Events with the metadata of their objects. */
function protobufEncoder(exchange: Exchange): (event: Event) => Uint8Array {
  return (event) => {
    const source = event.type === 'BOOKMARK' ? bookmarkObject(exchange, event) : event.object;
    return watchEventFrame(event.type, encodeObject(partialObject(source, exchange)));
  };
}

/** Encodes frames that only this watch uses. */
function joining(
  { representation }: Exchange,
  encode: (event: Event) => Uint8Array,
): WatchBodyOptions['encode'] {
  const shown = representation.dropsManagedFields ? withoutManagedFields : undefined;
  return (batch, from) => {
    const frames: Uint8Array[] = [];
    let size = 0;
    for (let at = from; at < batch.length && size < LARGEST_PIECE_BYTES; at += 1) {
      const event = batch[at] as Event;
      const frame = encode(shown?.(event) ?? event);
      frames.push(frame);
      size += frame.length;
    }
    return { bytes: joinChunk(frames), count: frames.length };
  };
}

function withoutManagedFields(event: Event): Event {
  if (event.type === 'BOOKMARK') return event;
  return { type: event.type, object: new WithoutManagedFields(event.object) };
}

function partialEncoder(exchange: Exchange): (event: Event) => Uint8Array {
  const { metaVersion } = exchange.representation;
  const { describe } = exchange.storage;
  return (event) => {
    if (event.type === 'BOOKMARK') {
      const { metadata } = bookmarkObject(exchange, event);
      return bookmarkFrame(partialObjectMetadata(metadata, metaVersion, describe));
    }
    const partial = partialObjectMetadata(event.object.metadata, metaVersion, describe);
    return encodeFrame(event.type, [encodeText(partial)]);
  };
}

/** Encodes each event as a table of one row; only the first event has the columns. */
function tableEncoder(exchange: Exchange): (event: Event) => Uint8Array {
  const { storage, representation } = exchange;
  const { metaVersion } = representation;
  const convertor = tableConvertorOf(storage);
  let columns: typeof convertor.columns | null = convertor.columns;
  return (event) => {
    const { resourceVersion } = event.type === 'BOOKMARK' ? event : event.object;
    const head = tableHead(metaVersion, { resourceVersion }, columns);
    columns = null;
    if (event.type === 'BOOKMARK') {
      const bookmark = bookmarkObject(exchange, event);
      const row = bookmarkRow(convertor, bookmark, rowOptions(exchange, metaVersion));
      return bookmarkFrame(head + row + TABLE_TAIL);
    }
    const row = tableRow(convertor, event.object, rowOptions(exchange, metaVersion));
    const pieces = [head, ...row, TABLE_TAIL];
    return encodeFrame(
      event.type,
      pieces.map((piece) => (typeof piece === 'string' ? encodeText(piece) : piece)),
    );
  };
}

function bookmarkFrame(object: string): Uint8Array {
  return encodeText(`{"type":"BOOKMARK","object":${object}}\n`);
}

/** An object of the watched kind with only a resource version. */
function bookmarkObject(
  { storage }: Exchange,
  { resourceVersion, initialEventsEnd }: BookmarkEvent,
): KubernetesObject {
  const { describe } = storage;
  const annotations = initialEventsEnd ? { [INITIAL_EVENTS_END]: 'true' } : undefined;
  const bookmark: KubernetesObject = {
    kind: describe.kind,
    apiVersion: apiVersionOf(describe),
    metadata: { resourceVersion, annotations },
  };
  return storage.withZeros?.(bookmark) ?? bookmark;
}
