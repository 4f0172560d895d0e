/** The problem of an HTTP 200 whose body is a page for a browser. */
export const HTML_ANSWER =
  'the answer is HTML: this is not an API server (a login page or proxy?); check the server address';

/** The first bytes of a body are enough to recognise a page. */
const READ_BYTES = 256;

/** Whether a body is a page for a browser. */
export function isHtml(body: Buffer, contentType: string = ''): boolean {
  if (/^\s*text\/html/i.test(contentType)) return true;
  const start = body.subarray(0, READ_BYTES).toString('utf8');
  return /^[\s\uFEFF]*<(?:!doctype|!--|html|head|body|\?xml)/i.test(start);
}
