import { jsonEqual, recordAt } from '../../../meta/json-value.ts';

/** Fields that only the clean-up of owned objects changes. */
const CLEANED_UP = ['ownerReferences', 'finalizers', 'selfLink', 'managedFields'] as const;

/** Whether an update changes nothing but owners and finalizers, as the garbage collector does. */
export function isCleanUp(object: unknown, existing: unknown): boolean {
  return jsonEqual(withoutCleanedUp(object), withoutCleanedUp(existing));
}

function withoutCleanedUp(object: unknown): object {
  const metadata: Record<string, unknown> = { ...recordAt(object, 'metadata') };
  for (const name of CLEANED_UP) delete metadata[name];
  return { ...(object as object), metadata };
}
