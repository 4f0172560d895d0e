import type { Container, PodSpec } from '../../../types/built-in/core-v1-kinds.ts';
import { isAlive, type ContainerLife } from '../containers/container-life.ts';
import { restartTime, startsAgain } from '../containers/restart-policy.ts';

/** A pod as its next steps depend on it. */
export interface PodView {
  readonly spec: PodSpec;
  /** In the order of the spec: init containers, containers, ephemeral ones. */
  readonly containers: readonly ContainerLife[];
  /** Its containers are to end, e.g. because it is deleted. */
  readonly isEnding: boolean;
  /** Something that it needs is missing: nothing of it starts. */
  readonly isBlocked?: boolean | undefined;
}

/**
 * The next step of a container.
 *
 * | act | why |
 * |---|---|
 * | `create` | it is its turn, or its back-off is over |
 * | `hold` | it ended, and starts again only after a back-off |
 * | `run` | it is made |
 * | `startup`, `ready` | its probes succeed now |
 * | `fail` | a probe has failed so often now that it is stopped |
 * | `end` | it ends by itself now |
 * | `stop` | it is not wanted any more, and gets its signal |
 * | `kill` | it did not end within its grace period |
 */
export interface ContainerAct {
  readonly act: 'create' | 'hold' | 'run' | 'startup' | 'ready' | 'fail' | 'end' | 'stop' | 'kill';
  readonly name: string;
  /** Of `hold`: when it starts again. */
  readonly dueMs?: number | undefined;
}

/** The spec of a container of a pod. */
export function containerSpec(spec: PodSpec, name: string): Container | undefined {
  const isNamed = (one: Container): boolean => one.name === name;
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  return (
    containers.find(isNamed) ?? initContainers.find(isNamed) ?? ephemeralContainers.find(isNamed)
  );
}

/**
 * The steps of the containers of a pod at `nowMs`; empty: none before the time of `nextTime`, or before something comes from outside.
 * @see kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions @ v1.37.2
 */
export function podActs(view: PodView, nowMs: number): readonly ContainerAct[] {
  const timed = view.containers.flatMap((life) => dueAct(life, nowMs, view) ?? []);
  if (timed.length > 0) return timed;
  return view.isEnding ? endingActs(view) : startingActs(view, nowMs);
}

/** When `podActs` has to be asked again; undefined: when something comes from outside. */
export function nextTime({ containers, isEnding }: PodView): number | undefined {
  let next: number | undefined;
  for (const life of containers) {
    for (const time of timesOf(life, isEnding)) {
      // Infinity is never.
      if (time !== undefined && time < (next ?? Infinity)) next = time;
    }
  }
  return next;
}

function timesOf(life: ContainerLife, isEnding: boolean): readonly (number | undefined)[] {
  const { phase, dueMs, started, ready, startupMs, readyMs, endsMs, failsMs } = life;
  if (phase === 'stopping') return [dueMs, endsMs];
  if (phase === 'running') {
    return [started ? (ready ? undefined : readyMs) : startupMs, endsMs, failsMs];
  }
  if (isEnding || phase === 'idle' || phase === 'exited') return [];
  return [dueMs];
}

function dueAct(
  life: ContainerLife,
  nowMs: number,
  { isEnding, isBlocked = false }: PodView,
): ContainerAct | undefined {
  const { name, phase, started } = life;
  const isDue = (time: number | undefined): boolean => time !== undefined && time <= nowMs;
  if (isAlive(life)) {
    if (isDue(life.endsMs)) return { act: 'end', name };
    if (phase === 'stopping') return isDue(life.dueMs) ? { act: 'kill', name } : undefined;
    if (isDue(life.failsMs)) return { act: 'fail', name };
    if (!started) return isDue(life.startupMs) ? { act: 'startup', name } : undefined;
    return !life.ready && isDue(life.readyMs) ? { act: 'ready', name } : undefined;
  }
  if (isEnding || isBlocked || !isDue(life.dueMs)) return undefined;
  if (phase === 'creating') return { act: 'run', name };
  return phase === 'refused' || phase === 'backOff' ? { act: 'create', name } : undefined;
}

