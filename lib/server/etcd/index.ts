export { EtcdError } from './etcd-error.ts';
export type { EtcdOutcome } from './etcd-error.ts';
export { EtcdKeyValueStore } from './etcd-key-value-store.ts';
export type { EtcdOptions } from './etcd-options.ts';
