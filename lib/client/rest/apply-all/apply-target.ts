import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ApplyConfiguration } from '../../../meta/apply-configuration.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  ItemsOptions,
} from '../request/resource-options.ts';

/** The calls of a resource that are needed. */
export interface AppliedResource {
  get(name: string, options: CallOptions): Promise<UnstructuredObject>;
  apply(
    part: ApplyConfiguration<UnstructuredObject>,
    options: ApplyOptions,
  ): Promise<UnstructuredObject>;
  items(options: ItemsOptions): AsyncIterable<UnstructuredObject>;
  delete(name: string, options: DeleteOptions): Promise<UnstructuredObject | undefined>;
  wait(
    name: string,
    is: (found: UnstructuredObject | undefined) => boolean,
    options: CallOptions & { readonly timeoutMs?: number | undefined },
  ): Promise<UnstructuredObject | undefined>;
}

/** The server to which manifests are applied: a client. */
export interface ApplyTarget {
  readonly discovery: Discovery;
  readonly namespace: string;
  readonly fieldManager: string | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  resource(apiVersion: string, resource: string): AppliedResource;
}
