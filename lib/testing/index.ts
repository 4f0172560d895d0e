export { inProcessTransport, type InProcessTransportOptions } from './in-process-transport.ts';
export {
  ScriptedListerWatcher,
  type ScriptedListerWatcherOptions,
  type ScriptedRequest,
} from './scripted-lister-watcher.ts';
export type { ScriptedRequestKind } from './scripted-faults.ts';
export {
  CONFORMANCE_PREFIX,
  conformanceKey,
  conformancePod,
  conformancePredicate,
  type ConformancePod,
  type PodFields,
} from './conformance-pod.ts';
export {
  describeStorage,
  type StorageSuiteOptions,
  type SuiteRunner,
} from './storage-conformance.ts';
export type { StorageHarness } from './storage-under-test.ts';
export { SwitchableTransformer } from './switchable-transformer.ts';
