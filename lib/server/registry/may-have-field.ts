import { asBuffer } from '../../kernel/as-buffer.ts';
import { documentPieces, type StoredObject } from '../storage/contract/stored-object.ts';

/** A name can be written with escapes; such an object has to be decoded. */
const ESCAPE = '\\u';

/**
 * Whether an object may have a field of this name, at whatever depth, told from its bytes: false is certain, true has to be looked
 * at. For those who look through many objects for the few that matter, none of which would be forgotten once decoded.
 * @param name of letters and digits
 */
export function mayHaveField(stored: StoredObject, name: string): boolean {
  return documentPieces(stored).some((piece) => {
    const bytes = asBuffer(piece);
    return bytes.includes(`"${name}"`) || bytes.includes(ESCAPE);
  });
}
