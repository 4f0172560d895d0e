import { packageFolder, pathOf } from './own-file.ts';

/** More than the calls of this package between the user's line and the place that notices what is wrong with it. */
const MOST_FRAMES = 60;
const PLACE = /^ *at (?:async )?(?:.*\()?(.+?):\d+:\d+\)?$/;

let folder: string | undefined | false = false;

/**
 * Lets the stack of an error begin with the line of the user's program that has called this package, in the same task or by an await. A stack
 * without such a line stays: it is of a bundle, or of a callback. It is made when it is read: most errors are handled without.
 */
export function startAtUser(error: Error): void {
  const { stackTraceLimit } = Error;
  if (!(stackTraceLimit > 0)) return;
  const place: { readonly stack?: unknown } = {};
  // Of a frozen Error, as with --frozen-intrinsics, the stack stays as it is.
  if (!Reflect.set(Error, 'stackTraceLimit', Math.max(stackTraceLimit, MOST_FRAMES))) return;
  Error.captureStackTrace(place, startAtUser);
  Error.stackTraceLimit = stackTraceLimit;
  let stack: unknown;
  Object.defineProperty(error, 'stack', {
    configurable: true,
    get: () => (stack ??= stackFrom(error, place.stack, stackTraceLimit)),
    set: (given: unknown) => {
      stack = given;
    },
  });
}

function stackFrom({ name, message }: Error, whole: unknown, most: number): unknown {
  // A program may have a `prepareStackTrace` of its own.
  if (typeof whole !== 'string') return whole;
  const frames = withoutOwnFrames(whole.split('\n').filter((line) => /^ +at /.test(line)));
  return [message === '' ? name : `${name}: ${message}`, ...frames.slice(0, most)].join('\n');
}

/** The lines of a stack from the first one that is neither of this package nor of Node, Deno or Bun; all of them if there is none. */
export function withoutOwnFrames(frames: readonly string[]): readonly string[] {
  const first = frames.findIndex((frame) => !isOwn(frame));
  return first > 0 ? frames.slice(first) : frames;
}

function isOwn(frame: string): boolean {
  const [, place] = PLACE.exec(frame) ?? [];
  // `at new Promise (<anonymous>)`
  if (place === undefined || /^(?:node|ext|native):/.test(place)) return true;
  const path = (pathOf(place) ?? place).replaceAll('\\', '/');
  // Another copy, or a file that the map of a bundle names.
  if (path.includes('/node_modules/listwatch/')) return true;
  if (folder === false) folder = packageFolder();
  if (folder === undefined) return false;
  return path.startsWith(`${folder}lib/`) || path.startsWith(`${folder}dist/`);
}
