import type { KubernetesMinor } from './kubernetes-releases.ts';

/**
 * What a server does since a minor version, and did not do before: feature gates that became default, and rules that changed. A rule asks
 * `isSince`, and no rule compares versions itself.
 */
const SINCE = {
  /** The streams of a list are compressed for a client that accepts gzip: the gate WatchListCompression. */
  compressedStreams: 37,
} as const;

export type KubernetesFeature = keyof typeof SINCE;

export function isSince(minor: KubernetesMinor, feature: KubernetesFeature): boolean {
  return minor >= SINCE[feature];
}
