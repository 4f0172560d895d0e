import type { SubresourceFactory } from '../contract/subresource-parts.ts';
import { ephemeralContainersStrategy } from './ephemeral-containers.ts';
import { podBinding } from './pod-binding.ts';
import { podEviction } from './pod-eviction.ts';
import { podLog } from './pod-log.ts';
import { podResizeStrategy, type PodRules } from './pod-resize.ts';
import { podStream } from './pod-streams.ts';
import { podProxy } from './proxies.ts';
import { partialUpdate } from './partial-update.ts';

/** The subresources of pods besides `status`. */
export function podSubresources(rules: PodRules): SubresourceFactory {
  return (parts) => ({
    attach: podStream(parts, 'attach'),
    binding: podBinding(parts),
    ephemeralcontainers: partialUpdate(parts.store, ephemeralContainersStrategy),
    eviction: podEviction(parts),
    exec: podStream(parts, 'exec'),
    log: podLog(parts),
    portforward: podStream(parts, 'portforward'),
    proxy: podProxy(parts),
    resize: partialUpdate(parts.store, podResizeStrategy(rules)),
  });
}
