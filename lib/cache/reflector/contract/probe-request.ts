import type { ListRequest, WatchRequest } from './lister-watcher.ts';

/** A list of this limit asks for the version of the server. */
export const PROBE_ITEMS = 1;
/** A watch of this time, beside the one that is read, asks whether that should have brought something. */
export const PROBE_SECONDS = 1;

/** Whether a request asks only how the server is, besides what its reader gets. A watch is one only beside another watch. */
export function isProbe({ limit, timeoutSeconds }: ListRequest & WatchRequest): boolean {
  return limit === PROBE_ITEMS || timeoutSeconds === PROBE_SECONDS;
}
