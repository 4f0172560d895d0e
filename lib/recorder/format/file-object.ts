import { JsonView } from '../../meta/json/json-view.ts';
import { ObjectScanner } from '../../meta/json/object-scanner.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';

const scanner = new ObjectScanner();

/** Whether the body is one value of JSON, as that of an object is; a source may have sent null in place of one. */
export function isObjectJson(body: Buffer): boolean {
  if (scanner.scanObject(body, 0, body.length) === body.length && scanner.plain) return true;
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** An object of a file, over its bytes. */
export function viewOf<T extends KubernetesObject>(body: Buffer): ObjectView<T> {
  const end = scanner.scanObject(body, 0, body.length);
  if (scanner.plain && end === body.length) {
    return new JsonView<T>({ bytes: body }, 0, end, scanner, undefined);
  }
  return new DecodedView<T>(JSON.parse(body.toString('utf8')) as T, body.length);
}
