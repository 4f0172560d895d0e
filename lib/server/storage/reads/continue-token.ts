import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { ApiError } from '../../../meta/failure/api-error.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';

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
  if (token.length > LONGEST_TOKEN) throw invalid(': it is too long');
  const { v, start, json } = parse(token);
  if (v !== VERSION) {
    throw invalid(
      `: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`,
    );
  }
  // Taken from the text, because the parsed number would lose digits beyond 2^53. A quote in `start` is escaped, so the pattern
  // matches only the field.
  const digits = /"rv":\s*(-?[0-9]+)\s*[,}]/.exec(json)?.[1];
  if (digits === undefined || BigInt(digits) === 0n) {
    throw invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalid(`: encoded start key empty (version ${VERSION})`);
  }
  const path = start.startsWith('/') ? start.slice(1) : start;
  if (path === '' || !isClean(path)) throw invalid(`: ${start}`);
  return { startKey: prefix + path, revision: BigInt(digits) };
}

interface Parsed {
  readonly json: string;
  readonly v?: unknown;
  readonly start?: unknown;
}

/** Failures are in the words of Go's decoders, because clients search for them. */
function parse(token: string): Parsed {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0) throw invalid(`: illegal base64 data at input byte ${wrong}`);
  if (token.length % 4 === 1)
    throw invalid(`: illegal base64 data at input byte ${token.length - 1}`);
  const bytes = Buffer.from(token, 'base64url');
  const json = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalid(`: ${syntaxError(bytes[0])}`, error);
  }
  if (typeof value !== 'object' || value === null) {
    throw invalid(': json: cannot unmarshal into Go value of type storage.continueToken');
  }
  return { ...value, json };
}

function syntaxError(first: number | undefined): string {
  if (first === undefined) return 'unexpected end of JSON input';
  return `invalid character ${quotedByte(first)} looking for beginning of value`;
}

/** A byte as Go quotes it: control characters by their number. */
function quotedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'" || character === '\\') return `'\\${character}'`;
  const escape = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }[byte];
  if (escape !== undefined) return `'\\${escape}'`;
  const hex = byte.toString(16).padStart(2, '0');
  if (byte < 0x20 || byte === 0x7f) return `'\\x${hex}'`;
  return (byte > 0x7f && byte < 0xa1) || byte === 0xad ? `'\\u00${hex}'` : `'${character}'`;
}

/** Whether a path has no empty, `.` or `..` segments. */
function isClean(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function invalid(reason: string, cause?: unknown): ApiError {
  const message = `invalid continue token: continue key is not valid${reason}`;
  return badRequest(message, new ListwatchError('INVALID_CONTINUE', message, { cause }));
}
