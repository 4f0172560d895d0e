import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask } from '../../../kernel/time/wait.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { encodeObject } from '../../../meta/protobuf/object-codec.ts';
import { parseShardSelector } from '../../../meta/selectors/shard-selector.ts';
import type { StorageScan } from '../../storage/contract/storage-interface.ts';
import {
  documentPieces,
  encodingOf,
  type StoredObject,
} from '../../storage/contract/stored-object.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { apiResponse, encodeText } from '../../http/responses/api-response.ts';
import type { Exchange } from './exchange.ts';
import { PROTOBUF_TYPE } from '../../http/media/media-type.ts';
import type { Representation } from '../../http/negotiation.ts';
import { protobufList } from './answer/protobuf-list.ts';
import { scanWithoutManagedFields, WithoutManagedFields } from './answer/without-managed-fields.ts';
import { indentedList, indentedObject } from './answer/indented.ts';
import { checkListShape, checkObjectShape, includeObject, tableConvertorOf } from './shape.ts';
import {
  internalMetadata,
  partialObjectMetadata,
  emptyTable,
  tableHead,
  tableRow,
  TABLE_TAIL,
  type ListMetadata,
  type RowOptions,
} from './answer/table.ts';
import { asBuffer } from '../../../kernel/data/as-buffer.ts';

type Stored = StoredObject<UnstructuredObject>;

const FIRST = encodeText('{');
const NEXT = encodeText(',{');

/**
 * The items of a list of a built-in kind, with the commas between them. They have no kind and apiVersion: those follow from the
 * kind of the list. The bytes of the objects are used as they are after these two fields, which the registry stores first.
 */
export function* untypedItems(
  items: Iterable<Stored>,
  kind: GroupVersionKind,
): Generator<readonly (string | Uint8Array)[]> {
  const heads = typeHeads(kind);
  let open = FIRST;
  for (const item of items) {
    yield untyped(item, heads, open);
    open = NEXT;
  }
}

/** The beginnings of a document that may be cut off, with the opening brace and the comma. */
function typeHeads(gvk: GroupVersionKind): readonly Buffer[] {
  const kind = `"kind":${JSON.stringify(gvk.kind)},`;
  const apiVersion = `"apiVersion":${JSON.stringify(apiVersionOf(gvk))},`;
  return [`{${kind}${apiVersion}`, `{${apiVersion}${kind}`].map((text) => Buffer.from(text));
}

function untyped(
  stored: Stored,
  heads: readonly Buffer[],
  open: Uint8Array,
): readonly (string | Uint8Array)[] {
  const pieces = documentPieces(stored);
  const [first = open] = pieces;
  const bytes = asBuffer(first);
  const head = heads.find((one) => startsWith(bytes, one));
  if (head !== undefined) {
    const parts = [open, bytes.subarray(head.length)];
    for (let index = 1; index < pieces.length; index += 1) parts.push(pieces[index] as Uint8Array);
    return parts;
  }
  const { apiVersion: _, kind: __, ...content } = stored.object;
  return [open, JSON.stringify(content).slice(1)];
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.length > head.length && bytes.compare(head, 0, head.length, 0, head.length) === 0;
}

type Piece = string | Uint8Array;
/** The parts of a list are joined up to this size, or this number, before they are sent. */
const CHUNK_BYTES = 128 * 1024;
const CHUNK_PIECES = 1000;
/** Number of chunks made in one task: a millisecond for copying bytes, several for making rows. */
const CHUNKS_AT_ONCE = 8;

const COMMA = encodeText(',');
const NEWLINE = encodeText('\n');

/** Responds with one object, in the representation that the request accepts. */
export function objectResponse(exchange: Exchange, status: number, whole: Stored): ApiResponse {
  const { storage, representation } = exchange;
  checkObjectShape(exchange);
  const { mediaType, as, metaVersion, dropsManagedFields } = representation;
  const stored = dropsManagedFields ? new WithoutManagedFields(whole) : whole;
  if (mediaType === PROTOBUF_TYPE) {
    return apiResponse(
      status,
      mediaType,
      as === undefined
        ? encodingOf(stored, encodeObject)
        : encodeObject(partialObject(stored, exchange)),
    );
  }
  let pieces: readonly Piece[];
  if (as === undefined) {
    pieces = documentPieces(stored);
  } else if (as === 'Table') {
    const table = tableConvertorOf(storage);
    const head = tableHead(metaVersion, { resourceVersion: stored.resourceVersion }, table.columns);
    pieces = [head, ...tableRow(table, stored, rowOptions(exchange, metaVersion)), TABLE_TAIL];
  } else {
    pieces = [partialObjectMetadata(stored.metadata, metaVersion, storage.describe)];
  }
  const body = isPlain(representation)
    ? join([...pieces, NEWLINE])
    : indentedObject(join(pieces), representation);
  return apiResponse(status, mediaType, body);
}

