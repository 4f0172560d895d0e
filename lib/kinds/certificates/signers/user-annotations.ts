import { isRecord } from '../../../meta/json-value.ts';
import { qualifiedName } from '../../../server/registry/rules/name-forms.ts';
import { LARGEST_ANNOTATIONS_BYTES } from '../../../server/registry/rules/object-validation.ts';
import type { Check } from '../../../server/registry/validation/check.ts';

/** Annotations for a signer, whose keys have a domain. @see pkg/apis/core/validation ValidateUserAnnotations @ v1.37.2 */
export const userAnnotations: Check = (map, path, report) => {
  if (!isRecord(map)) return;
  let bytes = 0;
  for (const [given, value] of Object.entries(map)) {
    const key = given.toLowerCase();
    const problems = qualifiedName(key);
    if (key === '') report.required(path);
    else if (problems.length > 0) for (const one of problems) report.invalid(path, key, one);
    else if (!key.includes('/')) {
      report.invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")');
    }
    bytes += Buffer.byteLength(given) + Buffer.byteLength(String(value));
  }
  if (bytes > LARGEST_ANNOTATIONS_BYTES) report.tooLong(path, LARGEST_ANNOTATIONS_BYTES, 'bytes');
};
