import type { Runtime } from '../../kernel/time/runtime.ts';
import { EmbeddedKeyValueStore } from '../mvcc/embedded-key-value-store.ts';
import type { ApiServerOptions } from './api-server-options.ts';

/** Undefined for a server with a given store. */
export function newOwnStore(
  options: ApiServerOptions,
  runtime: Runtime,
): EmbeddedKeyValueStore | undefined {
  if (options.keyValueStore !== undefined) return undefined;
  if (options.earlierStore !== undefined) return options.earlierStore;
  return new EmbeddedKeyValueStore({ runtime, firstRevision: firstRevision(options, runtime) });
}

/** Above every version of an earlier server with this token, unless that server had more than a million writes a second. */
function firstRevision({ token }: ApiServerOptions, runtime: Runtime): bigint | undefined {
  return token === undefined ? undefined : BigInt(Math.floor(runtime.wallMs())) * 1000n;
}