/**
 * Responds with a list. It is never built as one document: the bytes of the items are sent with commas between them, in chunks.
 * Memory therefore depends on the speed of the reader, not on the size of the list.
 */
export function listResponse(
  exchange: Exchange,
  whole: StorageScan<UnstructuredObject>,
  shardSelector: string = '',
): ApiResponse {
  const { representation, runtime } = exchange;
  const shardInfo = shardInfoOf(exchange, whole, shardSelector);
  checkListShape(exchange);
  const { mediaType, dropsManagedFields } = representation;
  const list = dropsManagedFields ? scanWithoutManagedFields(whole) : whole;
  if (mediaType === PROTOBUF_TYPE) {
    return apiResponse(200, mediaType, protobufListBody(exchange, list, shardInfo));
  }
  const plain = isPlain(representation);
  if (representation.as === 'Table' && isEmpty(list.items)) {
    return apiResponse(200, mediaType, withoutRows(exchange, list));
  }
  const json = listPieces(exchange, list, shardInfo);
  const chunks = chunksOf(plain ? json : indentedList(json, representation));
  const first = chunks.next();
  const second = chunks.next();
  if (second.done === true) {
    return apiResponse(200, mediaType, first.done === true ? new Uint8Array() : first.value);
  }
  const begun = [first.value as Uint8Array, second.value];
  // Text for people takes longer to make.
  const atOnce = plain ? CHUNKS_AT_ONCE : 1;
  return apiResponse(200, mediaType, stream(begun, chunks, atOnce, runtime));
}

export function rowOptions(
  { query, runtime, storage: { describe } }: Exchange,
  version: Representation['metaVersion'],
): RowOptions {
  return { describe, version, include: includeObject(query), nowMs: runtime.wallMs() };
}

/** The pieces of a list, item by item. */
function* listPieces(
  exchange: Exchange,
  list: StorageScan<UnstructuredObject>,
  shardInfo: ShardInfo,
): Generator<readonly Piece[]> {
  const { describe } = exchange.storage;
  const { as, metaVersion } = exchange.representation;
  const metadata = metadataOf(list);
  if (as === 'Table') {
    const options = rowOptions(exchange, metaVersion);
    const table = tableConvertorOf(exchange.storage);
    yield [tableHead(metaVersion, metadata, table.columns)];
    const rows = table.ofList?.(objectsOf(list.items)) ?? table;
    yield* separated(list.items, (item) => tableRow(rows, item, options));
  } else if (as === undefined) {
    const isBuiltIn = BUILT_IN_GROUPS.has(describe.group);
    // Lists of custom objects always have this member.
    const shown = isBuiltIn
      ? { ...metadata, shardInfo }
      : { ...metadata, continue: metadata.continue ?? '' };
    yield [listHead(describe.listKind, apiVersionOf(describe), shown)];
    yield* isBuiltIn ? untypedItems(list.items, describe) : separated(list.items, documentPieces);
  } else {
    yield [listHead('PartialObjectMetadataList', `meta.k8s.io/${metaVersion}`, metadata)];
    yield* separated(list.items, ({ metadata: own }) => [
      partialObjectMetadata(own, metaVersion, describe),
    ]);
  }
  yield [']}\n'];
}

/** A table without rows as one document: it has no items to send one by one. */
function withoutRows(
  { representation, storage }: Exchange,
  list: StorageScan<UnstructuredObject>,
): Uint8Array {
  const { columns } = tableConvertorOf(storage);
  const table = emptyTable(representation.metaVersion, metadataOf(list), columns);
  return isPlain(representation)
    ? encodeText(`${table}\n`)
    : indentedObject(encodeText(table), representation);
}

type ShardInfo = ListMetadata['shardInfo'];

