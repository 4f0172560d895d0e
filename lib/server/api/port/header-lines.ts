import type { IncomingHttpHeaders } from 'node:http';
import type { ApiRequest } from '../../http/api-request.ts';

const REPEATED = 'impersonate-';
const ASCII = /^[\x20-\x7e]*$/;

/**
 * The lines of the headers, if one of them may come several times: Node joins their values by commas, which may be in the values
 * too. Node takes their bytes for Latin-1; they are UTF-8, because they name users.
 * @param raw Names and values in turn.
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
    lines.push([(raw[at] ?? '').toLowerCase(), inUtf8(raw[at + 1] ?? '')]);
  }
  return lines;
}

function inUtf8(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
}
