import { expect } from 'chai';
import type { Context } from 'mocha';
import { setExpensiveChecks } from '../../lib/kernel/assert.ts';

const HELD_OPEN = new Set(['Timeout', 'TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'ProcessWrap']);

/** A closed socket leaves the list only after its close callbacks; this many turns of the loop are granted for that. */
const GRACE_TURNS = 200;

function leftOpen(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => HELD_OPEN.has(kind));
}

/** The standard streams, where they are pipes. */
let atStart = 0;

/** Fails every spec that leaves a timer, socket, server or child process behind. */
export const mochaHooks = {
  beforeAll(this: Context): void {
    this.test?.clearTimeout();
    setExpensiveChecks(true);
    atStart = leftOpen().length;
  },
  async afterEach(this: Context): Promise<void> {
    // mocha's own timer for this hook is no leak.
    this.test?.clearTimeout();
    for (let turn = 0; turn < GRACE_TURNS && leftOpen().length > atStart; turn += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    const left = leftOpen();
    expect(left.length, `handles left running: ${left.join(', ')}`).to.be.at.most(atStart);
  },
};
