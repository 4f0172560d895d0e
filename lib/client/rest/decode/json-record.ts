import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { HTML_ANSWER, isHtml } from '../request/html-answer.ts';

/** Makes the error of a malformed text. */
export type Malformed = (problem: string) => ListwatchError;

export function malformedFrame(problem: string): ListwatchError {
  return new ListwatchError('MALFORMED_FRAME', problem);
}

export function malformedResponse(problem: string): ListwatchError {
  return new ListwatchError('MALFORMED_RESPONSE', problem);
}

/** Parses bytes. Its errors do not show the content. */
export function parseJson(bytes: Buffer, malformed: Malformed): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    // The parser's own message quotes the text, which may be a Secret; only the position is used.
    if (isHtml(bytes)) throw malformed(HTML_ANSWER);
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw malformed(
      position === undefined
        ? `it is not JSON (${bytes.length} bytes)`
        : `it is not JSON from character ${position} on (${bytes.length} bytes)`,
    );
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
