/**
 * `npm run spec -- --delays` loads it into the specs and into each Node process that they start: a file is there before its contents, a process
 * starts late, and its thread stands still now and then, as on a busy machine. A spec that then fails takes something for done that is not.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** A delay is up to this long, milliseconds. */
const MOST_MS = 100;
/** The part of all writes that are delayed. */
const SHARE = 0.5;
/** The time between two halts of the thread is up to this long. */
const BETWEEN_HALTS_MS = 500;

interface WriteOptions {
  readonly encoding?: BufferEncoding;
  readonly flag?: string | undefined;
  readonly mode?: number | undefined;
}

type GivenOptions = WriteOptions | BufferEncoding | null | undefined;
type Write<R> = (path: unknown, data: string, options?: GivenOptions) => R;

const cell = new Int32Array(new SharedArrayBuffer(4));

function halt(): void {
  Atomics.wait(cell, 0, 0, Math.random() * MOST_MS);
}

/** The options for the file before its contents; undefined for a write that is not delayed. */
function delayed(path: unknown, given: GivenOptions, flag: string): WriteOptions | undefined {
  const isPath = typeof path === 'string' || path instanceof URL || path instanceof Buffer;
  if (!isPath || Math.random() > SHARE) return undefined;
  return { flag, ...(typeof given === 'string' ? { encoding: given } : given) };
}

/** Those for the contents: the file was made exclusively already. */
function again(options: WriteOptions): WriteOptions {
  return { ...options, flag: options.flag?.replace('x', '') };
}

function delaySync(name: 'writeFileSync' | 'appendFileSync', flag: string): void {
  const own = fs[name] as Write<void>;
  const late: Write<void> = (path, data, given) => {
    const options = delayed(path, given, flag);
    if (options === undefined) return own(path, data, given);
    fs.closeSync(fs.openSync(path as string, options.flag ?? flag, options.mode));
    halt();
    own(path, data, again(options));
  };
  fs[name] = late as never;
}

function delay(name: 'writeFile' | 'appendFile', flag: string): void {
  const own = fs.promises[name] as Write<Promise<void>>;
  const late: Write<Promise<void>> = async (path, data, given) => {
    const options = delayed(path, given, flag);
    if (options === undefined) return await own(path, data, given);
    const file = await fs.promises.open(path as string, options.flag ?? flag, options.mode);
    await file.close();
    await sleep(Math.random() * MOST_MS);
    await own(path, data, again(options));
  };
  fs.promises[name] = late as never;
}

function haltAgain(): void {
  halt();
  setTimeout(haltAgain, Math.random() * BETWEEN_HALTS_MS).unref();
}

// Simulations report a halt: it is none of the simulator's.
if (isMainThread && !(process.argv[1] ?? '').includes('host-program')) {
  delaySync('writeFileSync', 'w');
  delaySync('appendFileSync', 'a');
  delay('writeFile', 'w');
  delay('appendFile', 'a');
  syncBuiltinESMExports();
  haltAgain();
}
