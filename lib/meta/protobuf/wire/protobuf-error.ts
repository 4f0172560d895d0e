import { ListwatchError, type ErrorCode } from '../../../kernel/failure/errors.ts';

export type ProtobufErrorCode = Extract<ErrorCode, 'MALFORMED_OBJECT' | 'UNSUPPORTED_ENCODING'>;

/** Bytes that are no object, or an object that protobuf cannot carry. The message names the field. */
export class ProtobufError extends ListwatchError {
  declare readonly code: ProtobufErrorCode;

  constructor(code: ProtobufErrorCode, message: string, cause?: unknown) {
    super(code, message, { cause });
  }
}

export function malformedObject(message: string, cause?: unknown): ProtobufError {
  return new ProtobufError('MALFORMED_OBJECT', message, cause);
}

export function unsupportedEncoding(message: string): ProtobufError {
  return new ProtobufError('UNSUPPORTED_ENCODING', message);
}

const LONGEST_QUOTE = 100;

/** Quotes untrusted text for a message, and shortens it. */
export function quotedText(text: string): string {
  const json = JSON.stringify(text.slice(0, LONGEST_QUOTE));
  return text.length > LONGEST_QUOTE ? `${json}…` : json;
}

const MOST_PARTS = 20;

/** `Pod.spec.containers`; the middle of a long path is left out. */
export function pathText(path: readonly string[]): string {
  if (path.length <= MOST_PARTS) return path.join('.');
  return `${path.slice(0, MOST_PARTS / 2).join('.')}…${path.slice(-MOST_PARTS / 2).join('.')}`;
}
