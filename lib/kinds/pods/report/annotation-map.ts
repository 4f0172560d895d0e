import { isRecord } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { qualifiedName } from '../../../server/registry/validation/formats.ts';

/** See apimachinery pkg/api/validation/objectmeta.go TotalAnnotationSizeLimitB @ v0.36.3. */
const LARGEST_ANNOTATIONS_BYTES = 256 * 1024;

/** The annotations of a template. */
export const annotationMap: Check = (map, path, report) => {
  let bytes = 0;
  for (const [key, value] of Object.entries(isRecord(map) ? map : {})) {
    for (const problem of qualifiedName(key.toLowerCase())) report.invalid(path, key, problem);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }
  if (bytes > LARGEST_ANNOTATIONS_BYTES) report.tooLong(path, LARGEST_ANNOTATIONS_BYTES, 'bytes');
};
