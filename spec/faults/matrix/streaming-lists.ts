import type { FaultProxy } from '../world/fault-proxy.ts';

/** Makes the server one that does not know streaming lists, for good. */
export function refuseStreamingLists(proxy: FaultProxy, code: 400 | 422 = 422): void {
  const reason = code === 422 ? 'Invalid' : 'BadRequest';
  const message =
    'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
  proxy.plan((exchange) => exchange.refuse(code, reason, message), { kinds: ['streaming-list'] });
}

/** The path without these parameters. */
export function without(path: string, names: readonly string[]): string {
  const url = new URL(path, 'http://proxy');
  for (const name of names) url.searchParams.delete(name);
  return url.pathname + url.search;
}
