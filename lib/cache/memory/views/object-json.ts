import type { ObjectView } from '../../../meta/object-view.ts';
import { HeldSource } from './held-source.ts';
import { keptViewOf } from './kept-view.ts';

const OPEN_BRACE = 1;
/** `{}` */
const EMPTY_BYTES = 2;

/**
 * The JSON of an object with its type, as it was received where its bytes are kept. It decodes nothing, so that it does not change
 * what stays decoded. The bytes may be those of the cache: use them before it changes, and do not modify them.
 */
export function objectJson(object: ObjectView): Buffer {
  const view = keptViewOf(object);
  if (view === undefined || view.source instanceof HeldSource) {
    return Buffer.from(JSON.stringify(view?.held ?? object.object));
  }
  const { json, type } = view;
  return type?.kind === undefined ? json : withType(json, type.apiVersion, type.kind);
}

/** Items of a list have the type of the list, which is not in their bytes. */
function withType(json: Buffer, apiVersion: string | undefined, kind: string): Buffer {
  const type = JSON.stringify({ apiVersion, kind });
  const comma = json.length > EMPTY_BYTES ? ',' : '';
  // An item that names its type itself comes later in the text, and counts.
  return Buffer.concat([Buffer.from(type.slice(0, -1) + comma), json.subarray(OPEN_BRACE)]);
}
