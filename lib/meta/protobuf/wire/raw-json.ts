/** Deeper JSON is refused before recursive code reads it. */
export const DEEPEST_JSON = 1_000;

/** The least bytes that a level of nesting takes: `[]`, or `{"":}` with a value inside. */
const BYTES_OF_A_LIST = 2;
const BYTES_OF_AN_OBJECT = 5;

const UNUSUAL_NUMBER = /[0-9][eE]|[0-9]{300}/;

/**
 * Parses JSON that protobuf carries as text; an empty one is null. Checks the depth only of text that is long enough to be deep.
 * @throws {SyntaxError | RangeError} when it is malformed, too deep, or has a number that is too large for a double.
 */
export function parseRawJson(text: string): unknown {
  if (text === '') return null;
  const value = parseFields(text);
  if (UNUSUAL_NUMBER.test(text)) checkNumbers(value);
  return value;
}

/** Parses the JSON of managed fields, which has no numbers but in keys; see `parseRawJson`. */
export function parseFields(text: string): unknown {
  if (text === '') return null;
  const least = text.includes('[') ? BYTES_OF_A_LIST : BYTES_OF_AN_OBJECT;
  if (text.length > least * DEEPEST_JSON) checkDepth(text);
  return JSON.parse(text) as unknown;
}

/** Counts the brackets outside of strings. */
function checkDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > DEEPEST_JSON) {
        throw new RangeError(`its JSON is nested deeper than ${DEEPEST_JSON} levels`);
      }
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
}

/** The position of the closing quote of the string at `start`, or of the end. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) {
    at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  }
  return at;
}

function checkNumbers(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError('a number in its JSON is not finite');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) checkNumbers(item);
}
