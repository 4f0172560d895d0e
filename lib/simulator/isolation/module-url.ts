import { pathToFileURL } from 'node:url';

/** The URL of a module that is given as a URL, as its text, or as a path. */
export function moduleUrl(module: string | URL): string {
  const text = String(module);
  return /^[a-z][a-z+.-]+:/.test(text) ? text : pathToFileURL(text).href;
}
