import { ApiError } from '../../meta/failure/api-error.ts';
import { badRequest, type FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type {
  ResourceDescription,
  RestStorage,
  WriteResult,
} from '../../server/registry/contract/rest-storage.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import { textAt } from '../../meta/json-value.ts';

/** The answer to a request that succeeded and made no object. */
export function successStatus(): WriteResult {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return new DerivedObject('', status);
}

/** A failure of code 500 without a reason, which kube-apiserver gives where it returns a plain error. */
export function plainFailure(message: string): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code: 500,
  });
}

/** The text of plain errors about fields. */
export function joinedCauses(causes: readonly FieldCause[]): string {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

/** @throws {ApiError} 400 when the body has another name than the URL. */
export function checkNamed(object: UnstructuredObject, name: string, kind: string): void {
  if (textAt(object, 'metadata', 'name') === name) return;
  throw badRequest(`name in URL does not match name in ${kind} object`);
}

export interface NamedCreationOptions {
  /** The resource that the subresource belongs to. */
  readonly of: ResourceDescription;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly createNamed: NonNullable<RestStorage['createNamed']>;
}

/** A subresource with the verb `create` only, whose body is of another kind than the resource. */
export function namedCreation({ of, kind, createNamed }: NamedCreationOptions): RestStorage {
  return {
    describe: { ...of, ...kind, listKind: `${kind.kind}List`, shortNames: [], categories: [] },
    createNamed,
  };
}
