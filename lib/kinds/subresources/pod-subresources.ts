import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import type { SubresourceFactory } from '../../server/registry/contract/subresource-parts.ts';
import { podBinding } from './pod-binding.ts';
import { podEviction } from './pod-eviction.ts';
import { podLog } from './pod-log.ts';
import { podStream } from './pod-streams.ts';
import { podProxy } from './proxies.ts';
import { partialUpdate } from './partial-update.ts';

/** How the kind changes a part of a pod. */
export interface PodStrategies {
  readonly ephemeralContainers: UpdateStrategy;
  readonly resize: UpdateStrategy;
}

/** The subresources of pods besides `status`. */
export function podSubresources({
  ephemeralContainers,
  resize,
}: PodStrategies): SubresourceFactory {
  return (parts) => ({
    attach: podStream(parts, 'attach'),
    binding: podBinding(parts),
    ephemeralcontainers: partialUpdate(parts.store, ephemeralContainers),
    eviction: podEviction(parts),
    exec: podStream(parts, 'exec'),
    log: podLog(parts),
    portforward: podStream(parts, 'portforward'),
    proxy: podProxy(parts),
    resize: partialUpdate(parts.store, resize),
  });
}
