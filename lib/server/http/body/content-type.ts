import { JSON_TYPE, MEDIA_TYPES, type MediaType } from '../media/media-type.ts';
import { unsupportedMediaType } from '../request-failures.ts';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?=;|$)`);
const PARAMETER = new RegExp(
  `^\\s*;\\s*(${TOKEN})=(${TOKEN}|"(?:[^"\\\\\\r\\n]|\\\\.)*")\\s*(?=;|$)`,
);

/**
 * The format of a body. Without a header it is JSON; parameters have to be well formed and mean nothing.
 * @throws {ApiError} 415.
 */
export function inputType(header: string | undefined): MediaType {
  if (header === undefined || header === '' || header === JSON_TYPE) return JSON_TYPE;
  const type = parseMediaType(header);
  const known = MEDIA_TYPES.find((one) => one === type);
  if (known === undefined) throw unsupportedMediaType(MEDIA_TYPES);
  return known;
}

/** The media type in lower case; undefined when it is malformed. @see https://pkg.go.dev/mime#ParseMediaType */
function parseMediaType(header: string): string | undefined {
  const type = TYPE.exec(header);
  if (type === null) return undefined;
  const seen = new Set<string>();
  let rest = header.slice(type[0].length);
  while (rest.trim() !== '' && rest.trim() !== ';') {
    const parameter = PARAMETER.exec(rest);
    const name = parameter?.[1]?.toLowerCase();
    if (parameter === null || name === undefined || seen.has(name)) return undefined;
    seen.add(name);
    rest = rest.slice(parameter[0].length);
  }
  return type[1]?.toLowerCase();
}
