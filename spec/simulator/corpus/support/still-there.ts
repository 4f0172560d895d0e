import { isNotFound } from '../../../../lib/meta/failure/failures.ts';
import type { StoredMeta } from '../../../../lib/meta/stored.ts';

interface Reads {
  get(name: string): Promise<{ readonly metadata: StoredMeta }>;
}

/**
 * Whether an object of a cache is there on the server, and not being deleted. Asked before something is created for it: otherwise a cache
 * that is behind makes what is deleted at once, and hides the defect that a bug is about.
 */
export async function stillThere(
  resource: Reads,
  { metadata: { name, uid } }: { readonly metadata: StoredMeta },
): Promise<boolean> {
  try {
    const { metadata } = await resource.get(name);
    return metadata.uid === uid && !('deletionTimestamp' in metadata);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
