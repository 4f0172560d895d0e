import { ListwatchError, type ErrorCode } from '../../../kernel/failure/errors.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';

/** @experimental */
export type SchemeErrorCode = Extract<
  ErrorCode,
  'MALFORMED_OBJECT' | 'UNSUPPORTED_ENCODING' | 'UNKNOWN_KIND' | 'NO_CONVERSION' | 'CONVERSION'
>;

/**
 * Bytes that are not an object, or an object that the scheme cannot convert as requested.
 *
 * @experimental
 */
export class SchemeError extends ListwatchError {
  declare readonly code: SchemeErrorCode;

  constructor(code: SchemeErrorCode, message: string, cause?: unknown) {
    super(code, message, { cause });
  }
}

/** @experimental */
export function isSchemeError(error: unknown, code?: SchemeErrorCode): error is SchemeError {
  return error instanceof SchemeError && (code === undefined || error.code === code);
}

export function malformed(message: string, cause?: unknown): SchemeError {
  return new SchemeError('MALFORMED_OBJECT', message, cause);
}

export function unsupported(message: string): SchemeError {
  return new SchemeError('UNSUPPORTED_ENCODING', message);
}

/** `apps/v1 Deployment`: the name of a kind in messages. */
export function kindName(gvk: GroupVersionKind): string {
  return `${apiVersionOf(gvk)} ${gvk.kind}`;
}

const LONGEST_QUOTE = 100;

/** Quotes untrusted text for a message, and shortens it. */
export function quoted(text: unknown): string {
  const json =
    typeof text === 'string' ? JSON.stringify(text.slice(0, LONGEST_QUOTE)) : typeof text;
  return typeof text === 'string' && text.length > LONGEST_QUOTE ? `${json}…` : json;
}
