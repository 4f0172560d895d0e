import type { ApiRequest } from './api-request.ts';
import { BUILT_IN_GROUPS } from './built-in-groups.ts';
import {
  chooseMedia,
  isForPeople,
  JSON_TYPE,
  MEDIA_TYPES,
  PROTOBUF_TYPE,
  STREAM_TYPES,
  YAML_TYPE,
  PLAIN_JSON,
  type Accepted,
  type Endpoint,
  type MediaType,
} from './media/media-type.ts';
import { noRepresentation, noSuchMediaType, notAcceptable } from './request-failures.ts';
import type { Verb } from './request-info.ts';

/** The shape and format of a response. */
export interface Representation {
  readonly mediaType: MediaType;
  /** Undefined: the objects themselves. */
  readonly as: Shape | undefined;
  /** The version of `meta.k8s.io` for the shape. */
  readonly metaVersion: 'v1' | 'v1beta1';
  /** For people: indented. Never for a watch. */
  readonly pretty: boolean;
  /** Without the managed fields of the objects. */
  readonly dropsManagedFields: boolean;
}

export type Shape = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

const SHAPES: readonly string[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];
const META_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

type Head = Pick<ApiRequest, 'headers'>;

/**
 * Checks the headers against the routes of a built-in resource, before anything else about the request is read: the format of a
 * patch and the media types of the answer, without regard to their parameters. Custom resources have no such routes.
 * @param patchTypes the formats of a patch
 * @throws {ApiError} 415, 406.
 * @see https://github.com/emicklei/go-restful jsr311.go detectRoute
 */
export function checkRoute({ headers }: Head, verb: Verb, patchTypes: readonly string[]): void {
  const contentType = headers['content-type'] ?? '';
  if (verb === 'patch' && !namesAny(contentType, patchTypes)) throw noSuchMediaType();
  const streams = verb === 'watch' || verb === 'list' ? STREAM_TYPES : [];
  checkAccept({ headers }, [...MEDIA_TYPES, ...streams]);
}

/**
 * Checks that a route produces one of the accepted media types, whatever their parameters are.
 * @throws {ApiError} 406.
 */
export function checkAccept({ headers }: Head, produced: readonly string[]): void {
  const { accept = '' } = headers;
  if (accept === '' || accept === produced[0] || namesAny(accept, ['*/*', ...produced])) return;
  throw noRepresentation(produced);
}

/** Whether a list of media types has one of these, whatever its parameters are. */
function namesAny(header: string, types: readonly string[]): boolean {
  return header.split(',').some((one) => {
    const [type = ''] = one.split(';', 1);
    return types.includes(type.replace(/^ +| +$/g, ''));
  });
}

interface Negotiated {
  readonly group: string;
  /** Whether the objects have a table form. */
  readonly hasTable: boolean;
  /** Whether the parameter `drop` is known. */
  readonly drops: boolean;
}

/** The media types of objects of a group. Custom resources have no protobuf form, but their metadata has. */
function endpointOf({ group, hasTable, drops }: Negotiated): Endpoint {
  const types = BUILT_IN_GROUPS.has(group) ? MEDIA_TYPES : [JSON_TYPE, YAML_TYPE];
  return {
    serverVersion: 'v1',
    drops,
    allows: (mediaType, shape) => {
      if (shape === undefined) return types.includes(mediaType);
      if (shape.group !== 'meta.k8s.io' || !META_VERSIONS.includes(shape.version)) return false;
      if (shape.kind === 'Table') return hasTable && mediaType !== PROTOBUF_TYPE;
      return SHAPES.includes(shape.kind);
    },
  };
}

const JSON_OBJECT: Representation = {
  mediaType: JSON_TYPE,
  as: undefined,
  metaVersion: 'v1',
  pretty: false,
  dropsManagedFields: false,
};

/**
 * Chooses the representation of a response with resources of a group. YAML has no frames, so that a watch refuses it in the end.
 * @throws {ApiError} 406 when no accepted format can be produced.
 */
export function negotiate(
  { headers }: Head,
  query: URLSearchParams,
  { verb, ...negotiated }: Negotiated & { readonly verb: Verb },
): Representation {
  const { accept } = headers;
  const accepted: Accepted | undefined =
    accept === undefined || accept === JSON_TYPE
      ? PLAIN_JSON
      : chooseMedia(accept, endpointOf(negotiated));
  if (accepted === undefined) throw notAcceptable(MEDIA_TYPES);
  const pretty = verb !== 'watch' && (accepted.pretty || isForPeople(headers, query));
  const { mediaType, shape, dropsManagedFields } = accepted;
  if (mediaType === JSON_TYPE && shape === undefined && !pretty && !dropsManagedFields) {
    return JSON_OBJECT;
  }
  return {
    mediaType,
    as: shape?.kind as Shape | undefined,
    metaVersion: shape?.version === 'v1beta1' ? 'v1beta1' : 'v1',
    pretty,
    dropsManagedFields,
  };
}
