import type { IncomingHttpHeaders } from 'node:http';
import type { ApiRequest } from '../http/api-request.ts';

const REPEATED = 'impersonate-';

/**
 * The lines of the headers, if one of them may come several times: Node joins their values by commas, which may be in the values
 * too. @param raw Names and values in turn.
 */
export function headerLinesOf(
  headers: IncomingHttpHeaders,
  raw: readonly string[],
): ApiRequest['headerLines'] {
  let wanted = false;
  for (const name in headers) if (name.startsWith(REPEATED)) wanted = true;
  if (!wanted) return undefined;
  const lines: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    lines.push([(raw[at] ?? '').toLowerCase(), raw[at + 1] ?? '']);
  }
  return lines;
}
