import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { ApiError } from '../../../meta/failure/api-error.ts';
import { jsonSyntaxError } from '../../../kernel/text/go-json-syntax.ts';
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
  const { v, rv, start } = fieldsOf(decodeBase64(token));
  if (v !== VERSION) throw invalid(`: server does not recognize this encoded version ${v}`);
  if (rv === 0n) throw invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalid(`: encoded start key empty (version ${VERSION})`);
  const path = start.startsWith('/') ? start.slice(1) : start;
  if (path !== '' && !isClean(path)) throw invalid(`: ${start}`);
  return { startKey: prefix + path, revision: rv };
}

/** Go passes over the ends of lines. */
function decodeBase64(token: string): Buffer {
  const text = token.replaceAll(/[\r\n]/g, '');
  const wrong = token.search(/[^A-Za-z0-9_\-\r\n]/);
  if (wrong >= 0) throw invalid(`: illegal base64 data at input byte ${wrong}`);
  if (text.length % 4 === 1)
    throw invalid(`: illegal base64 data at input byte ${token.length - 1}`);
  return Buffer.from(text, 'base64url');
}

interface Fields {
  v: string;
  rv: Revision;
  start: string;
}

const GREATEST = 2n ** 63n;
/** Texts, of which nothing is taken, and numbers. */
const TEXTS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Failures are in the words of Go's decoder, because clients search for them. */
function fieldsOf(bytes: Buffer): Fields {
  const syntaxError = jsonSyntaxError(bytes);
  if (syntaxError !== undefined) throw invalid(`: ${syntaxError}`);
  // Parsed as numbers, those beyond 2^53 would lose digits: each stands for its place among them.
  const numbers: string[] = [];
  const text = bytes
    .toString('utf8')
    .replaceAll(TEXTS_AND_NUMBERS, (part) =>
      part.startsWith('"') ? part : String(numbers.push(part) - 1),
    );
  const value: unknown = JSON.parse(text);
  const fields: Fields = { v: '', rv: 0n, start: '' };
  if (value === null) return fields;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw unfit(kindOf(value), 'value of type storage.continueToken');
  }
  let mistake: ApiError | undefined;
  for (const [key, given] of Object.entries(value) as [string, unknown][]) {
    const name = key.toLowerCase();
    if (given === null || !Object.hasOwn(fields, name)) continue;
    if (name === 'rv') {
      const digits = typeof given === 'number' ? numbers[given] : undefined;
      const revision = digits === undefined ? undefined : int64Of(digits);
      if (revision === undefined) {
        const what = digits === undefined ? kindOf(given) : `number ${digits}`;
        mistake ??= unfit(what, 'struct field continueToken.rv of type int64');
      } else fields.rv = revision;
    } else if (typeof given === 'string') fields[name as 'v' | 'start'] = given;
    else mistake ??= unfit(kindOf(given), `struct field continueToken.${name} of type string`);
  }
  if (mistake !== undefined) throw mistake;
  return fields;
}

function int64Of(digits: string): bigint | undefined {
  if (!/^-?\d+$/.test(digits)) return undefined;
  const number = BigInt(digits);
  return number >= -GREATEST && number < GREATEST ? number : undefined;
}

function unfit(what: string, target: string): ApiError {
  return invalid(`: json: cannot unmarshal ${what} into Go ${target}`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Whether a path has no empty, `.` or `..` segments. */
function isClean(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function invalid(reason: string): ApiError {
  const message = `invalid continue token: continue key is not valid${reason}`;
  return badRequest(message, new ListwatchError('INVALID_CONTINUE', message));
}
