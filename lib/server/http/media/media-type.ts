import type { GroupVersionKind } from '../../../meta/resource.ts';
import { parseAccept } from './accept.ts';

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

export type MediaType = typeof JSON_TYPE | typeof YAML_TYPE | typeof PROTOBUF_TYPE;

/** Media types of objects in both directions, best first. */
export const MEDIA_TYPES: readonly MediaType[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** Media types with frames, which a watch needs. */
export const STREAM_TYPES: readonly string[] = [JSON_TYPE, PROTOBUF_TYPE].map(
  (type) => `${type};stream=watch`,
);

/** The media types of the answers of an endpoint. */
export interface Endpoint {
  /** Whether it has this media type; with a shape, whether it can bring its answer into that shape. */
  allows(mediaType: MediaType, shape: GroupVersionKind | undefined): boolean;
  /** The version of the general types, for the parameter `sv`. */
  readonly serverVersion?: string | undefined;
  /** Whether it knows the parameter `drop`; otherwise that is ignored, as any unknown one. */
  readonly drops?: boolean | undefined;
}

/** The one part of objects that an answer can leave out. */
const DROPPED = 'metadata.managedFields';

/** The chosen alternative of an Accept header. */
export interface Accepted {
  readonly mediaType: MediaType;
  /** The requested kind of answer; undefined for the objects as they are. */
  readonly shape: GroupVersionKind | undefined;
  /** For people: indented. */
  readonly pretty: boolean;
  /** Without the managed fields of the objects. */
  readonly dropsManagedFields: boolean;
}

/** Objects as they are, in JSON. */
export const PLAIN_JSON: Accepted = {
  mediaType: JSON_TYPE,
  shape: undefined,
  pretty: false,
  dropsManagedFields: false,
};

/** Endpoints that have one shape only: failures, discovery. */
export const AS_IT_IS: Endpoint = { allows: (_mediaType, shape) => shape === undefined };

/**
 * Chooses the media type of an answer; undefined when no accepted one can be produced.
 * @see apiserver pkg/endpoints/handlers/negotiation NegotiateMediaTypeOptions @ v0.38.0-beta.0
 */
export function chooseMedia(accept: string | undefined, endpoint: Endpoint): Accepted | undefined {
  if (accept === undefined || accept === '') return PLAIN_JSON;
  for (const { type, parameters } of parseAccept(accept)) {
    for (const mediaType of MEDIA_TYPES) {
      if (!covers(type, mediaType)) continue;
      const accepted = withParameters(mediaType, parameters, endpoint);
      if (accepted !== undefined) return accepted;
    }
  }
  return undefined;
}

function covers(range: string, mediaType: MediaType): boolean {
  return range === mediaType || range === 'application/*' || range === '*/*';
}

function withParameters(
  mediaType: MediaType,
  parameters: ReadonlyMap<string, string>,
  endpoint: Endpoint,
): Accepted | undefined {
  const stream = parameters.get('stream');
  if (stream !== undefined && (stream !== 'watch' || mediaType === YAML_TYPE)) return undefined;
  const version = parameters.get('sv');
  if (version !== undefined && version !== endpoint.serverVersion) return undefined;
  const drop = endpoint.drops === true ? parameters.get('drop') : undefined;
  if (drop !== undefined && drop !== DROPPED) return undefined;
  const shape = shapeOf(parameters);
  if (!endpoint.allows(mediaType, shape)) return undefined;
  const pretty = parameters.get('pretty') === '1';
  return { mediaType, shape, pretty, dropsManagedFields: drop !== undefined };
}

function shapeOf(parameters: ReadonlyMap<string, string>): GroupVersionKind | undefined {
  if (!['as', 'g', 'v'].some((name) => parameters.has(name))) return undefined;
  return {
    group: parameters.get('g') ?? '',
    version: parameters.get('v') ?? '',
    kind: parameters.get('as') ?? '',
  };
}

/** The user agents of people: browsers and tools for the command line. */
const PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;
const TRUE = /^(?:1|t|T|TRUE|true|True)$/;

/**
 * Whether an answer is indented: the parameter `pretty` decides, and without one the user agent.
 * @see apiserver pkg/endpoints/handlers/negotiation isPrettyPrint @ v0.36.3
 */
export function isForPeople(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): boolean {
  const pretty = query.get('pretty') ?? '';
  return pretty === '' ? PEOPLE.test(headers['user-agent'] ?? '') : TRUE.test(pretty);
}
