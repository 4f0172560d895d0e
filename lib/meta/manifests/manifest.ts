import { ListwatchError } from '../../kernel/failure/errors.ts';

/** One object of a manifest file. */
export interface Manifest {
  readonly object: ManifestObject;
  /** Its place: file, document, and the line on which it begins. */
  readonly place: string;
}

export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

export function manifestInvalid(place: string, reason: string, cause?: unknown): ListwatchError {
  return new ListwatchError('MANIFEST_INVALID', `${place}: ${reason}`, { cause });
}
