import { asBuffer } from '../../../../kernel/data/as-buffer.ts';
import type { UnstructuredObject } from '../../../../meta/object.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../../meta/resource.ts';
import { documentPieces, type StoredObject } from '../../../storage/contract/stored-object.ts';
import { encodeText } from '../../../http/responses/api-response.ts';

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
