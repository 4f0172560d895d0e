import { createRequire } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownFile, sourceFolder } from '../../kernel/failure/own-file.ts';
import { machineFolder } from './real-sources.ts';

/** One line of a stack. */
interface Frame {
  /** A path, or `node:…`. */
  readonly file: string;
  readonly line: number;
}

/** Where a call comes from. */
export interface CallPlace {
  /**
   * Whose code calls: `user`, a package that the user has installed, this package, Node alone, or the loader of modules, which reads files
   * for an import.
   */
  readonly caller: 'user' | 'dependency' | 'library' | 'node' | 'loader';
  /** `src/sites.ts:12`, relative to the working directory. Empty for Node alone. */
  readonly place: string;
  /** The same for each line of the stack that is of the user or of a dependency, the innermost first. */
  readonly trail: readonly string[];
}

const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/|node:|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):\d+\)?$/;
const MOST_FRAMES = 60;
const LONGEST_TRAIL = 4;

let folders: readonly string[] | undefined;

/**
 * The URL of the entry `listwatch/simulator` in the published package. Not by `import.meta.resolve`: a runner that loads specs as CommonJS, as
 * mocha does with tsx, also compiles this module so, and has no such function then.
 */
export function publishedEntry(): string {
  const place = ownFile() ?? pathToFileURL('index.js').href;
  return pathToFileURL(createRequire(place).resolve('listwatch/simulator')).href;
}

/**
 * The folders of this package's code. In the published package this module lies in a chunk, whose place says nothing about them; and maps name
 * the sources that it was made from.
 */
export function ownFolders(): readonly string[] {
  // Asked for each line of a stack, and found by a stack.
  folders ??= foldersHere();
  return folders;
}

function foldersHere(): readonly string[] {
  const sources = sourceFolder();
  if (sources !== undefined) return [sources];
  return ['../../dist/', '../../lib/'].map((path) =>
    fileURLToPath(new URL(path, publishedEntry())),
  );
}

/** The stack of the code that runs, as text. */
export function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MOST_FRAMES;
  const { stack = '' } = new Error('place');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** The stack of who has called a function that is under way. */
export function stackAbove(called: Function): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MOST_FRAMES;
  const place = { stack: '' };
  Error.captureStackTrace(place, called);
  const { stack } = place;
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** The caller, by the text of a stack. */
export function callPlace(stack: string): CallPlace {
  const frames = framesOf(stack);
  const users = frames.filter(({ file }) => callerOf(file) === 'user');
  const dependencies = frames.filter(({ file }) => callerOf(file) === 'dependency');
  const trail = [...new Set([...users, ...dependencies].map(placeText))].slice(0, LONGEST_TRAIL);
  const [place] = trail;
  if (isLoading(frames)) return { caller: 'loader', place: place ?? '', trail };
  if (place !== undefined) {
    return { caller: users.length > 0 ? 'user' : 'dependency', place, trail };
  }
  const own = frames.find(({ file }) => callerOf(file) === 'library');
  return own === undefined
    ? { caller: 'node', place: '', trail: [] }
    : { caller: 'library', place: placeText(own), trail: [] };
}

/** Where an error comes from, as the end of a sentence: `, at src/sites.ts:12`. Empty if no line of the user or of a package is known. */
export function atPlaceOf(error: unknown): string {
  const { place, caller } = callPlace(error instanceof Error ? (error.stack ?? '') : '');
  return caller === 'user' || caller === 'dependency' ? `, at ${place}` : '';
}

/** The innermost line of the stack that is not of Node. */
export function directCaller(stack: string): CallPlace['caller'] {
  const callers = framesOf(stack).map(({ file }) => callerOf(file));
  return callers.find((one) => one !== 'node') ?? 'node';
}

/** A place as people write it: relative to the working directory where it is in it. */
export function shownPath(path: string): string {
  const shown = relative(machineFolder(), path);
  return (shown.startsWith('..') ? path : shown).split(sep).join('/');
}

function framesOf(stack: string): readonly Frame[] {
  const frames: Frame[] = [];
  for (const text of stack.split('\n')) {
    const [, place, line] = FRAME.exec(text.trimEnd()) ?? [];
    if (place !== undefined) frames.push({ file: pathOf(place), line: Number(line) });
  }
  return frames;
}

function pathOf(place: string): string {
  if (!place.startsWith('file://')) return place.replace(/\?.*$/, '');
  const url = new URL(place);
  url.search = '';
  url.hash = '';
  return fileURLToPath(url);
}

function callerOf(file: string): 'user' | 'dependency' | 'library' | 'node' {
  if (file.startsWith('node:') || isLoaderPackage(file)) return 'node';
  if (ownFolders().some((folder) => file.startsWith(folder))) return 'library';
  return file.includes(`${sep}node_modules${sep}`) ? 'dependency' : 'user';
}

/** Whether a module is being found or compiled: Node's loader is under the innermost line that is not of Node. */
function isLoading(frames: readonly Frame[]): boolean {
  const first = frames.find(
    ({ file }) => !file.startsWith('node:') && callerOf(file) !== 'library',
  );
  if (first !== undefined && isLoaderPackage(first.file)) return true;
  const loader = frames.findIndex(({ file }) => file.startsWith('node:internal/modules/'));
  if (loader < 0) return false;
  const above = frames.slice(0, loader).filter(({ file }) => callerOf(file) !== 'node');
  // A module that is being evaluated also has the loader below it; its own lines are above.
  return above.every(({ file }) => callerOf(file) === 'library');
}

/** Packages that compile modules while they are loaded. */
function isLoaderPackage(file: string): boolean {
  return /[\\/]node_modules[\\/](?:tsx|esbuild|ts-node|@swc|@esbuild|get-tsconfig|amaro|source-map-support)[\\/]/.test(
    file,
  );
}

function placeText({ file, line }: Frame): string {
  return `${shownPath(file)}:${line}`;
}
