import { expect } from 'chai';
import type { PlannedFault } from '../../lib/simulator/contract/fault.ts';
import type { ModuleSimulationOptions } from '../../lib/simulator/contract/module-simulation-options.ts';
import type {
  SimulationFailure,
  SimulationReport,
} from '../../lib/simulator/contract/simulation-report.ts';
import { simulate, simulateModule, SimulationError } from '../../lib/simulator/index.ts';
import { createOnce, twoWrites } from './support/toys.ts';

type Settings = Omit<ModuleSimulationOptions, 'module'>;

const CASES = 'spec/simulator/isolation/support/cases.simulation.ts';
const moduleOf = (name: string): URL => new URL(`../../${CASES}?case=${name}`, import.meta.url);

const AT = {
  verb: 'patch',
  resource: 'secrets',
  object: 'default/page',
  occurrence: 1,
} as const;

const run = (name: string, settings: Settings = {}): Promise<SimulationReport> =>
  simulateModule({
    module: moduleOf(name),
    onFailure: 'return',
    modules: 'shared',
    systematic: false,
    seeds: 0,
    ...settings,
  });

async function failureOf(name: string, settings?: Settings): Promise<SimulationFailure> {
  const { failures, summary } = await run(name, settings);
  const [failure] = failures;
  if (failure === undefined) throw new Error(summary);
  return failure;
}

async function rejectionOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'no error',
    (error: unknown) => String(error),
  );
}

const replayOf = (...faults: readonly PlannedFault[]): Settings => ({
  replay: { version: '1', seed: 1, origin: 'a spec', faults },
});

describe('simulateModule', () => {
  it('finds what simulate finds, with the same trace, in a controller that uses what it is given', async () => {
    const module = new URL('../cli/simulate/support/two-writes.simulation.ts', import.meta.url);
    const controllers = [twoWrites({ fixed: false })];
    const here = await simulate({ controllers, workload: createOnce, onFailure: 'return' });
    const there = await simulateModule({ module, onFailure: 'return' });
    const [failure] = there.failures;
    expect(failure?.trace).to.include('two-writes crash');
    expect(failure?.trace).to.equal(here.failures[0]?.trace);
    expect(failure?.plan).to.deep.equal(here.failures[0]?.plan);
  });

  it('gives a spec file that replays a failure as it was found, in a process of its own or here', async () => {
    const module = new URL('../cli/simulate/support/two-writes.simulation.ts', import.meta.url);
    const there = await simulateModule({ module, onFailure: 'return' });
    const isolated = there.failures[0]?.reproduction('./two-writes.ts') ?? '';
    expect(isolated).to.include("import { simulateModule } from 'listwatch/simulator';\n\n");
    const url = 'new URL("./two-writes.ts", import.meta.url)';
    expect(isolated).to.include(`await simulateModule({ module: ${url}, replay: {`);
    const controllers = [twoWrites({ fixed: false })];
    const here = await simulate({ controllers, workload: createOnce, onFailure: 'return' });
    const plain = here.failures[0]?.reproduction('./two-writes.ts') ?? '';
    expect(plain).to.include('import options from "./two-writes.ts";');
    expect(plain).to.include('await simulate({ ...options, replay: {');
  });

  it('throws what it finds, with the story', async () => {
    const error = await simulateModule({ module: moduleOf('exits') }).catch((thrown) => thrown);
    expect(error).to.be.instanceOf(SimulationError);
    expect(String(error)).to.include('process.exit(3)');
  });

  it('refuses unknown options and wrong values', async () => {
    const module = moduleOf('');
    const wrong = { module, moduls: 'fresh' } as ModuleSimulationOptions;
    expect(await rejectionOf(simulateModule(wrong))).to.include('moduls');
    const modules = 'never' as 'fresh';
    const text = "must be 'auto', 'shared' or 'fresh'";
    expect(await rejectionOf(simulateModule({ module, modules }))).to.include(text);
  });

  it('ends its process when its signal aborts', async () => {
    const abort = new AbortController();
    const work = run('', {
      systematic: true,
      seeds: 1_000_000,
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('enough')),
    });
    expect(await rejectionOf(work)).to.include('enough');
  });
});

describe('an incarnation of a controller that uses setInterval and Date', () => {
  const traceOf = async (...faults: PlannedFault[]): Promise<readonly string[]> =>
    (await failureOf('ticks', replayOf(...faults))).trace.split('\n');
  const timeOf = (line: string): number => Number(line.split(' ')[0]);

  it('ticks no more after its crash; the next one has timers of its own', async () => {
    const lines = await traceOf({ kind: 'crash', process: 'copies', at: AT, moment: 'handled' });
    const crash = lines.findIndex((line) => line.includes('copies crash'));
    const last = lines.findLastIndex((line) => line.includes('tick of copies-1'));
    expect(crash).to.be.above(0);
    expect(last).to.be.within(0, crash);
    expect(lines.findIndex((line) => line.includes('tick of copies-2'))).to.be.above(crash);
  });

  it('has the clock of its process, which jumps, and timers that do not', async () => {
    const lines = await traceOf({ kind: 'clock', process: 'copies', at: AT, byMs: 3_600_000 });
    const ticks = lines.filter((line) => line.includes('tick of copies-1'));
    const jump = ticks.findIndex((line) => Number(line.split(' ').at(-1)) > 3_600_000);
    expect(jump).to.be.above(0);
    expect(timeOf(ticks[jump] ?? '') - timeOf(ticks[jump - 1] ?? '')).to.be.closeTo(500, 0.01);
  });

  it('does not tick while its process stands still', async () => {
    const lines = await traceOf({ kind: 'pause', process: 'copies', at: AT, forMs: 20_000 });
    const times = lines.filter((line) => line.includes('tick of copies-1')).map(timeOf);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? time));
    expect(Math.max(...gaps)).to.be.within(19_000, 20_500);
  });
});

