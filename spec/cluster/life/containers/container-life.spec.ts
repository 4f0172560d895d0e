import { expect } from 'chai';
import {
  containerAfter,
  newContainer,
  type ContainerInput,
  type ContainerLife,
  type ContainerPhase,
} from '../../../../lib/cluster/life/containers/container-life.ts';

const INPUTS: readonly ContainerInput[] = [
  { type: 'create', dueMs: 5 },
  { type: 'refuse', reason: 'ErrImagePull', message: 'no' },
  { type: 'run', id: 'x', atMs: 9, startupMs: undefined, readyAfterMs: 0, endsMs: undefined },
  { type: 'startup' },
  { type: 'ready', ready: true },
  { type: 'stop', dueMs: 20 },
  { type: 'exit', exitCode: 1, reason: 'Error', atMs: 9 },
  { type: 'hold', dueMs: 30, message: 'back-off' },
];

/** The phase after each input, in their order; a dot: the input changes nothing. */
const TABLE: Readonly<Record<ContainerPhase, string>> = {
  idle: 'creating refused . . . . . .',
  creating: '. refused running . . idle . .',
  refused: 'creating refused . . . idle . .',
  running: '. . . running running stopping exited .',
  stopping: '. . . . stopping stopping exited .',
  exited: 'creating . . . . . . backOff',
  backOff: 'creating . . . . . . .',
};

describe('a container', () => {
  for (const [phase, wanted] of Object.entries(TABLE)) {
    it(`in the phase ${phase} goes on as its row says`, () => {
      const life = { ...newContainer('main', 'main'), phase } as ContainerLife;
      const phases = INPUTS.map((input) => {
        const next = containerAfter(life, input);
        return next === life ? '.' : next.phase;
      });
      expect(phases.join(' ')).to.equal(wanted);
    });
  }

  it('counts a restart when it runs again, and keeps its end as the last one', () => {
    const inputs: readonly ContainerInput[] = [
      { type: 'create', dueMs: 1 },
      { type: 'run', id: 'a', atMs: 1, startupMs: undefined, readyAfterMs: 0, endsMs: undefined },
      { type: 'exit', exitCode: 3, reason: 'Error', atMs: 2 },
      { type: 'create', dueMs: 4 },
    ];
    const creating = inputs.reduce(containerAfter, newContainer('main', 'main'));
    expect(creating).to.include({ phase: 'creating', restarts: 0 });
    const running = containerAfter(creating, {
      type: 'run',
      id: 'b',
      atMs: 4,
      startupMs: 6,
      readyAfterMs: 2,
      endsMs: undefined,
    });
    expect(running).to.deep.include({
      restarts: 1,
      id: 'b',
      started: false,
      ready: false,
      readyMs: 8,
    });
    expect(running.last).to.deep.include({ exitCode: 3, id: 'a', startedMs: 1, finishedMs: 2 });
    expect(running.exit).to.equal(undefined);
  });

  it('of the role init is ready when it has succeeded', () => {
    const life = { ...newContainer('first', 'init'), phase: 'running' } as const;
    const exit = (exitCode: number) =>
      containerAfter(life, { type: 'exit', exitCode, reason: '', atMs: 1 }).ready;
    expect([exit(0), exit(1)]).to.deep.equal([true, false]);
  });
});