/** The main containers end together, the sidecars after them, the last one first. */
function endingActs({ containers }: PodView): readonly ContainerAct[] {
  const isAtWork = (life: ContainerLife): boolean => isAlive(life) || life.phase === 'creating';
  const stop = ({ name }: ContainerLife): ContainerAct => ({ act: 'stop', name });
  const mains = containers.filter((one) => one.role !== 'sidecar' && isAtWork(one));
  if (mains.length > 0) return mains.filter(({ phase }) => phase !== 'stopping').map(stop);
  const last = containers.findLast(isAtWork);
  return last === undefined || last.phase === 'stopping' ? [] : [stop(last)];
}

function startingActs(view: PodView, nowMs: number): readonly ContainerAct[] {
  const { containers, isBlocked = false } = view;
  if (isBlocked) return [];
  const acts: ContainerAct[] = [];
  const start = (...roles: readonly ContainerLife['role'][]): void => {
    const ready = containers.filter(({ role }) => roles.includes(role));
    acts.push(...ready.flatMap((life) => startActs(view, life, nowMs)));
  };
  start('ephemeral');
  for (const life of containers) {
    if (life.role !== 'init' && life.role !== 'sidecar') continue;
    acts.push(...startActs(view, life, nowMs));
    // The next one waits for it; a sidecar that has started once does not hold up those after it.
    if (!isInitialized(life) && !hasMainStarted(view)) return acts;
  }
  start('main');
  return acts;
}

function startActs({ spec }: PodView, life: ContainerLife, nowMs: number): readonly ContainerAct[] {
  const { name, phase, exit, restartDelay } = life;
  if (phase === 'idle' && exit === undefined) return [{ act: 'create', name }];
  if ((phase !== 'exited' && phase !== 'idle') || exit === undefined) return [];
  if (!isRestarted(spec, life)) return [];
  const dueMs = restartTime(restartDelay, exit.finishedMs);
  return [dueMs <= nowMs ? { act: 'create', name } : { act: 'hold', name, dueMs }];
}

/** Whether a container that has ended will run again. */
export function isRestarted(
  spec: PodSpec,
  { name, role, exit, isReplaced = false }: ContainerLife,
): boolean {
  if (exit === undefined || isReplaced || role === 'sidecar') return true;
  if (role === 'ephemeral') return false;
  const container = containerSpec(spec, name);
  if (container === undefined) return false;
  // An init container that succeeded is done.
  if (role === 'init' && exit.exitCode === 0) return false;
  return startsAgain(container, spec, exit.exitCode);
}

function isInitialized({ role, started, phase, exit }: ContainerLife): boolean {
  return role === 'sidecar' ? started : phase === 'exited' && exit?.exitCode === 0;
}

export function hasMainStarted({ containers }: Pick<PodView, 'containers'>): boolean {
  return containers.some(
    (one) => one.role === 'main' && (isAlive(one) || one.exit !== undefined || one.restarts > 0),
  );
}

/** Whether every container has ended for good, so that the pod is done: the sidecars end then. */
export function isDone({ spec, containers }: Pick<PodView, 'spec' | 'containers'>): boolean {
  const failed = containers.some(
    (one) =>
      one.role === 'init' &&
      one.phase === 'exited' &&
      one.exit?.exitCode !== 0 &&
      !isRestarted(spec, one),
  );
  if (failed) return true;
  const mains = containers.filter(({ role }) => role === 'main');
  return mains.every((one) => one.phase === 'exited' && !isRestarted(spec, one));
}

/** Whether nothing of the pod runs any more. */
export function isStopped({ containers }: Pick<PodView, 'containers'>): boolean {
  return containers.every((one) => !isAlive(one) && one.phase !== 'creating');
}
