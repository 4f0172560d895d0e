import { errorMessage } from '../../../kernel/failure/errors.ts';
import { internalError } from '../../../meta/failure/failures.ts';
import { randomText } from '../../../kernel/time/random.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { NewEvent } from '../../../controller/events/event-sink.ts';
import type { Container } from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerBehaviour } from '../containers/container-behaviour.ts';
import type { ContainerBehaviours } from '../containers/container-rules.ts';
import {
  containerAfter,
  isAlive,
  newContainer,
  type ContainerInput,
  type ContainerLife,
  type ContainerRole,
} from '../containers/container-life.ts';
import { ContainerLog } from '../containers/container-log.ts';
import { ContainerRun } from '../containers/container-run.ts';
import { usageOf, type Usage } from '../containers/container-usage.ts';
import { drawn, type Delay } from '../containers/delays.ts';
import type { ImageNames } from '../containers/image-names.ts';
import { failureMs, successMs } from '../containers/probe-times.ts';
import { goSeconds, nextRestartDelay } from '../containers/restart-policy.ts';
import type { LifeClock } from '../clock/life-clock.ts';
import type { NodeState } from '../nodes/node-state.ts';
import { containerSpec, nextTime, podActs, type ContainerAct } from './pod-plan.ts';
import type { LifePod } from './life-pod.ts';
import type { MissingSupplies } from './pod-supplies.ts';
import { firstContainers } from './restored-pod.ts';

/** The parts that all pods share. */
export interface PodParts {
  readonly runtime: Runtime;
  readonly clock: LifeClock;
  readonly behaviours: ContainerBehaviours;
  readonly images: ImageNames;
  /** The delays of containers whose behaviour says nothing else. */
  readonly startsAfterMs: Delay;
  readonly pullsAfterMs: Delay;
}

export interface PodContainersOptions {
  readonly parts: PodParts;
  readonly pod: LifePod;
  readonly node: NodeState;
  readonly onEvent: (event: NewEvent) => void;
  /** Something has come from a container: the pod is to be looked at. */
  readonly onFact: () => void;
}

interface Logs {
  now: ContainerLog | undefined;
  before: ContainerLog | undefined;
}

type RunInput = Extract<ContainerInput, { readonly type: 'run' }>;

interface Pull {
  readonly untilMs: number;
  readonly delayMs: number;
}

const KILLED = 137;
/** From the signal until a container is killed, however little is left of its grace period. */
const SHORTEST_GRACE_MS = 2000;
const CONFIG_ERROR = 'CreateContainerConfigError';
const FIRST_PULL_DELAY_MS = 10_000;
const LONGEST_PULL_DELAY_MS = 300_000;
/** After a failed pull, the next look shows the back-off. */
const NEXT_LOOK_MS = 1000;
/** The fields of the spec that have the containers. */
const LISTS: Readonly<Record<ContainerRole, string>> = {
  main: 'containers',
  init: 'initContainers',
  sidecar: 'initContainers',
  ephemeral: 'ephemeralContainers',
};
const HEX = '0123456789abcdef';
const ID_LENGTH = 64;

/** The containers of a pod, and the functions that run for them. Nothing in it waits. */
export class PodContainers {
  readonly #options: PodContainersOptions;
  #pod: LifePod;
  #lives: readonly ContainerLife[];
  readonly #runs = new Map<string, ContainerRun>();
  readonly #logs = new Map<string, Logs>();
  readonly #pulls = new Map<string, Pull>();
  readonly #behaviours = new Map<string, ContainerBehaviour>();
  #missing: MissingSupplies | undefined;
  #facts: { readonly name: string; readonly input: ContainerInput }[] = [];

