import type {
  ListRequest,
  WatchRequest,
} from '../../../cache/reflector/contract/lister-watcher.ts';

export type QueryValue = string | number | boolean | undefined;

/** Selects objects on the server, in the syntax of `kubectl --selector` and `--field-selector`. */
export interface SelectorOptions {
  /** E.g. `app=web,tier!=cache`. */
  readonly labelSelector?: string | undefined;
  /** E.g. `spec.nodeName=node-1`. */
  readonly fieldSelector?: string | undefined;
}

/** The selection of a list or a watch of a reflector. */
export interface CollectionSelectors extends SelectorOptions {
  /** Ranges of hashes; see `ShardSelector`. */
  readonly shardSelector?: string | undefined;
}

/** A query with its question mark; values that are undefined or empty are left out. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  let query = '';
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') continue;
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return query;
}

export function listQuery(request: ListRequest, selectors: CollectionSelectors): string {
  const { limit, continueToken, resourceVersion, resourceVersionMatch } = request;
  return queryString({
    labelSelector: selectors.labelSelector,
    fieldSelector: selectors.fieldSelector,
    shardSelector: selectors.shardSelector,
    limit: limit === 0 ? undefined : limit,
    continue: continueToken,
    resourceVersion,
    resourceVersionMatch,
  });
}

export function watchQuery(request: WatchRequest, selectors: CollectionSelectors): string {
  return queryString({
    watch: true,
    labelSelector: selectors.labelSelector,
    fieldSelector: selectors.fieldSelector,
    shardSelector: selectors.shardSelector,
    resourceVersion: request.resourceVersion,
    resourceVersionMatch: request.resourceVersionMatch,
    allowWatchBookmarks: request.allowWatchBookmarks,
    sendInitialEvents: request.sendInitialEvents,
    timeoutSeconds: request.timeoutSeconds,
  });
}
