import type * as Grpc from '@grpc/grpc-js';
import { loadPeer } from '../../kernel/options/optional-peer.ts';

const NAME = '@grpc/grpc-js';
let loaded: typeof Grpc | undefined;

/** gRPC for Node, loaded at the first call. @throws {ListwatchError} MISSING_PEER. */
export function grpc(): typeof Grpc {
  return (loaded ??= loadPeer(NAME, NAME, 'EtcdKeyValueStore') as typeof Grpc);
}
