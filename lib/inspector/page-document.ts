import { createHash } from 'node:crypto';
import type { SavedState } from './contract/inspector-snapshot.ts';
import { PAGE_BODY, PAGE_SCRIPT, PAGE_STYLE } from './page-data.ts';

const sources = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** No code and no style but that of the page itself runs, and it connects to nothing but its own origin. */
export function contentSecurityPolicy(connect: "'self'" | "'none'"): string {
  return [
    "default-src 'none'",
    `script-src ${sources(PAGE_SCRIPT)}`,
    `style-src ${sources(PAGE_STYLE)}`,
    `connect-src ${connect}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The page; with a saved state it shows that, and connects to nothing. */
export function pageDocument(saved?: SavedState): string {
  const policy = contentSecurityPolicy("'none'");
  const meta =
    saved === undefined ? '' : `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  // Data in a script element ends at its first closing tag.
  const data =
    saved === undefined
      ? ''
      : `<script type="application/json" id="saved">${JSON.stringify(saved).replaceAll('<', '\\u003c')}</script>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${meta}
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>listwatch inspector</title><link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style></head>
<body>${PAGE_BODY}${data}<script>${PAGE_SCRIPT}</script></body></html>
`;
}
