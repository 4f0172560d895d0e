import type { ApiError } from '../../../meta/failure/api-error.ts';
import { encodeObject } from '../../../meta/protobuf/object-codec.ts';
import { stringifyYaml } from '../../storage/scheme/yaml-document.ts';
import type { ApiRequest, ApiResponse } from '../api-request.ts';
import { apiResponse, encodeText, type Headers } from './api-response.ts';
import { parseQuery } from '../parse-query.ts';
import {
  AS_IT_IS,
  chooseMedia,
  isForPeople,
  JSON_TYPE,
  MEDIA_TYPES,
  PROTOBUF_TYPE,
  YAML_TYPE,
  type Accepted,
  type MediaType,
} from '../media/media-type.ts';
import { notAcceptable } from '../request-failures.ts';

/** The parameters that decide the format of a document. */
export type RequestHead = Pick<ApiRequest, 'headers' | 'url'>;

/**
 * A small document of the API, such as a Status or a page of discovery, in the format that the request accepts.
 * @throws {ApiError} 406.
 */
export function documentResponse(
  request: RequestHead,
  status: number,
  document: object,
  headers?: Headers,
): ApiResponse {
  const accepted = acceptedBy(request);
  if (accepted === undefined) throw notAcceptable(MEDIA_TYPES);
  const { mediaType, pretty } = accepted;
  return apiResponse(status, mediaType, encodeDocument(document, mediaType, pretty), headers);
}

/**
 * A failure as a response: a Status in the format that the request accepts, otherwise as indented JSON, so that no failure hides
 * another. If clients are asked to wait, the delay is also in a header.
 */
export function failureResponse(error: ApiError, request: RequestHead): ApiResponse {
  const { status, httpStatus } = error;
  const { mediaType, pretty } = acceptedBy(request) ?? { mediaType: JSON_TYPE, pretty: true };
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  const headers = retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {};
  return apiResponse(httpStatus, mediaType, encodeDocument(status, mediaType, pretty), headers);
}

function acceptedBy({ headers, url }: RequestHead): Omit<Accepted, 'shape'> | undefined {
  const accepted = chooseMedia(headers['accept'], AS_IT_IS);
  if (accepted === undefined) return undefined;
  const mark = url.indexOf('?');
  const query = parseQuery(mark < 0 ? '' : url.slice(mark + 1));
  return { ...accepted, pretty: accepted.pretty || isForPeople(headers, query) };
}

/** A document as bytes. Indented JSON does not end with a newline, as in kube-apiserver. */
export function encodeDocument(
  document: object,
  mediaType: MediaType,
  pretty: boolean,
): Uint8Array {
  if (mediaType === PROTOBUF_TYPE) return encodeObject(document);
  if (mediaType === YAML_TYPE) return encodeText(stringifyYaml(document));
  return encodeText(
    pretty ? JSON.stringify(document, undefined, 2) : `${JSON.stringify(document)}\n`,
  );
}
