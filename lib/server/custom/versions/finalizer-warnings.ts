import { recordAt, textsAt } from '../../registry/rules/json-value.ts';
import { qualifiedName } from '../../registry/validation/formats.ts';

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
const FIELD = 'metadata.finalizers';

/**
 * The warnings for new finalizers of a custom object without a domain of their own.
 * @see apiextensions-apiserver pkg/registry/customresource/validator.go validateKubeFinalizerName @ v0.36.3
 */
export function finalizerWarnings(object: unknown, existing?: unknown): string[] {
  const known = new Set(textsAt(recordAt(existing, 'metadata'), 'finalizers'));
  const added = textsAt(recordAt(object, 'metadata'), 'finalizers').filter(
    (one) => !known.has(one),
  );
  return [...new Set(added)].toSorted().flatMap((finalizer) => {
    const start = `${FIELD}: ${JSON.stringify(finalizer)}:`;
    const warnings = qualifiedName(finalizer).map((fault) => `${start} ${fault}`);
    if (finalizer.includes('/') || STANDARD.has(finalizer)) return warnings;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    const rule = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...warnings, `${start} ${rule}`];
  });
}
