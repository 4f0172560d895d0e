import type { MutableObject } from '../../rules/mutable-object.ts';

/** Keeps an object in use from being deleted. @see plugin/pkg/admission/storage/storageobjectinuseprotection @ v1.36.3 */
export function protect({ metadata }: MutableObject, finalizer: string): void {
  const { finalizers = [] } = metadata;
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
