import { ListwatchError } from '../../../kernel/errors.ts';
import { badRequest } from '../../../meta/failures.ts';
import type { ApiError } from '../../../meta/api-error.ts';
import type { Revision } from '../../mvcc/key-value-store.ts';

const VERSION = 'meta.k8s.io/v1';
/** Longer tokens are refused without parsing: a key has at most a few hundred characters. */
const LONGEST_TOKEN = 8192;

/** The position at which a list continues. */
export interface ContinuePosition {
  /** First key of the next page. */
  readonly startKey: string;
  /** The revision of all pages; negative: the newest revision at the time of each request. */
  readonly revision: Revision;
}

/** The successor of a key: the smallest key greater than it. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

/**
 * Encodes a position as the text that clients send back.
 * @see apiserver pkg/storage/continue.go EncodeContinue @ 24a394e
 */
export function encodeContinue({ startKey, revision }: ContinuePosition, prefix: string): string {
  const start = startKey.slice(prefix.length);
  const json = `{"v":"${VERSION}","rv":${revision},"start":${JSON.stringify(start)}}`;
  return Buffer.from(json, 'utf8').toString('base64url');
}

/**
 * Decodes a token that a client sent back. The position is under `prefix`, even if the token was forged.
 * @throws {ApiError} 400, with an INVALID_CONTINUE as its cause.
 */
export function decodeContinue(token: string, prefix: string): ContinuePosition {
  if (token.length > LONGEST_TOKEN) throw invalid('it is too long');
  const json = Buffer.from(token, 'base64url').toString('utf8');
  const { v, start } = parse(json);
  if (v !== VERSION) throw invalid(`its version is not ${VERSION}`);
  // Taken from the text, because the parsed number would lose digits beyond 2^53. A quote in `start` is escaped, so the pattern
  // matches only the field.
  const digits = /"rv":\s*(-?[0-9]+)\s*[,}]/.exec(json)?.[1];
  if (digits === undefined || BigInt(digits) === 0n) throw invalid('it has no resource version');
  if (typeof start !== 'string' || start === '') throw invalid('it has no start');
  const path = start.startsWith('/') ? start.slice(1) : start;
  if (path === '' || !isClean(path)) throw invalid('its start is not a clean path');
  return { startKey: prefix + path, revision: BigInt(digits) };
}

function parse(json: string): { readonly v?: unknown; readonly start?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalid('it is not a token of this server', error);
  }
  if (typeof value !== 'object' || value === null) throw invalid('it is not an object');
  return value;
}

/** Whether a path has no empty, `.` or `..` segments. */
function isClean(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function invalid(reason: string, cause?: unknown): ApiError {
  const message = `invalid continue token: ${reason}`;
  return badRequest(message, new ListwatchError('INVALID_CONTINUE', message, { cause }));
}