/**
 * That the list has only some shards, for lists of whole objects. Lists of custom resources do not say it, and objects that are not
 * stored have no shards.
 * @see apimachinery pkg/apis/meta/v1/meta.go ShardedListInterface @ v0.37.2
 */
function shardInfoOf(
  { storage }: Exchange,
  { resourceVersion }: StorageScan<UnstructuredObject>,
  shardSelector: string,
): ShardInfo {
  if (shardSelector === '' || resourceVersion === '') return undefined;
  if (!BUILT_IN_GROUPS.has(storage.describe.group)) return undefined;
  return { selector: parseShardSelector(shardSelector).toString() };
}

function metadataOf(list: StorageScan<UnstructuredObject>): ListMetadata {
  return {
    resourceVersion: list.resourceVersion,
    continue: list.continueToken,
    remainingItemCount: list.remainingItemCount,
  };
}

function protobufListBody(
  exchange: Exchange,
  list: StorageScan<UnstructuredObject>,
  shardInfo: ShardInfo,
): ApiResponse['body'] {
  const { representation, storage, runtime } = exchange;
  const { describe } = storage;
  const { as, metaVersion, dropsManagedFields } = representation;
  const metadata = metadataOf(list);
  const { items } = list;
  if (as === undefined) {
    const apiVersion = apiVersionOf(describe);
    return protobufList({
      apiVersion,
      kind: describe.listKind,
      metadata: { ...metadata, shardInfo },
      items,
      encodingOf: (item) => encodingOf(item, encodeObject),
      isCached: !dropsManagedFields,
      runtime,
    });
  }
  const apiVersion = `meta.k8s.io/${metaVersion}`;
  return protobufList({
    apiVersion,
    kind: as,
    metadata,
    items,
    encodingOf: (item) => encodeObject(partialObject(item, exchange)),
    isCached: false,
    runtime,
  });
}

function* objectsOf(items: Iterable<Stored>): Generator<KubernetesObject> {
  for (const { object } of items) yield object;
}

function isEmpty(items: Iterable<Stored>): boolean {
  return items[Symbol.iterator]().next().done === true;
}

/** An object with only its metadata. */
export function partialObject(
  { metadata: own }: Pick<KubernetesObject, 'metadata'>,
  { representation, storage }: Pick<Exchange, 'representation' | 'storage'>,
): KubernetesObject {
  const apiVersion = `meta.k8s.io/${representation.metaVersion}`;
  const metadata = internalMetadata(own, storage.describe);
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}

function listHead(kind: string, apiVersion: string, metadata: ListMetadata): string {
  const { resourceVersion } = metadata;
  // Objects that are not stored have none.
  const shown = { ...metadata, resourceVersion: resourceVersion || undefined };
  const head = JSON.stringify({ kind, apiVersion, metadata: shown });
  return `${head.slice(0, -1)},"items":[`;
}

function* separated(
  items: Iterable<Stored>,
  piecesOf: (item: Stored) => readonly Piece[],
): Generator<readonly Piece[]> {
  let first = true;
  for (const item of items) {
    const pieces = piecesOf(item);
    yield first ? pieces : [COMMA, ...pieces];
    first = false;
  }
}

function* chunksOf(items: Iterable<readonly Piece[]>): Generator<Uint8Array, undefined> {
  let gathered: Piece[] = [];
  let size = 0;
  for (const pieces of items) {
    for (const piece of pieces) {
      gathered.push(piece);
      size += piece.length;
    }
    if (size >= CHUNK_BYTES || gathered.length >= CHUNK_PIECES) {
      yield join(gathered);
      gathered = [];
      size = 0;
    }
  }
  if (gathered.length > 0) yield join(gathered);
}

/** Yields to other tasks; otherwise a fast reader would keep all others waiting until the list has been sent. */
async function* stream(
  begun: readonly Uint8Array[],
  rest: Iterable<Uint8Array>,
  atOnce: number,
  runtime: Runtime,
): AsyncGenerator<Uint8Array> {
  yield* begun;
  let count = 0;
  for (const chunk of rest) {
    yield chunk;
    count += 1;
    if (count % atOnce === 0) await nextTask(runtime);
  }
}

function join(pieces: readonly Piece[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only instanceof Uint8Array) return only;
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? encodeText(piece) : piece)),
  );
}

function isPlain({ mediaType, pretty }: Representation): boolean {
  return mediaType === 'application/json' && !pretty;
}
