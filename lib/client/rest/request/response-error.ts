import { plainCause, plainText } from '../../../kernel/text/plain-text.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import type { ApiCall, FailedRequest } from '../../../meta/api-call.ts';
import { reasonRow } from '../../../meta/failure/status-reason.ts';
import { maskedStatus, sealedStatus } from '../../../meta/failure/sealed-status.ts';
import { isStatus, type Status } from '../../../meta/failure/status.ts';
import { TextMask } from '../../../meta/masking/masked-text.ts';
import { areSecrets } from '../../../meta/masking/object-mask.ts';
import { readBodyStart } from '../../transport/body/read-body.ts';
import { retryAfterMs } from '../../transport/flow/retry.ts';
import type { ExchangeTarget } from '../../transport/contract/transport-error.ts';
import type { TransportResponse } from '../../transport/contract/transport.ts';
import { explainAtOnce, explainFailure } from '../explain/explain-failure.ts';
import type { RefusedAnswer } from '../explain/refused-answer.ts';
import type { DiscoveryLookUp } from '../explain/discovery-look-up.ts';
import { isHtml } from './html-answer.ts';

/** A Status names every broken field of an object, so it may be long. */
const LONGEST_STATUS_BYTES = 1024 * 1024;

/** The most characters of an answer that is not a Status which become the message of one (client-go rest/request.go maxBodyLen @ 32ce75a7). */
const LONGEST_TEXT = 2048;

/** The most characters of a server's text in the message of an error. */
const LONGEST_WORDS = 190;
const LONGEST_SENDER = 40;

/** The request of a failure. */
export interface RefusedRequest {
  readonly target: ExchangeTarget;
  readonly call?: ApiCall | undefined;
  /** The object or the patch of a write. */
  readonly body?: unknown;
}

export interface ResponseErrorOptions extends RefusedRequest {
  readonly served: DiscoveryLookUp;
  readonly nowWallMs: number;
}

/**
 * Makes an error from an answer that is not 2xx. Proxies and load balancers answer with pages of their own; the error shows
 * the beginning of such a text.
 */
export async function responseError(
  response: TransportResponse,
  { served, nowWallMs, ...refused }: ResponseErrorOptions,
): Promise<ApiError> {
  const { target, call } = refused;
  const body = await readBodyStart(response.body, LONGEST_STATUS_BYTES);
  const hide = hiding(target);
  const sent = shownStatus(parseStatus(body), refused);
  const askedMs = retryAfterMs(response.headers['retry-after'], nowWallMs);
  const retryAfterSeconds = askedMs === undefined ? undefined : Math.ceil(askedMs / 1000);
  const html = sent === undefined && isHtml(body, response.headers['content-type']);
  // A text that is no Status may be the object that was asked for, or sent.
  const isShown = sent === undefined && !isOfSecrets(call);
  const text = isShown ? textOf(hide(body.toString('utf8')), html) : '';
  const status =
    sent === undefined
      ? statusOf(response.status, text, retryAfterSeconds)
      : completed(sent, response, retryAfterSeconds);
  const answer: RefusedAnswer = {
    status,
    words: plainCause(withoutSecrets(sent === undefined ? text : messageOf(sent)), LONGEST_WORDS),
    request: requestOf(target, call),
    credential: response.credential,
    foreign: sent === undefined,
    html,
    sender: plainText(hide(response.headers['server'] ?? ''), LONGEST_SENDER),
  };
  return await explained(answer, call, served);
}

async function explained(
  answer: RefusedAnswer,
  call: ApiCall | undefined,
  served: DiscoveryLookUp,
): Promise<ApiError> {
  const { status, request } = answer;
  const explanation = await explainFailure(new ApiError(status), answer, call, served);
  return new ApiError(status, undefined, { request, ...explanation });
}

