export { record } from './source-recording.ts';
export type { Recording, RecordingInspection } from './source-recording.ts';
export type { Recordable } from './recordable.ts';
export type {
  DumpCause,
  RecordableClient,
  RecordableInformer,
  RecordOptions,
} from './record-options.ts';
export { replay } from './replay/replay.ts';
export type { Replay, ReplayOptions } from './replay/replay.ts';
export type { RecordedCollection } from './replay/replay-readers.ts';
export type { ReplayedCollection } from './replay/replay-source.ts';
export type { ReplayServer, ReplayServeOptions } from './replay-server/replay-server.ts';
export type { ReplaySpeed, ReplayStep } from './replay/replay-pace.ts';
export { identify } from './identify.ts';
export type { IdentifyingClient } from './identify.ts';
export type { SourceIdentity } from './format/source-identity.ts';
export type { FileHeader } from './format/file-head.ts';
export type { FileWriter, WritableFile } from './files/private-file.ts';
export { snapshot } from './snapshot/file-snapshot.ts';
export type { SnapshotOptions } from './snapshot/file-snapshot.ts';
