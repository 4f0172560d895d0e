import { badRequest, type FieldCause } from '../../meta/failure/failures.ts';
import { fieldForbidden, fieldNotSupported } from '../registry/rules/field-causes.ts';
import type { ListOptions, WatchOptions, WriteOptions } from '../registry/contract/rest-storage.ts';
import { goDuration } from '../registry/rules/go-duration.ts';
import { managerCauses } from '../registry/rules/object-validation.ts';
import { dryRunCauses } from '../registry/contract/deletion-options.ts';
import { invalidOptions } from './request-failures.ts';

/**
 * Parses a flag by the rules of the API: undefined if absent; `false` and `0` are false; any other text, also the empty one, is true.
 * @see apimachinery pkg/runtime/conversion.go Convert_Slice_string_To_bool @ eed236c
 */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text.toLowerCase() !== 'false' && text !== '0';
}

const LARGEST_INT64 = 2n ** 63n - 1n;

/** A whole number; very large ones are rounded. @throws {ApiError} 400, in the words of Go's parser. */
export function queryNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const problem = numberProblem(text);
  if (problem === undefined) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`);
}

function numberProblem(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace('+', ''));
  return value > LARGEST_INT64 || value < -LARGEST_INT64 - 1n ? 'value out of range' : undefined;
}

const NANOSECONDS_PER_MS = 1e6;

/**
 * The time limit that a request asks for, milliseconds; undefined without one, and for 0 or less.
 * @throws {ApiError} 400, in the words of Go's parser.
 * @see apiserver pkg/endpoints/filters/request_deadline.go @ v0.37.2
 */
export function queryTimeoutMs(query: URLSearchParams): number | undefined {
  const text = query.get('timeout');
  if (text === null || text === '') return undefined;
  const duration = goDuration(text);
  if (typeof duration === 'string') {
    throw badRequest(`invalid timeout specified in the request URL - ${duration}`);
  }
  return duration > 0 ? duration / NANOSECONDS_PER_MS : undefined;
}

export function queryText(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : text;
}

type Match = 'NotOlderThan' | 'Exact';

function isMatch(text: string): text is Match {
  return text === 'NotOlderThan' || text === 'Exact';
}

interface RawListOptions extends Omit<ListOptions, 'resourceVersionMatch'> {
  readonly match: string | undefined;
  readonly sendInitialEvents: boolean | undefined;
}

/** A negative limit is none, and one beyond all collections is as good as a very large one. */
function limitOf(query: URLSearchParams): number | undefined {
  const limit = queryNumber(query, 'limit');
  return limit === undefined ? undefined : Math.min(Math.max(limit, 0), MOST_ITEMS);
}

const MOST_ITEMS = 2 ** 31 - 1;

/** The parameters that count only with a feature gate. */
export interface GatedParameters {
  /** Whether `shardSelector` counts. @defaultValue false */
  readonly sharded?: boolean | undefined;
}

function readRaw(query: URLSearchParams, { sharded = false }: GatedParameters): RawListOptions {
  return {
    resourceVersion: queryText(query, 'resourceVersion'),
    match: queryText(query, 'resourceVersionMatch'),
    labelSelector: queryText(query, 'labelSelector'),
    fieldSelector: queryText(query, 'fieldSelector'),
    shardSelector: sharded ? queryText(query, 'shardSelector') : undefined,
    limit: limitOf(query),
    continueToken: queryText(query, 'continue'),
    sendInitialEvents: queryFlag(query, 'sendInitialEvents'),
  };
}

/**
 * Reads the options of a list or of a deletion of a collection. The time limit is read too, because a wrong one is refused.
 * @throws {ApiError} 400 for values that cannot be parsed, 422 for combinations that are not allowed.
 * @see apimachinery pkg/apis/meta/internalversion/validation ValidateListOptions @ eed236c
 */
export function parseListOptions(query: URLSearchParams, gated: GatedParameters = {}): ListOptions {
  const { match, sendInitialEvents, ...options } = readRaw(query, gated);
  queryNumber(query, 'timeoutSeconds');
  const causes: FieldCause[] = [];
  if (match !== undefined) causes.push(...matchCauses(match, options));
  if (sendInitialEvents !== undefined) {
    causes.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (causes.length > 0) throw invalidOptions('ListOptions', causes);
  return { ...options, resourceVersionMatch: match as Match | undefined };
}

function matchCauses(
  match: string,
  { resourceVersion, continueToken }: Pick<ListOptions, 'resourceVersion' | 'continueToken'>,
): FieldCause[] {
  const field = 'resourceVersionMatch';
  const causes: FieldCause[] = [];
  if (resourceVersion === undefined) {
    causes.push(fieldForbidden(field, `${field} is forbidden unless resourceVersion is provided`));
  }
  if (continueToken !== undefined) {
    causes.push(fieldForbidden(field, `${field} is forbidden when continue is provided`));
  }
  if (!isMatch(match)) causes.push(fieldNotSupported(field, match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && resourceVersion === '0') {
    causes.push(fieldForbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`));
  }
  return causes;
}

