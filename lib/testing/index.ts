export {
  ScriptedListerWatcher,
  type ScriptedListerWatcherOptions,
  type ScriptedRequest,
} from './scripted-lister-watcher.ts';
export type { ScriptedRequestKind } from './scripted-faults.ts';
