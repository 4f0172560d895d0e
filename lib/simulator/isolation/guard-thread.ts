import { Session, type Debugger } from 'node:inspector';
import { SourceMap } from 'node:module';
import { workerData } from 'node:worker_threads';
import { processUsage } from '../../kernel/time/real-process.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import { callPlace } from '../ambient/user-place.ts';
import { BEAT_MS, sendEnd, type GuardData } from './guard.ts';

// The program of the thread that looks whether the main thread is alive, and where it is if not.

const { beats, blockedMs, heapMb } = workerData as GuardData;
const scripts = new Map<string, { readonly url: string; readonly sourceMap: string }>();
const session = new Session();
let reason: 'blocked' | 'memory' | undefined;

session.connectToMainThread();
session.on('Debugger.scriptParsed', ({ params: { scriptId, url, sourceMapURL = '' } }) => {
  scripts.set(scriptId, { url, sourceMap: sourceMapURL });
});
session.on('Debugger.paused', ({ params: { callFrames } }) => {
  // A `debugger` statement.
  if (reason === undefined) session.post('Debugger.resume');
  else sendEnd({ class: reason, places: placesOf(callFrames) });
});
// A thread that is blocked cannot begin to be debugged.
session.post('Debugger.enable', () => {
  Atomics.store(beats, 1, 1);
});

function placesOf(frames: readonly Debugger.CallFrame[]): readonly string[] {
  const shown = frames.map(({ functionName, location: { scriptId, lineNumber, columnNumber } }) => {
    const { url = '', sourceMap = '' } = scripts.get(scriptId) ?? {};
    const line = originalLine(sourceMap, lineNumber, columnNumber ?? 0) ?? lineNumber + 1;
    const { caller, place } = callPlace(`at (${url}:${line}:1)`);
    const text = `${place}${functionName === '' ? '' : ` (${functionName})`}`;
    return caller === 'user' || caller === 'dependency' ? text : '';
  });
  return shown.filter((text) => text !== '').slice(0, MOST_PLACES);
}

const MOST_PLACES = 4;

/** The line of the source, where a loader has compiled it and left a map in the code. */
function originalLine(sourceMap: string, line: number, column: number): number | undefined {
  const [, encoded] = /^data:application\/json[^,]*base64,(.*)$/.exec(sourceMap) ?? [];
  if (encoded === undefined) return undefined;
  const payload = JSON.parse(Buffer.from(encoded, 'base64').toString()) as ConstructorParameters<
    typeof SourceMap
  >[0];
  const entry = new SourceMap(payload).findEntry(line, column);
  return 'originalLine' in entry ? entry.originalLine + 1 : undefined;
}

/** With its usual garbage a process has that much more than its heap. */
const GARBAGE_MB = 100;
const fullBytes = processUsage().residentBytes + (heapMb + GARBAGE_MB) * 2 ** 20;
let last = -1;
let missed = 0;

function look(): void {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  // Counted, not measured: a process that stands still as a whole is not blocked.
  const isFull = missed > 5 && processUsage().residentBytes > fullBytes;
  if (reason === undefined && (isFull || missed * BEAT_MS * 2 >= blockedMs)) {
    reason = isFull ? 'memory' : 'blocked';
    session.post('Debugger.pause');
  }
  realRuntime.setTimer(BEAT_MS * 2, look);
}

look();
