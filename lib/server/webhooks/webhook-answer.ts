import { ListwatchError } from '../../kernel/failure/errors.ts';

export type AnyRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is AnyRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface AnswerParts {
  readonly status: number;
  readonly contentType: string;
  /** The kind of the answer, if it does not name it. */
  readonly answerType?: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/**
 * The object in the body of an answer, with its kind.
 * @throws {ListwatchError} code WEBHOOK_FAILED, in the words of Go's decoder.
 */
export function answeredObject(body: string, given: AnswerParts): AnyRecord {
  const { status, contentType, answerType } = given;
  if (body === '') {
    throw webhookFailed(
      `0-length response with status code: ${status} and content type: ${contentType}`,
    );
  }
  const value = parsed(body);
  if (!isRecord(value)) {
    throw webhookFailed(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const answer = { ...value };
  for (const [field, name] of [
    ['kind', 'Kind'],
    ['apiVersion', 'apiVersion'],
  ] as const) {
    if ((answer[field] ?? '') === '') answer[field] = answerType?.[field];
    const text = answer[field];
    if (typeof text === 'string' && text !== '') continue;
    throw webhookFailed(`Object '${name}' is missing in '${body}'`);
  }
  return answer;
}

export function webhookFailed(message: string, cause?: unknown): ListwatchError {
  return new ListwatchError('WEBHOOK_FAILED', message, { cause });
}

/** Go reads the body as YAML, in which other text is a string. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
