export { inProcessTransport, type InProcessTransportOptions } from './in-process-transport.ts';
export {
  ScriptedListerWatcher,
  type ScriptedListerWatcherOptions,
  type ScriptedRequest,
} from './scripted-lister-watcher.ts';
export type { ScriptedFaultKind, ScriptedRequestKind } from './scripted-faults.ts';
export {
  CONFORMANCE_PREFIX,
  conformanceKey,
  conformancePod,
  conformancePredicate,
  type ConformancePod,
  type PodFields,
} from '../conformance/storage/conformance-pod.ts';
export { CountingKeyValueStore } from '../conformance/storage/counting-key-value-store.ts';
export {
  describeStorage,
  storageConformanceTopics,
  storageTestsLeftOut,
  type StorageSuiteOptions,
  type SuiteRunner,
} from '../conformance/storage/storage-conformance.ts';
export {
  describeKeyValueStore,
  type KeyValueSuiteOptions,
} from '../conformance/key-value/key-value-conformance.ts';
export type { KeyValueHarness } from '../conformance/key-value/key-value-under-test.ts';
export type { ConformanceCase, StorageHarness } from '../conformance/storage/storage-under-test.ts';
export { SwitchableTransformer } from '../conformance/storage/switchable-transformer.ts';
export {
  upstreamStorageTests,
  type UpstreamStorageTest,
} from '../conformance/storage/upstream-storage-tests.ts';
export {
  HistoryRecorder,
  type HistoryRecorderOptions,
} from '../conformance/history/history-recorder.ts';
export {
  KeyValueHistory,
  type Commit,
  type KeyValueHistoryOptions,
} from '../conformance/history/key-value-history.ts';
export {
  checkLinearizability,
  type LinearizabilityOptions,
  type LinearizabilityVerdict,
} from '../conformance/history/linearizability.ts';
export { operationText } from '../conformance/history/operation-text.ts';
export type * from '../conformance/history/recorded-operation.ts';
export {
  RecordingKeyValueStore,
  type RecordingKeyValueStoreOptions,
} from '../conformance/history/recording-key-value-store.ts';
export {
  checkKeys,
  registerOperations,
  type KeyVerdict,
} from '../conformance/history/register-history.ts';
export {
  registerModel,
  registerOperationText,
  type RegisterContent,
  type RegisterOperation,
  type RegisterResult,
  type RegisterState,
} from '../conformance/history/register-model.ts';
export {
  checkRevisions,
  type RevisionCheckOptions,
  type RevisionVerdict,
} from '../conformance/history/revision-checker.ts';
export type { SequentialModel, TimedOperation } from '../conformance/history/sequential-model.ts';
export {
  validateWatch,
  type WatchGuarantee,
  type WatchValidationOptions,
  type WatchViolation,
} from '../conformance/history/watch-validators.ts';