/** The options of a watch, and its time limit. */
export interface WatchQuery {
  readonly options: WatchOptions;
  /** Undefined: the server chooses. */
  readonly timeoutSeconds: number | undefined;
}

/**
 * Reads the options of a watch. Without `sendInitialEvents`, a watch from no version or from `"0"` gets initial events like a
 * streaming list.
 * @throws {ApiError} 400 for values that cannot be parsed, 422 for combinations that are not allowed.
 * @see apimachinery pkg/apis/meta/v1/defaults.go SetListOptionsDefaults @ eed236c
 */
export function parseWatchQuery(query: URLSearchParams, gated: GatedParameters = {}): WatchQuery {
  const { match: asked, sendInitialEvents: send, ...options } = readRaw(query, gated);
  const fromNow = options.resourceVersion === undefined || options.resourceVersion === '0';
  const asStreamingList = send === undefined && asked === undefined && fromNow;
  const match = asStreamingList ? 'NotOlderThan' : asked;
  const sendInitialEvents = asStreamingList ? true : send;
  const causes: FieldCause[] = [];
  const field = 'resourceVersionMatch';
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    causes.push(
      fieldForbidden(field, `sendInitialEvents requires setting ${field} to NotOlderThan`),
    );
  }
  if (match !== undefined && sendInitialEvents === undefined) {
    causes.push(
      fieldForbidden(field, `${field} is forbidden for watch unless sendInitialEvents is provided`),
    );
  }
  if (match !== undefined && match !== 'NotOlderThan') {
    causes.push(fieldNotSupported(field, match, ['NotOlderThan']));
  }
  if (match !== undefined && options.continueToken !== undefined) {
    causes.push(fieldForbidden(field, `${field} is forbidden when continue is provided`));
  }
  if (causes.length > 0) throw invalidOptions('ListOptions', causes);

  return {
    options: {
      ...options,
      resourceVersionMatch: match as Match | undefined,
      sendInitialEvents,
      allowWatchBookmarks: queryFlag(query, 'allowWatchBookmarks') ?? false,
    },
    timeoutSeconds: queryNumber(query, 'timeoutSeconds'),
  };
}

const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

const NO_WRITE_OPTIONS: WriteOptions = Object.freeze({ dryRun: false });

/**
 * Reads the options of a create, update or patch.
 * @param kind the name of the options in a failure: `CreateOptions`, `UpdateOptions`, `PatchOptions`
 * @param first what is wrong with options that only this request has
 * @throws {ApiError} 422.
 */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: string,
  first: readonly FieldCause[] = [],
): WriteOptions {
  if (query.size === 0 && first.length === 0) return NO_WRITE_OPTIONS;
  const dryRun = query.getAll('dryRun');
  const fieldManager = queryText(query, 'fieldManager');
  const causes = [
    ...first,
    ...managerCauses('fieldManager', fieldManager ?? ''),
    ...dryRunCauses(dryRun),
  ];
  const validation = queryText(query, 'fieldValidation');
  if (validation !== undefined && !FIELD_VALIDATIONS.includes(validation)) {
    causes.push(fieldNotSupported('fieldValidation', validation, FIELD_VALIDATIONS));
  }
  if (causes.length > 0) throw invalidOptions(kind, causes);
  const fieldValidation = validation as WriteOptions['fieldValidation'];
  const asked = {
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  };
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation, asked };
}
