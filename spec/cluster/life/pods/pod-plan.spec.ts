import { expect } from 'chai';
import type { ContainerLife } from '../../../../lib/cluster/life/containers/container-life.ts';
import { podPhase } from '../../../../lib/cluster/life/pods/pod-phase.ts';
import { nextTime, podActs, type PodView } from '../../../../lib/cluster/life/pods/pod-plan.ts';
import type { PodSpec } from '../../../../lib/types/built-in/core-v1-kinds.ts';

const NOW_MS = 1000;

/** A container from a text such as `main:running`, `init:exited(0)`, `sidecar:creating@900`. */
function life(text: string): ContainerLife {
  const [, name = '', phase = '', code, due] =
    /^(\w+):(\w+?)(?:\((\d+)\))?(?:@(\d+))?$/.exec(text) ?? [];
  const role = name.replace(/\d/g, '') as ContainerLife['role'];
  const exit =
    code === undefined
      ? undefined
      : { exitCode: Number(code), reason: '', startedMs: 0, finishedMs: NOW_MS, id: 'x' };
  const isUp = phase === 'running' || phase === 'stopping';
  const dueMs = due === undefined ? undefined : Number(due);
  return {
    name,
    role,
    phase: phase as ContainerLife['phase'],
    restarts: 0,
    started: isUp,
    ready: isUp,
    exit,
    dueMs,
  };
}

function view(texts: string, policy: string, isEnding = false): PodView {
  const containers = texts.split(' ').map(life);
  const named = (...roles: string[]) =>
    containers
      .filter(({ role }) => roles.includes(role))
      .map(({ name, role }) => ({
        name,
        ...(role === 'sidecar' ? { restartPolicy: 'Always' } : {}),
      }));
  const spec: PodSpec = {
    restartPolicy: policy as PodSpec['restartPolicy'],
    initContainers: named('init', 'sidecar'),
    containers: named('main'),
  };
  return { spec, containers, isEnding };
}

/** Containers, policy, whether the pod ends; acts, phase of the pod. */
const ROWS: readonly (readonly [string, string, boolean, string, string])[] = [
  ['main:idle', 'Always', false, 'create main', 'Pending'],
  ['main1:idle main2:idle', 'Always', false, 'create main1, create main2', 'Pending'],
  ['main:creating@2000', 'Always', false, '', 'Pending'],
  ['main:creating@1000', 'Always', false, 'run main', 'Pending'],
  ['main:running', 'Always', false, '', 'Running'],
  ['main:exited(1)', 'Always', false, 'create main', 'Running'],
  ['main:exited(0)', 'OnFailure', false, '', 'Succeeded'],
  ['main:exited(1)', 'OnFailure', false, 'create main', 'Running'],
  ['main:exited(1)', 'Never', false, '', 'Failed'],
  ['main1:exited(0) main2:exited(1)', 'Never', false, '', 'Failed'],
  ['main1:exited(0) main2:running', 'Never', false, '', 'Running'],
  ['main:backOff(1)@2000', 'Always', false, '', 'Running'],
  ['main:backOff(1)@900', 'Always', false, 'create main', 'Running'],
  ['main:refused', 'Always', false, '', 'Pending'],
  ['main:refused@900', 'Always', false, 'create main', 'Pending'],
  ['init1:idle init2:idle main:idle', 'Always', false, 'create init1', 'Pending'],
  ['init1:exited(0) init2:idle main:idle', 'Always', false, 'create init2', 'Pending'],
  ['init1:running init2:idle main:idle', 'Always', false, '', 'Pending'],
  ['init1:exited(0) main:idle', 'Always', false, 'create main', 'Pending'],
  ['init1:exited(1) main:idle', 'Always', false, 'create init1', 'Pending'],
  ['init1:exited(1) main:idle', 'Never', false, '', 'Failed'],
  ['sidecar:idle main:idle', 'Always', false, 'create sidecar', 'Pending'],
  ['sidecar:running main:idle', 'Always', false, 'create main', 'Pending'],
  ['sidecar:running main:running', 'Always', false, '', 'Running'],
  ['sidecar:exited(1) main:running', 'Never', false, 'create sidecar', 'Running'],
  ['main:running', 'Always', true, 'stop main', 'Running'],
  ['main:stopping@2000', 'Always', true, '', 'Running'],
  ['main:stopping@1000', 'Always', true, 'kill main', 'Running'],
  ['main:creating@1000', 'Always', true, 'stop main', 'Pending'],
  ['main:backOff(1)@900', 'Always', true, '', 'Failed'],
  ['main:exited(0)', 'Always', true, '', 'Succeeded'],
  ['sidecar1:running sidecar2:running main:running', 'Always', true, 'stop main', 'Running'],
  ['sidecar1:running sidecar2:running main:exited(0)', 'Always', true, 'stop sidecar2', 'Running'],
  ['sidecar1:running sidecar2:stopping@2000 main:exited(0)', 'Always', true, '', 'Running'],
  [
    'sidecar1:running sidecar2:exited(0) main:exited(0)',
    'Always',
    true,
    'stop sidecar1',
    'Running',
  ],
];

describe('a pod', () => {
  for (const [texts, policy, isEnding, acts, phase] of ROWS) {
    const what = isEnding ? 'that ends' : `with ${policy}`;
    it(`${what} and ${texts} is ${phase}, next: ${acts || 'nothing'}`, () => {
      const given = view(texts, policy, isEnding);
      const done = podActs(given, NOW_MS).map(({ act, name }) => `${act} ${name}`);
      expect(done.join(', ')).to.equal(acts);
      const { spec, containers } = given;
      expect(podPhase({ spec, containers, isTerminal: isEnding })).to.equal(phase);
    });
  }

  it('that is blocked starts nothing', () => {
    const given = { ...view('main:idle', 'Always'), isBlocked: true };
    expect(podActs(given, NOW_MS)).to.deep.equal([]);
  });

  it('is held back when its container has a delay', () => {
    const given = view('main:exited(1)', 'Always');
    const containers = given.containers.map((one) => ({
      ...one,
      restartDelay: { delayMs: 10_000, sinceMs: 0 },
    }));
    expect(podActs({ ...given, containers }, NOW_MS)).to.deep.equal([
      { act: 'hold', name: 'main', dueMs: 11_000 },
    ]);
  });

  it('is looked at again at its next time, and never for what does not come', () => {
    const time = (texts: string, isEnding = false): number | undefined =>
      nextTime(view(texts, 'Always', isEnding));
    expect(time('main1:creating@3000 main2:backOff(1)@2000')).to.equal(2000);
    expect(time('main:running')).to.equal(undefined);
    expect(time('main:stopping@2000')).to.equal(2000);
    expect(time('main:backOff(1)@2000', true)).to.equal(undefined);
    const given = view('main:running', 'Always');
    const containers = given.containers.map((one) => ({ ...one, endsMs: Infinity, readyMs: 5 }));
    expect(nextTime({ ...given, containers })).to.equal(undefined);
  });
});
