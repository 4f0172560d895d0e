import type { WatchResponse } from '../../../lib/server/etcd/messages.ts';

/** A response of a watch stream without content. */
export function responseAt(revision: bigint): WatchResponse {
  return {
    revision,
    watchId: 0n,
    created: false,
    canceled: false,
    compactRevision: 0n,
    cancelReason: '',
    fragment: false,
    events: [],
  };
}

/** The answer to a request for progress, which concerns all watches of a stream. */
export function progressTo(revision: bigint): WatchResponse {
  return { ...responseAt(revision), watchId: -1n };
}

export function eventsAt(...revisions: readonly bigint[]): WatchResponse {
  const value = Buffer.from('value');
  const events = revisions.map((modRevision) => ({
    type: 'put' as const,
    kv: { key: '/a', value, createRevision: 1n, modRevision, version: modRevision, lease: 0n },
  }));
  return { ...responseAt(revisions.at(-1) ?? 0n), events };
}
