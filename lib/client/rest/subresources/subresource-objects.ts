import { optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import {
  DELETE_OPTIONS,
  type DeleteOptions,
  type WriteOptions,
} from '../request/resource-options.ts';

/** The subresource `scale` of any kind that has replicas. */
export interface Scale {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number | undefined };
  readonly status: {
    readonly replicas: number;
    /** The label selector of the pods, as text. */
    readonly selector?: string | undefined;
  };
}

export interface EvictOptions
  extends Pick<
    DeleteOptions,
    'namespace' | 'signal' | 'dryRun' | 'gracePeriodSeconds' | 'preconditions'
  > {}

const { namespace, signal, dryRun, gracePeriodSeconds, preconditions } = DELETE_OPTIONS.rules;
export const EVICT_OPTIONS: OptionsSchema<EvictOptions> = optionsOf<EvictOptions>()('evict', {
  namespace,
  signal,
  dryRun,
  gracePeriodSeconds,
  preconditions,
});

export interface TokenOptions extends WriteOptions {
  /** The audiences of the token. @defaultValue the API server itself */
  readonly audiences?: readonly string[] | undefined;
  /** At least 600; the server may give less. @defaultValue 3600 */
  readonly expirationSeconds?: number | undefined;
  /** The token ends with this object. */
  readonly boundObjectRef?:
    | {
        readonly apiVersion?: string | undefined;
        readonly kind: string;
        readonly name: string;
        readonly uid?: string | undefined;
      }
    | undefined;
}

export interface BoundToken {
  /** A credential: it must not be logged. */
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}
