export { inProcessTransport, type InProcessTransportOptions } from './in-process-transport.ts';
export {
  ScriptedListerWatcher,
  type ScriptedListerWatcherOptions,
  type ScriptedRequest,
} from './scripted-lister-watcher.ts';
export type { ScriptedRequestKind } from './scripted-faults.ts';
