import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { isListwatchError, type ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { failureOf } from '../support/failure-of.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';
import { until, within } from '../../support/until.ts';
import type { Encounter } from './bad-input/bad-input.ts';
import { badInputs } from './bad-input/bad-inputs.ts';
import { HurriedRuntime } from './support/hurried-runtime.ts';

/** Minutes of back-off pass in a second. */
const HURRY = 240;
/** A time limit of a minute passes in a second, and one of ten seconds is not reached by others. */
const HURRY_OF_LIMITS = 60;
/** An informer is left alone with its failure for so long. */
const LEFT_ALONE_MS = 120_000;
/** At the start, before back-off. */
const FIRST_ATTEMPTS = 8;
/** While a server does not answer, the longest wait is 4.5 seconds. */
const ATTEMPTS_A_SECOND = 0.25;
const LONGEST_MESSAGE = 500;

describe('a client with bad input', () => {
  for (const input of badInputs) {
    it(`names cause and remedy of ${input.name} in one line`, async () => {
      await using scratch = await ScratchDirectory.make();
      await using met = await input.open(scratch);
      const runtime = input.waits === true ? new HurriedRuntime(HURRY_OF_LIMITS) : realRuntime;
      const error = await within(failureOf(call(met, runtime)), input.name);
      expect(error.code).to.equal(input.code);
      expect(error.message).to.match(input.cause).and.to.match(input.remedy);
      expect(error.message).not.to.match(/[\r\n]/);
      expect(error.message.length).to.be.at.most(LONGEST_MESSAGE);
    });

    it(`does not spin for ${input.name}`, async () => {
      await using scratch = await ScratchDirectory.make();
      await using met = await input.open(scratch);
      const { attempts, errors, seconds } = await leftAlone(met);
      expect(attempts).to.be.at.most(FIRST_ATTEMPTS + seconds * ATTEMPTS_A_SECOND);
      expect(errors.length).to.be.at.least(1);
      for (const error of errors) expect(error.message).not.to.match(/[\r\n]/);
    });
  }
});

async function call({ options }: Encounter, runtime: Runtime): Promise<unknown> {
  await using client = await connect({ ...options, runtime, logger: silentLogger });
  return await client.resource('v1', 'configmaps', { namespace: 'default' }).get('any');
}

interface LeftAlone {
  readonly attempts: number;
  readonly errors: readonly ListwatchError[];
  /** As the client measured them. */
  readonly seconds: number;
}

/** An informer with default options, until it has given up or a time is over. */
async function leftAlone({ options, attempts }: Encounter): Promise<LeftAlone> {
  const runtime = new HurriedRuntime(HURRY);
  const startMs = runtime.monotonicMs();
  const errors: ListwatchError[] = [];
  const note = (error: unknown): void => {
    if (isListwatchError(error)) errors.push(error);
  };
  const elapsedMs = (): number => runtime.monotonicMs() - startMs;
  try {
    await using client = await connect({ ...options, runtime, logger: silentLogger });
    const name = { apiVersion: 'v1', resource: 'configmaps' };
    await using informer = new SharedIndexInformer({
      listerWatcher: client.listerWatcher(name, { namespace: 'default' }),
      runtime,
      logger: silentLogger,
    });
    informer.events.on('watch-error', note);
    let ended = false;
    const run = informer.run().catch(note);
    void run.then(() => (ended = true));
    const isOver = (): boolean => errors.length > 0 && elapsedMs() > LEFT_ALONE_MS;
    await until('the time is over', () => ended || isOver());
  } catch (error) {
    // A configuration that cannot be used is refused by `connect`.
    note(error);
  }
  return {
    attempts: Math.max(attempts(), errors.length),
    errors,
    seconds: elapsedMs() / 1000,
  };
}
