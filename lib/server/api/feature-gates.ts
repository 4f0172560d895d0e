import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';

/** Feature gates of kube-apiserver that are off by default there and here, by the names that they have there. */
export interface FeatureGates {
  /**
   * Answers leave out `metadata.managedFields` for clients that accept `application/json;drop=metadata.managedFields`. It is an alpha
   * feature of Kubernetes 1.38; while it is off, and in older versions, the parameter `drop` is ignored. @defaultValue false
   */
  readonly ManagedFieldsOptOut?: boolean | undefined;
  /**
   * Lists, watches and deletions of collections obey `shardSelector`, and lists of built-in resources say it in `metadata.shardInfo`. It is
   * an alpha feature of Kubernetes 1.36 and 1.37; while it is off, and in older versions, the parameter is ignored. @defaultValue false
   */
  readonly ShardedListAndWatch?: boolean | undefined;
}

export const FEATURE_GATES: OptionsSchema<FeatureGates> = optionsOf<FeatureGates>()(
  'featureGates',
  { ManagedFieldsOptOut: is.flag(), ShardedListAndWatch: is.flag() },
);
