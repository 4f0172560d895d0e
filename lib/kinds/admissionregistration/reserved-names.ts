import { textAt } from '../../meta/json-value.ts';

const RESERVED = '.static.k8s.io';

/** Problems of names that belong to files. @see pkg/apis/admissionregistration/validation/static_suffix.go @ v1.36.3 */
export function reservedNameWarnings(object: unknown): readonly string[] {
  if (!textAt(object, 'metadata', 'name').endsWith(RESERVED)) return [];
  return [
    `metadata.name: names ending with "${RESERVED}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}
