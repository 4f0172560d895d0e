/**
 * Parts for tests of a controller: a scripted source of events with faults on demand, a transport to a server in the same
 * process, a program that crashes where the test says, a second server that lags, a runtime in which time passes only when the test
 * advances it, and a launcher of a real API server.
 */
export {
  inProcessTransport,
  type InProcessHandler,
  type InProcessTransportOptions,
} from '../client/transport/in-process/in-process-transport.ts';
export {
  ScriptedListerWatcher,
  type ScriptedListerWatcherOptions,
} from './scripted-lister-watcher.ts';
export type { ScriptedFaultKind } from './scripted-faults.ts';
export {
  TestProgram,
  type CrashPoint,
  type ProgramRun,
  type TestProgramOptions,
} from './test-program.ts';
export { LaggingKeyValueStore } from './lagging-key-value-store.ts';
export {
  VirtualRuntime,
  type RunOptions,
  type VirtualRuntimeOptions,
} from '../kernel/time/virtual-runtime.ts';
export {
  FakeEventRecorder,
  type FakeEvent,
  type FakeEventRecorderOptions,
} from './fake-event-recorder.ts';
export {
  RealApiServer,
  startRealApiServer,
  type RealApiServerOptions,
} from './real-server/real-api-server.ts';
export type { RunningApiServer, RunningServerAddress } from './real-server/running-api-server.ts';
