import { errorMessage } from '../../../kernel/failure/errors.ts';
import { plainText } from '../../../kernel/text/plain-text.ts';

/** Values of JSON by name. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** Why a request is no review. It is answered with this HTTP status and text. */
export class RefusedReview extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The common fields of reviews of admission and of conversion. */
export interface ReviewRequest {
  /** Comes back in the answer. */
  readonly uid: string;
  readonly request: JsonFields;
}

const LONGEST_NAME = 80;
const LONGEST_FAILURE = 300;

/**
 * The request in the body of a call.
 * @throws {RefusedReview} when the body is something else.
 */
export function reviewRequest(body: Buffer, apiVersion: string, kind: string): ReviewRequest {
  const review = parsed(body);
  const given = `${textIn(review, 'apiVersion')}, Kind=${textIn(review, 'kind')}`;
  if (given !== `${apiVersion}, Kind=${kind}`) {
    throw new RefusedReview(
      400,
      `the body must be of ${apiVersion}, Kind=${kind}, not ${plainText(given, LONGEST_NAME)}; the registration must have v1 as its only review version`,
    );
  }
  const request = fieldsIn(review, 'request');
  const uid = textIn(request, 'uid');
  if (request === undefined || uid === '') {
    throw new RefusedReview(400, `the ${kind} has no request with a uid`);
  }
  return { uid, request };
}

function parsed(body: Buffer): JsonFields {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new RefusedReview(
      400,
      `the body is not JSON: ${plainText(errorMessage(error), LONGEST_NAME)}`,
    );
  }
  if (!isFields(value)) throw new RefusedReview(400, 'the body is JSON, but no object');
  return value;
}

/** The failure of a function of the author, for the answer to an API server: one line of bounded length. */
export function failureLine(error: unknown): string {
  return plainText(errorMessage(error), LONGEST_FAILURE);
}

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsIn(value: unknown, name: string): JsonFields | undefined {
  const field = isFields(value) ? value[name] : undefined;
  return isFields(field) ? field : undefined;
}

/** Empty for anything but a text. */
export function textIn(value: unknown, name: string): string {
  const field = isFields(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : '';
}
