/**
 * Conformance suites for other storages, key-value engines and sources, and checkers of recorded histories. A suite takes the
 * `describe` and `it` of any test runner; `docs/guides/conformance.md` has an example.
 */
export type { ConformancePod } from './storage/conformance-pod.ts';
export { CountingKeyValueStore } from './storage/counting-key-value-store.ts';
export {
  describeStorage,
  storageTestsLeftOut,
  type StorageSuiteOptions,
  type SuiteRunner,
} from './storage/storage-conformance.ts';
export {
  describeKeyValueStore,
  type KeyValueSuiteOptions,
} from './key-value/key-value-conformance.ts';
export type { KeyValueHarness } from './key-value/key-value-under-test.ts';
export type { StorageHarness } from './storage/storage-under-test.ts';
export { SwitchableTransformer } from './storage/switchable-transformer.ts';
export {
  HistoryRecorder,
  type HistoryRecorderOptions,
  type OpenWatchRecording,
} from './history/history-recorder.ts';
export type { KeyValueHistory, KeyValueHistoryOptions } from './history/key-value-history.ts';
export {
  checkLinearizability,
  type LinearizabilityOptions,
  type LinearizabilityVerdict,
} from './history/linearizability.ts';
export type { RecordedOperation, WatchRecording } from './history/history-recorder.ts';
export {
  RecordingKeyValueStore,
  type RecordingKeyValueStoreOptions,
} from './history/recording-key-value-store.ts';
export { checkKeys, type KeyVerdict } from './history/register-history.ts';
export {
  checkRevisions,
  type RevisionCheckOptions,
  type RevisionVerdict,
} from './history/revision-checker.ts';
export type { SequentialModel, TimedOperation } from './history/sequential-model.ts';
export {
  validateWatch,
  type WatchValidationOptions,
  type WatchViolation,
} from './history/watch-validators.ts';
