import { isNotFound } from '../../../../lib/meta/failure/failures.ts';
import type { ObjectMeta } from '../../../../lib/meta/object.ts';
import type { StoredMeta } from '../../../../lib/meta/stored.ts';

interface Reads {
  get(name: string): Promise<{ readonly metadata: StoredMeta }>;
}

/**
 * Whether an object of a cache is there on the server, with the same spec, and not being deleted. Asked before something is created for it:
 * otherwise a cache that is behind makes what is deleted soon after, and hides the defect that a bug is about.
 */
export async function stillThere(
  resource: Reads,
  { metadata: cached }: { readonly metadata: StoredMeta },
): Promise<boolean> {
  try {
    const { metadata } = await resource.get(cached.name);
    const { uid, generation, deletionTimestamp }: ObjectMeta = metadata;
    const { generation: known }: ObjectMeta = cached;
    return uid === cached.uid && generation === known && deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
