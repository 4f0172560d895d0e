import type { Context } from 'mocha';
import { setExpensiveChecks } from '../../lib/kernel/failure/assert.ts';
import { HangWatchdog } from './hang-watchdog.ts';

const HELD_OPEN = new Set(['Timeout', 'TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'ProcessWrap']);

/** A closed socket leaves the list only after its close callbacks. Turns of the event loop that are granted at once. */
const QUICK_TURNS = 200;

/** Pauses of a millisecond after that, in which a busy machine can end what a spec has closed. */
const PAUSES = 1_000;

function leftOpen(): readonly string[] {
  return process.getActiveResourcesInfo().filter((kind) => HELD_OPEN.has(kind));
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The handles still open after those being closed are gone. */
async function leftOpenAfterGrace(allowed: number): Promise<readonly string[]> {
  let left = leftOpen();
  for (let turn = 0; turn < QUICK_TURNS + PAUSES && left.length > allowed; turn += 1) {
    if (turn >= QUICK_TURNS) await new Promise((resolve) => void setTimeout(resolve, 1));
    // In the callback of a timer, that timer would be in the list.
    await nextTurn();
    left = leftOpen();
  }
  return left;
}

/** `all` without one item for each of `known`. */
function without(all: readonly string[], known: readonly string[]): string[] {
  const rest = [...all];
  for (const kind of known) {
    const index = rest.indexOf(kind);
    if (index >= 0) rest.splice(index, 1);
  }
  return rest;
}

const watchdog = new HangWatchdog();
/** The standard streams, where they are pipes. */
let atStart: readonly string[] = [];
/** The handles open after the spec before, so that a leak fails one spec and not all that follow. */
let before: readonly string[] = [];

/** Fails every spec that leaves a timer, socket, server or child process behind, and goes on with the next one. */
export const mochaHooks = {
  beforeAll(): void {
    setExpensiveChecks(true);
    atStart = leftOpen();
    before = atStart;
    watchdog.start();
  },
  beforeEach(this: Context): void {
    watchdog.beat(this.currentTest?.fullTitle() ?? '');
  },
  async afterEach(this: Context): Promise<void> {
    // mocha has started its own timer for this hook by then, which is no leak.
    await nextTurn();
    this.test?.clearTimeout();
    const left = await leftOpenAfterGrace(before.length);
    const isLeaking = left.length > before.length;
    const leaked = without(left, before);
    before = left.length > atStart.length ? left : atStart;
    if (!isLeaking || this.currentTest?.isFailed() === true) return;
    // A hook that throws ends the run. The runner takes an error event of a spec for a failure of that spec.
    this.currentTest?.emit('error', new Error(`handles left running: ${leaked.join(', ')}`));
  },
};