/** The error of a Status that came in a stream, or with HTTP 200. */
export function statusError(sent: Status, refused: RefusedRequest): ApiError {
  const { target, call } = refused;
  const request = requestOf(target, call);
  const status = shownStatus(sent, refused);
  const words = plainCause(withoutSecrets(messageOf(status)), LONGEST_WORDS);
  const answer = { status, words, request, foreign: false, html: false, sender: '' };
  const error = new ApiError(status);
  const explanation = explainAtOnce(error, { ...answer, credential: undefined }, call);
  return new ApiError(status, undefined, { request, ...explanation });
}

function requestOf(
  { method, server, path }: ExchangeTarget,
  call: ApiCall | undefined,
): FailedRequest {
  const end = path.indexOf('?');
  const { needs: _, ...known } = call ?? {};
  return { ...known, method, server, path: end === -1 ? path : path.slice(0, end) };
}

/** The fields of a Status may have any type. */
function messageOf({ message, reason }: Status): string {
  const texts: readonly unknown[] = [message, reason];
  return (
    (texts.find((text) => typeof text === 'string' && text !== '') as string | undefined) ?? ''
  );
}

type Hide = (text: string) => string;

function hiding({ hide }: ExchangeTarget): Hide {
  return (text) => withoutSecrets(hide?.(text) ?? text);
}

function isOfSecrets(call: ApiCall | undefined): boolean {
  if (call?.resource === undefined) return false;
  return areSecrets({ apiVersion: call.version, resource: call.resource });
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** A text that came with the answer, such as a warning, without credentials and values of Secrets. */
export function shownText(text: string, { target, call, body }: RefusedRequest): string {
  const shown = hiding(target)(text);
  return isOfSecrets(call) ? maskOf(call, body).apply(shown) : shown;
}

/** A Status without credentials; about Secrets, without texts that may repeat what was read or sent. */
function shownStatus(status: Status, refused: RefusedRequest): Status;
function shownStatus(status: Status | undefined, refused: RefusedRequest): Status | undefined;
function shownStatus(
  status: Status | undefined,
  { target, call, body }: RefusedRequest,
): Status | undefined {
  if (status === undefined) return undefined;
  const shown = hiddenIn(status, hiding(target), 0) as Status;
  if (!isOfSecrets(call)) return shown;
  if (READS.has(call?.verb ?? '')) return sealedStatus(shown);
  const mask = maskOf(call, body);
  return maskedStatus(shown, (text) => mask.apply(text));
}

function maskOf(call: ApiCall | undefined, body: unknown): TextMask {
  const { name = '', namespace = '', resource = '', version = '' } = call ?? {};
  return new TextMask(['', 'Secret', name, namespace, resource, version], body);
}

const DEEPEST = 20;

/** All texts of a value, which may come from the network. */
function hiddenIn(value: unknown, hide: Hide, depth: number): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => hiddenIn(item, hide, depth + 1));
  const fields = Object.entries(value).map(([name, one]) => [
    hide(name),
    hiddenIn(one, hide, depth + 1),
  ]);
  return Object.fromEntries(fields) as unknown;
}

/** Some proxies send back the headers of a request. */
function withoutSecrets(text: string): string {
  return text.replaceAll(/\b(Bearer|Basic) +[\w.~+/=-]{4,}/gi, '$1 …');
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
    code: isFailure(status.code) ? status.code : response.status,
    ...(retryAfterSeconds === undefined || status.details?.retryAfterSeconds !== undefined
      ? {}
      : { details: { ...status.details, retryAfterSeconds } }),
  };
}

/** A Status may have no code, or a wrong one. */
function isFailure(code: unknown): code is number {
  return typeof code === 'number' && code >= 400 && code < 600;
}

function statusOf(code: number, text: string, retryAfterSeconds: number | undefined): Status {
  const reason = reasonRow(undefined, code)?.reason;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text === '' ? `HTTP ${code}` : text,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
}

/** The text of an answer; of a page, its title. */
function textOf(text: string, html: boolean): string {
  if (!html) return withoutSecrets(plainCause(text, LONGEST_TEXT));
  const title = /<title>([^<]*)<\/title>/i.exec(text.slice(0, LONGEST_TEXT))?.[1] ?? '';
  return plainText(title, LONGEST_WORDS);
}
