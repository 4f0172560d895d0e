import { expect } from 'chai';
import { realNetwork } from '../../../lib/cli/doctor/connection/real-network.ts';
import { Findings } from '../../../lib/cli/doctor/contract/findings.ts';
import type { DoctorContext, Outcome, Step } from '../../../lib/cli/doctor/contract/step.ts';
import { runSteps } from '../../../lib/cli/doctor/run-steps.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { within } from '../../support/until.ts';

const OK: Outcome = { status: 'ok', detail: 'fine' };

function step(id: string, needs: readonly string[], run: Step['run'] = () => OK): Step {
  return { id, title: `the ${id}`, needs, run };
}

function contextOf(
  runtime: Runtime,
  signal: AbortSignal = new AbortController().signal,
): DoctorContext {
  return {
    options: { resources: [], timeoutMs: 30_000 },
    env: {},
    homeDir: '/nowhere',
    userAgent: 'spec',
    runtime,
    network: realNetwork,
    findings: new Findings(),
    signal,
  };
}

interface Events {
  readonly events: string[];
  began(one: Step): void;
  ended(one: { readonly id: string; readonly status: string; readonly detail: string }): void;
}

function recorder(): Events {
  const events: string[] = [];
  return {
    events,
    began: ({ id }) => void events.push(`${id} began`),
    ended: ({ id, status, detail }) => void events.push(`${id} ${status}: ${detail}`),
  };
}

describe('runSteps', () => {
  it('runs the steps in order, and reports when each begins and ends', async () => {
    const progress = recorder();
    await runSteps(
      [step('one', []), step('two', ['one'])],
      contextOf(new VirtualRuntime()),
      progress,
    );
    expect(progress.events).to.deep.equal([
      'one began',
      'one ok: fine',
      'two began',
      'two ok: fine',
    ]);
  });

  it('skips what needs a failed step, also at second hand, and names the step that failed', async () => {
    const progress = recorder();
    const failed = (): Outcome => ({ status: 'failed', detail: 'broken', remedy: 'mend it' });
    const steps = [
      step('one', [], failed),
      step('two', ['one']),
      step('three', ['two']),
      step('four', []),
    ];
    await runSteps(steps, contextOf(new VirtualRuntime()), progress);
    expect(progress.events).to.deep.equal([
      'one began',
      'one failed: broken',
      'two skipped: it needs "the one"',
      'three skipped: it needs "the one"',
      'four began',
      'four ok: fine',
    ]);
  });

  it('goes on after a warning, and after a step that had nothing to do', async () => {
    const steps = [
      step('one', [], () => ({ status: 'warning', detail: 'soon' })),
      step('two', ['one'], () => ({ status: 'skipped', detail: 'nothing to do' })),
      step('three', ['two']),
    ];
    const results = await runSteps(steps, contextOf(new VirtualRuntime()), recorder());
    expect(results.map(({ status }) => status)).to.deep.equal(['warning', 'skipped', 'ok']);
  });

  it('takes a thrown error for a failure with its code, its cause, and its remedy', async () => {
    const thrown = (): never => {
      throw new ListwatchError('CONFIG_INVALID', 'line 3: there is no user a; add it to users');
    };
    const [result] = await runSteps(
      [step('one', [], thrown)],
      contextOf(new VirtualRuntime()),
      recorder(),
    );
    expect(result).to.deep.include({
      status: 'failed',
      code: 'CONFIG_INVALID',
      detail: 'line 3: there is no user a',
      remedy: 'add it to users',
    });
  });

  it('ends a step at the time limit, and aborts its signal', async () => {
    const runtime = new VirtualRuntime();
    let signal: AbortSignal | undefined;
    const silent = (context: DoctorContext): Promise<Outcome> => {
      signal = context.signal;
      return new Promise(() => {});
    };
    const steps = [step('one', [], silent), step('two', [])];
    const results = await runtime.run(() => runSteps(steps, contextOf(runtime), recorder()));
    expect(results[0]).to.deep.include({ status: 'failed', code: 'TIMEOUT', durationMs: 30_000 });
    expect(results[0]?.detail).to.equal('gave up after 30000 ms waiting for "the one"');
    expect(signal?.aborted).to.equal(true);
    expect(results[1]?.status).to.equal('ok');
  });

  it('runs no further step after an interruption, and does not wait for the present one', async () => {
    const interruption = new AbortController();
    const runtime = new VirtualRuntime();
    const silent = (): Promise<Outcome> => {
      interruption.abort(new Error('interrupted'));
      return new Promise(() => {});
    };
    const context = contextOf(runtime, interruption.signal);
    const steps = [step('one', [], silent), step('two', [])];
    const results = await within(runSteps(steps, context, recorder()), 'the interrupted steps');
    expect(results.map(({ id, detail }) => [id, detail])).to.deep.equal([['one', 'interrupted']]);
  });

  it('leaves no listener on the signal of the command', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    await runSteps(
      [step('one', []), step('two', [])],
      contextOf(new VirtualRuntime(), signal),
      recorder(),
    );
    expect(listeners).to.equal(0);
  });
});
