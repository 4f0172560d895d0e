import { ApiError } from '../../../meta/api-error.ts';
import { reasonRow } from '../../../meta/status-reason.ts';
import { isStatus, type Status } from '../../../meta/status.ts';
import { readBodyStart } from '../../transport/body/read-body.ts';
import { retryAfterMs } from '../../transport/flow/retry.ts';
import type { ExchangeTarget } from '../../transport/contract/transport-error.ts';
import type { TransportResponse } from '../../transport/contract/transport.ts';

/** A Status names every broken field of an object, so it may be long. */
const LONGEST_STATUS_BYTES = 1024 * 1024;

/** The most bytes shown of an answer that is not a Status (client-go rest/request.go maxBodyLen @ 32ce75a7). */
const SHOWN_BYTES = 2048;

/**
 * Makes an error from an answer that is not 2xx. Proxies and load balancers answer with pages of their own; the error shows
 * the beginning of such a text.
 */
export async function responseError(
  response: TransportResponse,
  target: ExchangeTarget,
  nowWallMs: number,
): Promise<ApiError> {
  const body = await readBodyStart(response.body, LONGEST_STATUS_BYTES);
  const status = parseStatus(body);
  const askedMs = retryAfterMs(response.headers['retry-after'], nowWallMs);
  const retryAfterSeconds = askedMs === undefined ? undefined : Math.ceil(askedMs / 1000);
  if (status !== undefined) return new ApiError(completed(status, response, retryAfterSeconds));

  const { method, server, path } = target;
  const end = path.indexOf('?');
  const url = server + (end === -1 ? path : path.slice(0, end));
  const text = shown(body);
  const message = `${method} ${url}: HTTP ${response.status}${text === '' ? '' : `: ${text}`}`;
  const reason = reasonRow(undefined, response.status)?.reason;
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code: response.status,
  });
}

function parseStatus(body: Buffer): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function completed(
  status: Status,
  response: TransportResponse,
  retryAfterSeconds: number | undefined,
): Status {
  return {
    ...status,
    metadata: status.metadata ?? {},
    code: status.code ?? response.status,
    ...(retryAfterSeconds === undefined || status.details?.retryAfterSeconds !== undefined
      ? {}
      : { details: { ...status.details, retryAfterSeconds } }),
  };
}

function shown(body: Buffer): string {
  const text = body.subarray(0, SHOWN_BYTES).toString('utf8');
  const plain = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return body.length > SHOWN_BYTES ? `${plain} …` : plain;
}
