import { atPlaceOf } from '../ambient/user-place.ts';
import { silentLogger } from '../../kernel/report/logger.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { VirtualRuntime } from '../../kernel/time/virtual-runtime.ts';
import { Client } from '../../client/rest/client.ts';
import { ApiServer } from '../../cluster/server/api-server.ts';
import type { ApiHandler } from '../../server/http/api-request.ts';
import type { KeyValueEvent } from '../../server/mvcc/contract/key-value-store.ts';
import type { Finding } from '../contract/finding.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { SimulatedController } from '../contract/simulated-controller.ts';
import type { Invariant, WorkloadStep } from '../contract/world.ts';
import { ProcessLink } from '../network/process-link.ts';
import type { RequestFacts } from '../network/request-facts.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import type { Latency } from '../network/latency.ts';
import { SimulatedTransport, type NetworkEvents } from '../network/simulated-transport.ts';
import { IncarnationRuntime } from '../network/incarnation-runtime.ts';
import { SimulatedProcess } from '../process/simulated-process.ts';
import { partFindings } from '../oracle/cached-state.ts';
import { lastRetryMs } from '../oracle/pending-retries.ts';
import { nextFailuresMs } from '../oracle/failing-reconciles.ts';
import { ComparedAnswers, comparesAnswers } from '../oracle/answers/compared-answers.ts';
import { ClusterHistory, type Change } from '../record/cluster-history.ts';
import { Journal } from '../record/journal.ts';
import { Activity } from './activity.ts';
import { CleanUp } from './clean-up.ts';
import { FaultDirector, isRequestFault } from './fault-director.ts';
import { InvariantChecks } from './invariant-checks.ts';
import { latencyOf } from './latency-profile.ts';
import type { DeliveredEvent, RunRecord, SentRequest } from './run-record.ts';
import { MissingResource } from './needed-resources.ts';
import { restoredStore, type WorldTemplate } from './world-template.ts';

export interface SeedRunOptions {
  readonly template: WorldTemplate;
  readonly controllers: readonly SimulatedController[];
  readonly environment: readonly SimulatedController[];
  readonly workload: readonly WorkloadStep[];
  readonly invariants: readonly Invariant[];
  readonly plan: SimulationPlan;
  /** Longest virtual time, milliseconds. */
  readonly limitMs: number;
  /** Most commits, before the run counts as one that never ends. */
  readonly maxCommits: number;
  /** Whether the objects are as they should be in the end. If not, the run waits for slow retries. @defaultValue they are */
  readonly isSettled?: ((history: ClusterHistory) => boolean) | undefined;
  /** Also keep the events that reach the processes. */
  readonly detailed: boolean;
  /** Ask the processes to stop in the end, in place of killing them. @defaultValue false */
  readonly stops?: boolean | undefined;
}

/** A step of the workload begins after this time without activity. */
const STEP_QUIET_MS = 10_000;
/** The end comes after this time without activity. */
const END_QUIET_MS = 60_000;
/** A change that is hidden until another one is shown after this time if the other does not come. */
const HIDDEN_MS = 30_000;
const MOST_EXITS = 10;
/** From the request to stop to the end by force: that of pods. */
const GRACE_MS = 30_000;
/** A retry may come that late. */
const SLOW_RETRIES_MS = 300_000;
/** Between two looks at what should become right. */
const LOOK_AGAIN_MS = 10_000;

const DEFINITIONS: readonly string[] = [
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
];

class Ended extends Error {}

/** One run of a plan: a server of its own, the processes, the user, the faults, and the record of all that. */
export class SeedRun {
  readonly #options: SeedRunOptions;
  readonly #runtime: VirtualRuntime;
  readonly #journal: Journal;
  readonly #activity: Activity;
  readonly #processes: SimulatedProcess[] = [];
  readonly #director: FaultDirector;
  readonly #findings: Finding[] = [];
  readonly #requests: SentRequest[] = [];
  readonly #events: DeliveredEvent[] = [];
  readonly #checks: InvariantChecks;
  readonly #pastReaders = new Set<string>();
  #history!: ClusterHistory;
  #cleanUp: CleanUp | undefined;
  #stepsDone = 0;
  /** The title of the step whose act is under way. */
  #acting: string | undefined;
  #quietMs = Infinity;
  #nextId = 0;
  #writer = 'server';
  #started = false;
  /** Discovery is not that of the world any more. */
  #definesResources = false;
  /** Calls of what waits for a state. */
  readonly #onCommit = new Set<() => void>();
  #abandon: ((error: Error) => void) | undefined;

