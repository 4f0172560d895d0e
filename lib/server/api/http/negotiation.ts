import { notAcceptable } from './request-failures.ts';

/** One alternative of an Accept header. */
export interface MediaRange {
  /** In lower case, e.g. `application/json` or the wildcard. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Maximum number of alternatives; the rest of the Accept header is ignored. */
const MOST_ALTERNATIVES = 64;

/** The alternatives of an Accept header, best first, without those of quality 0. Without a header, everything is accepted. */
export function parseAccept(accept: string | undefined): MediaRange[] {
  const ranges: { readonly range: MediaRange; readonly quality: number }[] = [];
  for (const clause of (accept ?? '').split(',', MOST_ALTERNATIVES)) {
    const [type = '', ...pairs] = clause.split(';').map((part) => part.trim());
    if (type === '') continue;
    const parameters = new Map<string, string>();
    for (const pair of pairs) {
      const [name = '', value = ''] = pair.split('=', 2);
      parameters.set(name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1'));
    }
    const quality = qualityOf(parameters.get('q'));
    if (quality > 0) ranges.push({ range: { type: type.toLowerCase(), parameters }, quality });
  }
  if (ranges.length === 0) return [{ type: '*/*', parameters: new Map() }];
  // The sort is stable: alternatives of equal quality keep the order of the header.
  return ranges.toSorted((left, right) => right.quality - left.quality).map(({ range }) => range);
}

function qualityOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const quality = Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
}

export type MediaType = 'application/json' | 'application/yaml';

/** The shape and format of a response. */
export interface Representation {
  readonly mediaType: MediaType;
  /** Undefined: the objects themselves. */
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | undefined;
  /** The version of `meta.k8s.io` for the shape. */
  readonly metaVersion: 'v1' | 'v1beta1';
}

/** The kind of response, which determines the possible content types. */
export type Scope = 'object' | 'list' | 'watch';

const JSON_OBJECT: Representation = {
  mediaType: 'application/json',
  as: undefined,
  metaVersion: 'v1',
};

/**
 * Chooses the representation of a response with resources.
 * @throws {ApiError} 406 when no accepted format can be produced.
 */
export function negotiate(accept: string | undefined, scope: Scope): Representation {
  if (accept === undefined || accept === 'application/json') return JSON_OBJECT;
  for (const range of parseAccept(accept)) {
    const representation = produce(range, scope);
    if (representation !== undefined) return representation;
  }
  throw notAcceptable(offered(scope));
}

function offered(scope: Scope): string[] {
  return scope === 'watch' ? ['application/json'] : ['application/json', 'application/yaml'];
}

function produce({ type, parameters }: MediaRange, scope: Scope): Representation | undefined {
  const mediaType = mediaTypeOf(type);
  // YAML has no frames, so it is not possible for a stream.
  if (mediaType === undefined || (mediaType === 'application/yaml' && scope === 'watch')) {
    return undefined;
  }
  const as = parameters.get('as');
  if (as === undefined) return { mediaType, as, metaVersion: 'v1' };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) {
    return undefined;
  }
  return shapeFits(as, scope) ? { mediaType, as, metaVersion: version } : undefined;
}

function shapeFits(as: string, scope: Scope): as is NonNullable<Representation['as']> {
  if (as === 'Table') return true;
  return as === (scope === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata');
}

function mediaTypeOf(type: string): MediaType | undefined {
  switch (type) {
    case 'application/json':
    case 'application/*':
    case '*/*':
      return 'application/json';
    case 'application/yaml':
      return 'application/yaml';
    default:
      return undefined;
  }
}

/** Whether JSON without a shape is accepted. */
export function acceptsJson(accept: string | undefined): boolean {
  return parseAccept(accept).some(
    ({ type, parameters }) => mediaTypeOf(type) === 'application/json' && !parameters.has('as'),
  );
}