describe('state at module level', () => {
  it('that makes a difference is reported, and each incarnation gets fresh modules', async () => {
    const { notes, ok, plans } = await run('counts', { modules: 'auto', seeds: 2 });
    expect(notes).to.have.lengthOf(1);
    expect(notes[0]).to.match(/start 1.*freshly loaded.*start \d.*shared/);
    expect({ ok, seeds: plans['random seeds']?.run }).to.deep.equal({ ok: true, seeds: 2 });
  });

  it('is shared where nothing depends on it', async () => {
    const { notes, ok } = await run('ok', { modules: 'auto', seeds: 2 });
    expect({ notes, ok }).to.deep.equal({ notes: [], ok: true });
  });

  it('differs from run to run when it is shared on purpose, which is found', async () => {
    const { findings } = await failureOf('counts');
    expect(findings[0]?.class).to.equal('not-repeatable');
  });
});

describe('bad input of simulateModule', () => {
  it('is a module that throws when it is imported: file and line are named', async () => {
    const text = await rejectionOf(run('throws-at-import'));
    expect(text).to.match(/cannot be imported, at spec\S+cases\.simulation\.ts:\d+: no such/);
  });

  it('is a module that never ends while it is imported', async () => {
    const text = await rejectionOf(run('endless-at-import', { blockedMs: 1000 }));
    expect(text).to.match(/cannot be imported: .*computed for 1 s.*endless\.ts:[567] \(spin\)/);
  });

  it('is a timer that is started by an import, and a top-level wait is none', async () => {
    const { findings } = await failureOf('timer-at-import');
    expect(findings[0]?.subject).to.match(/^setInterval at spec\S+cases\.simulation\.ts:\d+$/);
    expect((await run('waits-at-import')).ok).to.equal(true);
  });

  it('is a controller that never ends: the line and its callers are named', async () => {
    for (const processes of [1, 2]) {
      const { findings, plan, story } = await failureOf('endless', { blockedMs: 1000, processes });
      expect(findings[0]?.class).to.equal('blocked');
      expect(findings[0]?.message).to.match(
        /endless\.ts:[567] \(spin\), called from .*cases\.simulation\.ts:\d+ \(endless\)/,
      );
      expect(plan.origin).to.equal('no faults');
      expect(story).to.include('endless.ts');
    }
  });

  for (const [name, what] of [
    ['leaves-interval', 'setInterval'],
    ['leaves-runtime-timer', 'runtime.setTimer'],
  ] as const) {
    it(`is a timer that is left: ${what}, with file and line`, async () => {
      const { findings } = await failureOf(name);
      expect(findings.map((one) => one.class)).to.deep.equal(['leaked-timer']);
      expect(findings[0]?.subject).to.match(/ at spec\S+cases\.simulation\.ts:\d+$/);
      expect(findings[0]?.subject).to.include(what);
    });
  }

  it('is no timer that is cleared when the signal aborts, or that keeps no process', async () => {
    expect((await run('leaves-nothing')).summary).to.include('nothing was found');
  });

  it('is a controller that grows without a bound: the limit and the line are named', async () => {
    for (const name of ['grows', 'grows-at-once']) {
      const { findings } = await failureOf(name, { heapMb: 192 });
      expect(findings[0]?.class).to.equal('memory');
      expect(findings[0]?.message).to.include('more than 192 MB');
      if (name === 'grows') expect(findings[0]?.message).to.include('cases.simulation.ts:');
    }
  });

  it('is a controller that ends its process, or throws where no one handles it', async () => {
    const loop = await failureOf('exits');
    expect(loop.findings[0]).to.include({ class: 'crash-loop', subject: 'copies' });
    expect(loop.findings[0]?.message).to.include('process.exit(3)');
    const timer = await failureOf('throws-in-timer');
    expect(timer.findings[0]?.message).to.include('a timer has thrown: too late');
    const tick = await failureOf('throws-in-tick');
    expect(tick.findings[0]).to.include({ class: 'uncaught-exception', subject: 'nowhere' });
  });

  it('is an invariant that throws, which is a finding', async () => {
    const { findings } = await failureOf('broken-invariant');
    expect(findings[0]?.message).to.match(
      /^the invariant threw: oh, at spec\/simulator\/isolation\/support\/cases\.simulation\.ts:\d+$/,
    );
  });

  it('is a plan of another version, which is refused', async () => {
    const replay = { version: '0', seed: 1, origin: 'a spec', faults: [] };
    expect(await rejectionOf(run('ok', { replay }))).to.include('of version 0 of the simulator');
    expect(await rejectionOf(run('ok', { replay: '{' }))).to.include('is no JSON');
  });
});
