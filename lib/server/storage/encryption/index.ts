export { AesCbcProvider, type AesCbcOptions } from './aes-cbc-provider.ts';
export { AesGcmProvider, KeyUsage, type AesGcmOptions } from './aes-gcm-provider.ts';
export {
  EncryptionConfiguration,
  type EncryptionConfigurationOptions,
} from './encryption-configuration.ts';
export {
  identityProvider,
  type EncryptionKey,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';
export { EnvelopeProvider, type EnvelopeOptions } from './envelope-provider.ts';
export type { KeyService, KeyServiceCall, WrappedKey } from './key-service.ts';
export { KmsProvider, type KmsOptions } from './kms-provider.ts';
export { LocalKeyService, type LocalKeyServiceOptions } from './local-key-service.ts';
export { PrefixTransformers } from './prefix-transformers.ts';
export type { GroupResource } from './resource-rules.ts';
export { rewriteStale, type RewriteOptions, type RewriteProgress } from './rewrite-stale.ts';
export { SecretboxProvider, type SecretboxOptions } from './secretbox-provider.ts';
