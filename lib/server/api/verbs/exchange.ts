import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { RequestContext, RestStorage } from '../../registry/contract/rest-storage.ts';
import type { ApiRequest } from '../../http/api-request.ts';
import type { Representation } from '../../http/negotiation.ts';
import type { RequestInfo } from '../../http/request-info.ts';
import type { WatchMeter } from './answer/watch-body.ts';
import type { FormatFrames } from './answer/watch-frames.ts';

/** The input of a verb for one request about a resource. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** The requested resource or subresource. */
  readonly storage: RestStorage;
  readonly context: RequestContext;
  /** Negotiated before anything is read or written. */
  readonly representation: Representation;
  readonly runtime: Runtime;
  /** Measures a watch from when it opens. */
  readonly openMeter: () => WatchMeter;
  /** Whether `shardSelector` counts. */
  readonly sharded: boolean;
  /** Whether the option of a deletion for objects that cannot be read counts. */
  readonly unsafeObjectDeletion: boolean;
  /** The minor version of Kubernetes that the server is. */
  readonly minor: KubernetesMinor;
  /** The encoded events of watches, by the format. */
  readonly frames: FormatFrames;
}