  constructor(options: PodContainersOptions) {
    this.#options = options;
    this.#pod = options.pod;
    this.#lives = firstContainers(options.pod);
    for (const life of this.#lives) if (isAlive(life)) this.#resume(life);
  }

  get lives(): readonly ContainerLife[] {
    return this.#lives;
  }

  /** The pod has changed: it may have more ephemeral containers. */
  update(pod: LifePod): void {
    this.#pod = pod;
    for (const { name } of pod.spec.ephemeralContainers ?? []) {
      if (this.#lives.some((one) => one.name === name)) continue;
      this.#lives = [...this.#lives, newContainer(name, 'ephemeral')];
    }
  }

  /** From now on, this is missing; what had waited for the rest goes on. */
  lack(missing: MissingSupplies | undefined): void {
    this.#missing = missing;
  }

  log(name: string): ContainerLog | undefined {
    return this.#logs.get(name)?.now;
  }

  previousLog(name: string): ContainerLog | undefined {
    return this.#logs.get(name)?.before;
  }

  /** The same one as long as the pod exists. */
  behaviour(name: string): ContainerBehaviour {
    const known = this.#behaviours.get(name);
    if (known !== undefined) return known;
    const container = containerSpec(this.#pod.spec, name);
    if (container === undefined) return {};
    const behaviour = this.#options.parts.behaviours.of({ pod: this.#pod, container });
    this.#behaviours.set(name, behaviour);
    return behaviour;
  }

  /** The ports that a container declares. */
  ports(name: string): number[] {
    const { ports = [] } = containerSpec(this.#pod.spec, name) ?? {};
    return ports.map(({ containerPort }) => containerPort);
  }

  /** The usage of its running containers. @throws {ApiError} 500 that names the container whose function fails. */
  usage(): Map<string, Usage> {
    const all = new Map<string, Usage>();
    for (const { name } of this.#lives.filter(isAlive)) {
      const container = containerSpec(this.#pod.spec, name);
      if (container === undefined) continue;
      try {
        all.set(name, usageOf(this.behaviour(name).usage, this.#pod, container));
      } catch (error) {
        const { name: pod } = this.#pod.metadata;
        const what = `option containers: usage of the container ${name} of the pod ${pod}`;
        throw internalError(`${what}: ${errorMessage(error)}`);
      }
    }
    return all;
  }

  /** A container ends now, with this code. */
  crash(name: string, exitCode: number): void {
    const message = exitCode === 0 ? undefined : 'the container was made to crash';
    this.#ended(name, exitCode, message);
  }

  /**
   * Takes the containers as far as they come by `nowMs`; returns when to call it again, at the latest. `graceMs`: from the signal that ends
   * a container until it is killed.
   */
  advance(nowMs: number, isEnding: boolean, graceMs: number): number | undefined {
    for (const { name, input } of this.#facts.splice(0)) this.#apply(name, input);
    const { spec } = this.#pod;
    const isBlocked = this.#missing?.mount !== undefined;
    const view = { spec, containers: this.#lives, isEnding, isBlocked };
    if (!isEnding && !isBlocked) this.#supply(nowMs);
    for (;;) {
      const acts = podActs({ ...view, containers: this.#lives }, nowMs);
      if (acts.length === 0) break;
      for (const act of acts) this.#perform(act, nowMs, graceMs);
    }
    return nextTime({ ...view, containers: this.#lives });
  }

  /** A container starts again for its new resources. */
  restart(name: string, graceMs: number): void {
    const container = containerSpec(this.#pod.spec, name);
    if (container === undefined || this.#life(name)?.phase !== 'running') return;
    const note = `Container ${name} resize requires restart`;
    const nowMs = this.#options.parts.clock.nowMs();
    this.#stop(container, nowMs, graceMs, { note, isReplaced: true });
  }

  /** Less is left of the grace period than there was. */
  hasten(nowMs: number, graceMs: number): void {
    const dueMs = nowMs + Math.max(graceMs, SHORTEST_GRACE_MS);
    for (const { name, phase } of this.#lives) {
      if (phase === 'stopping') this.#apply(name, { type: 'stop', dueMs });
    }
  }

  /** The pod is gone: nothing of it goes on. */
  end(): void {
    for (const name of this.#runs.keys()) this.#over(name);
    for (const { now } of this.#logs.values()) now?.end();
  }

  #perform({ act, name, dueMs = 0 }: ContainerAct, nowMs: number, graceMs: number): void {
    const container = containerSpec(this.#pod.spec, name);
    // No container ever leaves the spec of its pod.
    if (container === undefined) return;
    if (act === 'create') this.#create(container, nowMs);
    else if (act === 'run') this.#run(container, nowMs);
    else if (act === 'startup') this.#apply(name, { type: 'startup' });
    else if (act === 'ready') this.#apply(name, { type: 'ready', ready: true });
    else if (act === 'hold') this.#hold(name, dueMs);
    else if (act === 'fail') this.#fail(container, nowMs);
    else if (act === 'stop') this.#stop(container, nowMs, graceMs);
    else if (act === 'kill') this.#apply(name, exit(KILLED, nowMs));
    else this.#apply(name, exit(this.#codeOf(name), nowMs));
  }

  /** Those that were refused for what is there now. */
  #supply(nowMs: number): void {
    for (const { name, phase, reason } of this.#lives) {
      if (phase !== 'refused' || reason !== CONFIG_ERROR) continue;
      const container = containerSpec(this.#pod.spec, name);
      if (container !== undefined) this.#create(container, nowMs);
    }
  }

  #create(container: Container, nowMs: number): void {
    const { parts, node } = this.#options;
    const { name, image = '', imagePullPolicy, lifecycle } = container;
    const lacking = this.#missing?.containers.get(name);
    if (lacking !== undefined) {
      const known = this.#life(name)?.message;
      this.#apply(name, { type: 'refuse', reason: CONFIG_ERROR, message: lacking });
      if (known !== lacking) this.#event(name, 'Failed', `Error: ${lacking}`, 'Warning');
      return;
    }
    const life = this.#life(name);
    const behaviour = this.behaviour(name);
    const { startsAfterMs = parts.startsAfterMs, pullsAfterMs = parts.pullsAfterMs } = behaviour;
    const pull = this.#pulls.get(name);
    if (pull !== undefined && pull.untilMs > nowMs) {
      this.#refuseImage(container, pull.untilMs, behaviour.pullError ?? '');
      return;
    }
    const isThere = node.images.has(image);
    if (imagePullPolicy === 'Never' && !isThere && behaviour.pullError !== undefined) {
      const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
      this.#apply(name, { type: 'refuse', reason: 'ErrImageNeverPull', message });
      this.#event(name, 'ErrImageNeverPull', message, 'Warning');
      this.#event(name, 'Failed', `Error: ErrImageNeverPull`, 'Warning');
      return;
    }
    // A hook after its start counts as a part of it: until it ends, a container does not show as running.
    const hookMs = (lifecycle?.postStart?.sleep?.seconds ?? 0) * 1000;
    let dueMs = nowMs + hookMs + this.#drawn(name, startsAfterMs);
    if (this.#isPulled(container)) {
      if (!isThere) dueMs += this.#drawn(name, pullsAfterMs);
      this.#event(name, 'Pulling', `Pulling image ${JSON.stringify(image)}`);
    }
    const restartDelay =
      life?.exit === undefined
        ? undefined
        : nextRestartDelay(life.restartDelay, life.exit.finishedMs, nowMs);
    this.#apply(name, {
      type: 'create',
      dueMs,
      ...(restartDelay === undefined ? {} : { restartDelay }),
    });
  }

  #run(container: Container, nowMs: number): void {
    const { parts, node } = this.#options;
    const { name, image = '' } = container;
    const { pullError, output = [] } = this.behaviour(name);
    if (pullError !== undefined && this.#isPulled(container)) {
      this.#pullFailed(container, pullError, nowMs);
      return;
    }
    this.#pulls.delete(name);
    this.#pulledEvent(container);
    node.images.set(image, true);
    const id = `containerd://${randomText(parts.runtime, ID_LENGTH, HEX)}`;
    this.#apply(name, this.#begin(container, id, nowMs));
    this.#event(name, 'Created', 'Container created');
    this.#event(name, 'Started', 'Container started');
    const life = this.#life(name);
    if (life !== undefined) this.#launch(life);
    for (const line of output) this.#logs.get(name)?.now?.add(line, nowMs);
  }

  /** Goes on with a container that ran before this process. */
  #resume(life: ContainerLife): void {
    const { name, id = '', startedMs = 0 } = life;
    const container = containerSpec(this.#pod.spec, name);
    if (container === undefined) return;
    const made = { ...life, phase: 'creating' } as const;
    const next = containerAfter(made, this.#begin(container, id, startedMs));
    const [started, ready] = [next.started || life.started, next.ready || life.ready];
    this.#lives = this.#lives.map((one) => (one === life ? { ...next, started, ready } : one));
    this.#launch(life);
  }

  /** A run from a time on: when its probes succeed, and when it ends. */
  #begin({ name, startupProbe, readinessProbe }: Container, id: string, atMs: number): RunInput {
    const { startedAfterMs = 0, readyAfterMs = 0, run, runsForMs } = this.behaviour(name);
    const readyMs = successMs(readinessProbe) + this.#drawn(name, readyAfterMs);
    const ends = run === undefined && runsForMs !== undefined;
    const endsMs = ends ? atMs + this.#drawn(name, runsForMs) : undefined;
    const input = { type: 'run', id, atMs, readyAfterMs: readyMs, endsMs } as const;
    if (startupProbe === undefined) return { ...input, startupMs: undefined };
    const startupMs = atMs + successMs(startupProbe) + this.#drawn(name, startedAfterMs);
    const failsMs = atMs + failureMs(startupProbe);
    return { ...input, startupMs, failsMs: failsMs < startupMs ? failsMs : undefined };
  }

  /** A delay; a function that throws is none, and an event says so. */
  #drawn(name: string, delay: Delay): number {
    try {
      return drawn(delay, this.#options.parts.runtime);
    } catch (error) {
      this.#event(name, 'Failed', `Error: option containers: ${errorMessage(error)}`, 'Warning');
      return 0;
    }
  }

  #isPulled({ image = '', imagePullPolicy }: Container): boolean {
    if (imagePullPolicy === 'Never') return false;
    return imagePullPolicy === 'Always' || !this.#options.node.images.has(image);
  }

  /** Begins its log, and its function, if it has one. */
  #launch({ name, restarts }: ContainerLife): void {
    const container = containerSpec(this.#pod.spec, name);
    const { run } = this.behaviour(name);
    const { parts, onFact } = this.#options;
    const { runtime, clock } = parts;
    const before = this.#logs.get(name)?.now;
    const log = new ContainerLog();
    this.#logs.set(name, { now: log, before });
    if (run === undefined || container === undefined) return;
    const add = (input: ContainerInput): void => {
      this.#facts.push({ name, input });
      onFact();
    };
    this.#runs.set(
      name,
      new ContainerRun({
        pod: this.#pod,
        container,
        restartCount: restarts,
        run,
        log: (line) => log.add(line, clock.nowMs()),
        runtime,
        onEnd: ({ exitCode, message }) => this.#ended(name, exitCode, message),
        onReady: (ready) => add({ type: 'ready', ready }),
        onHealthy: (isHealthy) => add({ type: 'health', dueMs: this.#livenessMs(name, isHealthy) }),
      }),
    );
  }

  #hold(name: string, dueMs: number): void {
    const { metadata } = this.#pod;
    const pod = `${metadata.name}_${metadata.namespace ?? ''}(${metadata.uid})`;
    const delay = goSeconds(this.#life(name)?.restartDelay?.delayMs ?? 0);
    const message = `back-off ${delay} restarting failed container=${name} pod=${pod}`;
    this.#apply(name, { type: 'hold', dueMs, message });
    this.#event(
      name,
      'BackOff',
      `Back-off restarting failed container ${name} in pod ${pod}`,
      'Warning',
    );
  }

  #stop(
    { name, lifecycle }: Container,
    nowMs: number,
    graceMs: number,
    { note = `Stopping container ${name}`, isReplaced = false } = {},
  ): void {
    const wasRunning = this.#life(name)?.phase === 'running';
    if (wasRunning) this.#event(name, 'Killing', note);
    const hookMs = Math.min((lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000, graceMs);
    const { run, stopsAfterMs = 0 } = this.behaviour(name);
    this.#runs.get(name)?.stop(hookMs);
    const stopsMs = run === undefined ? this.#drawn(name, stopsAfterMs) : undefined;
    const endsMs = stopsMs === undefined ? undefined : nowMs + hookMs + stopsMs;
    const dueMs = nowMs + hookMs + Math.max(graceMs - hookMs, SHORTEST_GRACE_MS);
    this.#apply(name, { type: 'stop', dueMs, endsMs, isReplaced });
  }

  /** When its liveness probe has failed too often; undefined: it has none, or does not fail. */
  #livenessMs(name: string, isHealthy: boolean): number | undefined {
    const probe = containerSpec(this.#pod.spec, name)?.livenessProbe;
    if (isHealthy || probe === undefined) return undefined;
    const { startupMs = 0 } = this.#life(name) ?? {};
    // Its initial delay is over once something is known of it.
    const nowMs = this.#options.parts.clock.nowMs();
    return Math.max(nowMs, startupMs) + failureMs({ ...probe, initialDelaySeconds: 0 });
  }

  /** Restart rules for exit codes do not count here: it still runs. */
  #fail(container: Container, nowMs: number): void {
    const { name, startupProbe, livenessProbe, restartPolicy } = container;
    const { started = false, role } = this.#life(name) ?? {};
    const { spec } = this.#pod;
    const [what, probe] = started ? ['liveness', livenessProbe] : ['startup', startupProbe];
    const note = `${started ? 'Liveness' : 'Startup'} probe failed: the container is not healthy`;
    this.#event(name, 'Unhealthy', note, 'Warning');
    const isReplaced = (restartPolicy ?? spec.restartPolicy) !== 'Never';
    const which = role === 'sidecar' ? 'Init container' : 'Container';
    const after = isReplaced && role !== 'sidecar' ? ', will be restarted' : '';
    const killing = `${which} ${name} failed ${what} probe${after}`;
    const { terminationGracePeriodSeconds: seconds = 30 } = spec;
    const graceMs = (probe?.terminationGracePeriodSeconds ?? seconds) * 1000;
    this.#stop(container, nowMs, graceMs, { note: killing, isReplaced });
  }

  #pullFailed(container: Container, error: string, nowMs: number): void {
    const { name, image = '' } = container;
    const { delayMs = 0 } = this.#pulls.get(name) ?? {};
    const next = Math.min(Math.max(2 * delayMs, FIRST_PULL_DELAY_MS), LONGEST_PULL_DELAY_MS);
    this.#pulls.set(name, { untilMs: nowMs + next, delayMs: next });
    const message = `failed to pull and unpack image ${JSON.stringify(image)}: ${error}`;
    this.#event(
      name,
      'Failed',
      `Failed to pull image ${JSON.stringify(image)}: ${message}`,
      'Warning',
    );
    this.#event(name, 'Failed', 'Error: ErrImagePull', 'Warning');
    const dueMs = nowMs + NEXT_LOOK_MS;
    this.#apply(name, { type: 'refuse', reason: 'ErrImagePull', message, dueMs });
  }

  #refuseImage({ name, image = '' }: Container, dueMs: number, error: string): void {
    const reason = 'ImagePullBackOff';
    const text = `Back-off pulling image ${JSON.stringify(image)}`;
    this.#event(name, 'BackOff', text, 'Normal');
    this.#event(name, 'Failed', 'Error: ImagePullBackOff', 'Warning');
    const message = `${text}: ErrImagePull: failed to pull and unpack image ${JSON.stringify(image)}: ${error}`;
    this.#apply(name, { type: 'refuse', reason, message, dueMs });
  }

  #pulledEvent(container: Container): void {
    const { name, image = '' } = container;
    const quoted = JSON.stringify(image);
    const { bytes } = this.#options.parts.images.of(image);
    const note = this.#isPulled(container)
      ? `Successfully pulled image ${quoted}. Image size: ${bytes} bytes.`
      : `Container image ${quoted} already present on machine and can be accessed by the pod`;
    this.#event(name, 'Pulled', note);
  }

  #ended(name: string, exitCode: number, message: string | undefined): void {
    const { parts, onFact } = this.#options;
    this.#facts.push({ name, input: exit(exitCode, parts.clock.nowMs(), message) });
    onFact();
  }

  #codeOf(name: string): number {
    const { exitCode = 0, stopCode = 0 } = this.behaviour(name);
    return this.#life(name)?.phase === 'stopping' ? stopCode : exitCode;
  }

  #apply(name: string, input: ContainerInput): void {
    this.#lives = this.#lives.map((one) => {
      if (one.name !== name) return one;
      const next = containerAfter(one, input);
      if (next !== one && next.phase === 'exited') this.#over(name);
      return next;
    });
  }

  #over(name: string): void {
    this.#logs.get(name)?.now?.end();
    this.#runs.get(name)?.abandon();
    this.#runs.delete(name);
  }

  #life(name: string): ContainerLife | undefined {
    return this.#lives.find((one) => one.name === name);
  }

  #event(name: string, reason: string, note: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    const { role = 'main' } = this.#life(name) ?? {};
    const fieldPath = `spec.${LISTS[role]}{${name}}`;
    this.#options.onEvent({ reason, note, type, fieldPath });
  }
}

function exit(exitCode: number, atMs: number, message?: string): ContainerInput {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return { type: 'exit', exitCode, reason, message, atMs };
}
