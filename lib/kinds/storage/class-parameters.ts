import { isRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';

const MOST_PARAMETERS = 512;
const LARGEST_PARAMETERS = 256 * 1024;

/** Bytes of all keys and values of a map of texts. */
export function sizeOf(map: object): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(map)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }
  return bytes;
}

/** @see pkg/apis/storage/validation validateParameters @ v1.36.3 */
export function classParameters({ required }: { readonly required: boolean }): Check {
  return (map, path, report) => {
    const parameters = isRecord(map) ? map : {};
    const count = Object.keys(parameters).length;
    if (count > MOST_PARAMETERS) return report.tooLong(path, MOST_PARAMETERS, 'bytes');
    if (Object.hasOwn(parameters, '')) report.invalid(path, '', 'field can not be empty.');
    if (sizeOf(parameters) > LARGEST_PARAMETERS) report.tooLong(path, LARGEST_PARAMETERS, 'bytes');
    if (required && count === 0) report.required(path, 'must contain at least one key/value pair');
  };
}

/** The program that makes volumes: a qualified name in any case. */
export const provisionerName: Check = (name = '', path, report) => {
  const text = String(name).toLowerCase();
  if (text === '') return report.required(path);
  for (const problem of qualifiedName(text)) report.invalid(path, text, problem);
};
