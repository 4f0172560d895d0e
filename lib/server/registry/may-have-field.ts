import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { documentPieces, type StoredObject } from '../storage/contract/stored-object.ts';

/** A field name may be written with escapes; such an object has to be decoded. */
const ESCAPE = '\\u';

/**
 * Whether the bytes of an object may contain a field of this name at any depth. False is certain; after true, the object has to be
 * decoded. For searches through many objects for a few: decoded objects would be kept in memory.
 * @param name consists of letters and digits
 */
export function mayHaveField(stored: StoredObject, name: string): boolean {
  return documentPieces(stored).some((piece) => {
    const bytes = asBuffer(piece);
    return bytes.includes(`"${name}"`) || bytes.includes(ESCAPE);
  });
}