  constructor(runtime: VirtualRuntime, options: SeedRunOptions) {
    this.#options = options;
    this.#runtime = runtime;
    this.#journal = new Journal(() => runtime.monotonicMs());
    this.#activity = new Activity(runtime, () => this.#isBusy());
    const onBusy = (): void => this.#activity.mark();
    this.#director = new FaultDirector({
      faults: options.plan.faults,
      processOf: (name) => this.#processes.find((one) => one.name === name),
      runtime,
      journal: this.#journal,
      onBusy,
    });
    this.#checks = new InvariantChecks(options.invariants, (finding) => this.#find(finding));
  }

  /** Runs to the end. */
  async run(): Promise<RunRecord> {
    const runtime = this.#runtime;
    const { template, plan, limitMs } = this.#options;
    const { store, items, revision } = await restoredStore(template, {
      runtime,
      onCommit: (events) => this.#committed(events),
    });
    this.#history = new ClusterHistory(items, revision, () => runtime.monotonicMs());
    const server = new ApiServer({
      runtime,
      earlierStore: store,
      builtInResources: template.needed.names,
      authorization: 'always-allow',
      logger: silentLogger,
    });
    await server.start();
    this.#started = true;
    const answers = comparesAnswers(plan.seed)
      ? new ComparedAnswers(this.#history, (finding) => this.#find(finding))
      : undefined;
    const handler = answers?.checked(server.handler) ?? server.handler;
    const latency = latencyOf(plan.seed, runtime);
    const user = new Client({
      transport: this.#bystander('user', handler, latency),
      runtime,
      fieldManager: 'user',
      onWarning: () => {},
    });
    this.#cleanUp = new CleanUp(
      this.#bystander('clean-up', handler, latency),
      runtime,
      this.#history,
      () => this.#activity.mark(),
    );
    this.#cleanUp.start();
    this.#startProcesses(handler, latency);
    const abandoned = new Promise<never>((_, reject) => {
      this.#abandon = reject;
    });
    abandoned.catch(() => {});
    const timer = runtime.setTimer(limitMs, () => this.#overtime());
    try {
      await Promise.race([this.#work(user), abandoned]);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    timer.cancel();
    answers?.finish();
    if (this.#options.stops === true) await this.#stopAll();
    for (const process of this.#processes) process.kill();
    const { struck } = this.#director;
    return {
      plan,
      history: this.#history,
      journal: this.#journal,
      requests: this.#requests,
      events: this.#events,
      findings: this.#findings,
      struck: plan.faults.filter((fault) => struck.has(fault)),
      stepsDone: this.#stepsDone,
      virtualMs: runtime.monotonicMs(),
      quietMs: this.#quietMs,
      pastReaders: this.#pastReaders,
      exits: this.#processes.reduce((sum, { exits }) => sum + exits, 0),
    };
  }

  /** Asks all processes to stop, and waits as long as a pod has for it. */
  async #stopAll(): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#runtime.setTimer(GRACE_MS, resolve);
    });
    const stopped = Promise.all(this.#processes.map((process) => process.stop()));
    await Promise.race([stopped, over]);
  }

  async #work(user: Client): Promise<void> {
    const { workload, plan } = this.#options;
    // The controllers have seen the world.
    await this.#quiet(STEP_QUIET_MS);
    for (const [index, step] of workload.entries()) {
      this.#history.step = index + 1;
      if (plan.withoutSteps?.includes(index) !== true) await this.#step(user, step);
      this.#stepsDone = index + 1;
    }
    await this.#quiet(END_QUIET_MS);
    if (this.#director.releaseAll()) await this.#quiet(END_QUIET_MS);
    for (const { link } of this.#processes) link.releaseAll();
    const { isSettled } = this.#options;
    if (isSettled !== undefined) {
      const settled = (): boolean => isSettled(this.#history);
      if (!(await this.#reached(settled, SLOW_RETRIES_MS))) await this.#lastRetries(settled);
    }
    await this.#eventually();
    await this.#nextFailures();
    await this.#partsSettle();
  }

  async #step(user: Client, step: WorkloadStep): Promise<void> {
    const { title, until } = step;
    this.#journal.add('user', 'step', title);
    this.#activity.mark();
    this.#acting = title;
    try {
      await step.act(user);
    } catch (error) {
      this.#stuck(title, `the step "${title}" failed: ${errorMessage(error)}${atPlaceOf(error)}`);
    }
    this.#acting = undefined;
    if (until === undefined) {
      await this.#quiet(STEP_QUIET_MS);
      return;
    }
    let thrown: string | undefined;
    const holds = (): boolean => {
      try {
        return until(this.#history);
      } catch (error) {
        thrown = `until of the step "${title}" threw: ${errorMessage(error)}${atPlaceOf(error)}`;
        return true;
      }
    };
    const reached = await this.#reached(holds);
    if (thrown !== undefined) this.#stuck(title, thrown);
    if (reached) return;
    const message = `the state that the step "${title}" waits for has not come`;
    this.#find({ class: 'stuck', subject: title, message });
    throw new Ended();
  }

  /** A step that went wrong ends the run. */
  #stuck(title: string, message: string): never {
    this.#find({ class: 'stuck', subject: title, message, atMs: this.#runtime.monotonicMs() });
    throw new Ended();
  }

  /** The invariants that have to hold in the end. */
  async #eventually(): Promise<void> {
    for (const invariant of this.#options.invariants) {
      if (!('eventually' in invariant)) continue;
      const { name, eventually, withinMs = 600_000 } = invariant;
      const holds = (): boolean => this.#checks.holds(name, () => eventually(this.#history));
      if (await this.#reached(holds, withinMs)) continue;
      const message = `it does not hold ${withinMs / 1000} s after the last step and the last fault`;
      this.#find({ class: 'invariant', subject: name, message });
    }
  }

  /** Whether a condition holds at some time before the limit. What is hidden is shown when nothing else happens. */
  #reached(holds: () => boolean, withinMs: number = Infinity): Promise<boolean> {
    return new Promise((resolve) => {
      const ends: (() => void)[] = [];
      const end = (result: boolean): void => {
        for (const one of ends) one();
        resolve(result);
      };
      const look = (): void => {
        if (holds()) end(true);
      };
      this.#onCommit.add(look);
      ends.push(() => this.#onCommit.delete(look));
      let stop = (): void => {};
      const whenHidden = (): void => {
        if (this.#director.releaseAll()) stop = this.#activity.whenQuiet(HIDDEN_MS, whenHidden);
      };
      stop = this.#activity.whenQuiet(HIDDEN_MS, whenHidden);
      ends.push(() => stop());
      // The limit of the run ends a wait without one of its own.
      const limitMs = Math.min(withinMs, this.#options.limitMs - this.#runtime.monotonicMs() - 1);
      const timer = this.#runtime.setTimer(Math.max(0, limitMs), () => end(false));
      ends.push(() => timer.cancel());
      look();
    });
  }

  /** Each key that has failed gets one more run. Faults in a row make its back-off longer than the time of a slow retry. */
  async #lastRetries(settled: () => boolean): Promise<void> {
    const delays = this.#processes.map(({ parts }) => lastRetryMs(parts));
    const waitMs = Math.max(0, ...delays);
    if (waitMs > 0) await this.#reached(settled, waitMs + END_QUIET_MS);
  }

  /** A reconcile that has failed again and again gets the time for one more failure, which an oracle looks for, if the run has it. */
  async #nextFailures(): Promise<void> {
    const nowMs = this.#runtime.monotonicMs();
    this.#quietMs = nowMs;
    const dueMs = Math.min(nextFailuresMs(this.#journal), this.#options.limitMs - 1);
    const waitMs = dueMs - nowMs;
    if (waitMs > 0) await sleep(this.#runtime, waitMs);
  }

  /** Caches and queues get the time of a slow retry to be as they should. */
  async #partsSettle(): Promise<void> {
    const wrong = (): readonly Finding[] =>
      this.#processes.flatMap(({ name, parts }) => partFindings(name, parts, this.#history));
    const endMs = Math.min(
      this.#runtime.monotonicMs() + SLOW_RETRIES_MS,
      this.#options.limitMs - 1,
    );
    let found = wrong();
    while (found.length > 0 && this.#runtime.monotonicMs() + LOOK_AGAIN_MS < endMs) {
      await sleep(this.#runtime, LOOK_AGAIN_MS);
      found = wrong();
    }
    for (const finding of found) this.#find(finding);
  }

  #quiet(quietMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#activity.whenQuiet(quietMs, resolve);
    });
  }

  #overtime(): void {
    const minutes = Math.round(this.#options.limitMs / 60_000);
    const title = this.#acting;
    if (title === undefined) {
      const loop = this.#loop();
      const message = `the controllers are not idle after ${minutes} virtual minutes${loop}`;
      this.#find({ class: 'never-idle', subject: 'run', message });
    } else {
      const message = `the step "${title}" has not ended after ${minutes} virtual minutes: act still waits; return from it, and wait for a state with until`;
      this.#find({ class: 'stuck', subject: title, message });
    }
    this.#abandon?.(new Ended());
  }

  /** The object that was written most often. */
  #loop(): string {
    const counts = new Map<string, number>();
    for (const { actor, text, type } of this.#journal.entries.slice(-1000)) {
      if (type === 'answer') continue;
      const key = `${actor}: ${text.replace(/ \d+$/, '')}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [most] = [...counts].toSorted((one, other) => other[1] - one[1]);
    return most === undefined ? '' : `; among the last 1000 entries ${most[1]} are "${most[0]}"`;
  }

  #isBusy(): boolean {
    return this.#director.isLasting || this.#processes.some(({ isBusy }) => isBusy);
  }

  #startProcesses(handler: ApiHandler, latency: Latency): void {
    const { controllers, environment, plan } = this.#options;
    const add = (controller: SimulatedController, faulty: boolean): void => {
      const replicas = Math.min(controller.replicas ?? 1, plan.maxReplicas ?? Infinity);
      for (let replica = 0; replica < replicas; replica += 1) {
        const name = processName(controller, replica);
        const faults = faulty ? plan.faults.filter(isRequestFault) : [];
        const process = new SimulatedProcess({
          name,
          controller,
          replica,
          world: this.#runtime,
          handler,
          link: new ProcessLink(faults.filter((fault) => fault.process === name)),
          latency,
          journal: this.#journal,
          events: this.#networkEvents(),
          nextId: () => (this.#nextId += 1),
          onExit: (ended) => this.#exited(ended),
          onBusy: () => this.#activity.mark(),
        });
        this.#processes.push(process);
      }
    };
    for (const one of environment) add(one, false);
    for (const one of controllers) add(one, true);
    for (const process of this.#processes) process.start();
  }

  /** The connection of somebody whom no fault reaches. */
  #bystander(actor: string, handler: ApiHandler, latency: Latency): SimulatedTransport {
    return new SimulatedTransport({
      actor,
      world: this.#runtime,
      process: new IncarnationRuntime(this.#runtime, { ms: 0 }, actor),
      handler,
      link: new ProcessLink([]),
      latency,
      journal: this.#journal,
      events: this.#networkEvents(),
      crash: () => {},
      nextId: () => (this.#nextId += 1),
    });
  }

  #networkEvents(): NetworkEvents {
    return {
      arrives: (actor) => {
        this.#writer = actor;
      },
      answered: (actor, facts, status) => this.#answered(actor, facts, status),
      serves: (fullName) => this.#serves(fullName),
      document: (url, accept) =>
        this.#definesResources ? undefined : this.#options.template.needed.document(url, accept),
      readsPast: (actor) => this.#pastReaders.add(actor),
      strikes: (fault) => this.#director.strikes(fault),
      delivered: (actor, resource, piece) => {
        if (!this.#options.detailed) return;
        const atMs = this.#runtime.monotonicMs();
        const entriesBefore = this.#journal.entries.length;
        this.#events.push({ atMs, actor, resource, piece, entriesBefore });
      },
    };
  }

  #serves(fullName: string): boolean {
    const { needed } = this.#options.template;
    if (needed.suffices(fullName)) return true;
    needed.add(fullName);
    this.#abandon?.(new MissingResource());
    return false;
  }

  #answered(actor: string, facts: RequestFacts, status: number): void {
    const atMs = this.#runtime.monotonicMs();
    const { verb, resource, object, isWrite } = facts;
    if (verb === 'watch' || verb === 'other') return;
    this.#requests.push({ atMs, actor, verb, resource, object, isWrite, status });
    if (isWrite && status >= 300 && !isBackgroundResource(resource)) this.#activity.mark();
  }

  #exited({ name, exits, lastExit = '' }: SimulatedProcess): void {
    if (exits <= MOST_EXITS) return;
    const message = `it has ended by itself ${exits} times; at last: ${lastExit}`;
    this.#find({ class: 'crash-loop', subject: name, message });
    this.#abandon?.(new Ended());
  }

  #committed(events: readonly KeyValueEvent[]): void {
    if (!this.#started) return;
    const changes = this.#history.commit(events, this.#writer);
    for (const change of changes) this.#changed(change);
    this.#checks.always(this.#history, this.#runtime.monotonicMs());
    for (const look of this.#onCommit) look();
    if (this.#history.changes.length > this.#options.maxCommits) {
      const loop = this.#loop();
      const message = `the controllers go on writing: more than ${this.#options.maxCommits} writes${loop}`;
      this.#find({ class: 'never-idle', subject: 'run', message });
      this.#abandon?.(new Ended());
    }
  }

  #changed(change: Change): void {
    const { ref, type, revision, writer } = change;
    if (DEFINITIONS.includes(ref.resource)) this.#definesResources = true;
    this.#journal.add(writer, 'commit', `${ref.resource} ${ref.object} ${type} ${revision}`);
    if (!isBackgroundResource(ref.resource)) this.#activity.mark();
    this.#director.committed(change);
    this.#cleanUp?.committed(change);
  }

  #find(finding: Finding): void {
    const same = ({ class: kind, subject }: Finding): boolean =>
      kind === finding.class && subject === finding.subject;
    if (!this.#findings.some(same)) this.#findings.push(finding);
  }
}

/** `sites`, or `sites#1` for one of several replicas. */
export function processName({ name, replicas = 1 }: SimulatedController, replica: number): string {
  return replicas > 1 ? `${name}#${replica}` : name;
}
