import type { UnstructuredObject } from '../meta/object.ts';
import { parseApiVersion } from '../meta/resource.ts';
import type { KindType } from '../server/registry/contract/kind-definition.ts';
import { DecodeProblems } from '../server/registry/typed/decode-problems.ts';
import { typeOfKind } from './kind-types.ts';

const types = new Map<string, KindType>();

/**
 * An object of a built-in kind as kube-apiserver reads it from its storage: with the defaults of its kind. Some are not stored, because
 * they are cleared after the object of the request got them, as the phase of a new claim; an older server knew fewer.
 */
export function withReadDefaults(object: UnstructuredObject): UnstructuredObject {
  const { apiVersion = '', kind = '' } = object;
  const name = `${apiVersion}/${kind}`;
  let type = types.get(name);
  if (type === undefined) {
    type = typeOfKind({ ...parseApiVersion(apiVersion), kind });
    types.set(name, type);
  }
  return type.read(object, new DecodeProblems());
}
