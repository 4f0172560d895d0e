import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import { expired } from '../../lib/meta/failure/failures.ts';
import type { Backend } from './backend.ts';
import type { Crew } from './crew.ts';
import { Dice } from './dice.ts';
import { isStreamFault, refusal, type FaultKind, type FaultLog } from './faults.ts';
import type { FaultySource, RequestKind } from './faulty-source.ts';
import type { Journal } from './journal.ts';
import type { ListenerHabits } from './listener.ts';
import { ModelServer } from './model-server.ts';
import type { Step } from './scenario.ts';
import type { Flaw } from './thing.ts';

export interface StepPlayerOptions {
  readonly runtime: Runtime;
  readonly backend: Backend;
  readonly source: FaultySource;
  readonly faults: FaultLog;
  readonly journal: Journal;
  readonly keys: readonly string[];
  /** The values that objects of this run may have. */
  readonly flaws: readonly Flaw[];
  readonly crew: Crew;
  readonly habits: readonly ListenerHabits[];
  readonly addIndex: () => void;
}

const REQUESTS: readonly RequestKind[] = ['list', 'page', 'watch', 'watch-list'];
const TAGS = ['a', 'b', 'c', 'd', '__proto__'];

/** Does to the server, the network and the handlers what the steps of a scenario say. */
export class StepPlayer {
  writes = 0;
  readonly #options: StepPlayerOptions;
  #healed = false;

  constructor(options: StepPlayerOptions) {
    this.#options = options;
  }

  /** The objects before the first reader. */
  async populate(dice: Dice, count: number): Promise<void> {
    for (const key of this.#options.keys.slice(0, count)) await this.#put(dice, key);
  }

  async play(step: Step): Promise<void> {
    const { runtime, backend, crew, habits, addIndex } = this.#options;
    switch (step.type) {
      case 'write':
        return await this.#write(new Dice(step.dice), step.count);
      case 'wait':
        return await sleep(runtime, step.ms);
      case 'fault':
        return await this.#fault(new Dice(step.dice), step.kind);
      case 'join':
        return crew.join(new Dice(step.dice).pick(habits));
      case 'leave':
        return crew.leave(new Dice(step.dice));
      case 'bookmark':
        return backend instanceof ModelServer ? backend.bookmark() : undefined;
      case 'add-index':
        return addIndex();
    }
  }

  /** From now on nothing fails any more. */
  heal(): void {
    this.#healed = true;
    const { source, backend } = this.#options;
    source.heal();
    if (backend instanceof ModelServer) backend.staleLists = false;
  }

  /** Objects lose their flaws, and there is one last change. */
  async tidyUp(): Promise<void> {
    const { backend, keys } = this.#options;
    const dice = new Dice('tidy up');
    const flawed = Array.from(backend.keys()).filter((key) => backend.find(key)?.data.flaw);
    for (const key of flawed) await this.#put(dice, key, true);
    await this.#put(dice, keys[0] as string, true);
  }

  async #write(dice: Dice, count: number): Promise<void> {
    const { backend, keys } = this.#options;
    for (let written = 0; written < count && backend.writable; written += 1) {
      const key = dice.pick(keys);
      const exists = backend.find(key) !== undefined;
      if (!exists || dice.chance(0.7)) {
        await this.#put(dice, key);
      } else {
        await this.#remove(key);
        // The same name again, at once: another object.
        if (dice.chance(0.4)) await this.#put(dice, key);
      }
    }
  }

  async #put(dice: Dice, key: string, sound: boolean = false): Promise<void> {
    const { backend, flaws } = this.#options;
    this.writes += 1;
    await backend.put({
      key,
      serial: String(this.writes),
      selected: dice.chance(0.75),
      flaw: flaws.length > 0 && dice.chance(0.05) && !sound ? dice.pick(flaws) : undefined,
      tags: TAGS.filter(() => dice.chance(0.3)).join(' '),
    });
    const { history } = backend;
    this.#options.journal.trace?.(
      `put ${key} serial ${this.writes}, the server is at ${history.seq}`,
    );
  }

  async #remove(key: string): Promise<void> {
    const { backend } = this.#options;
    this.writes += 1;
    await backend.remove(key);
    this.#options.journal.trace?.(`remove ${key}, the server is at ${backend.history.seq}`);
  }

  async #fault(dice: Dice, kind: FaultKind): Promise<void> {
    const { source, backend, journal, faults } = this.#options;
    if (isStreamFault(kind)) {
      source.arm(kind, dice.chance(0.5) ? 0 : dice.int(1, 40));
      return;
    }
    journal.trace?.(`fault ${kind} to come`);
    const times = dice.weighted([
      [6, 1],
      [3, dice.int(2, 4)],
    ]);
    switch (kind) {
      case 'refused':
        source.failNext(dice.pick(REQUESTS), { error: refusal(dice) }, times);
        break;
      case 'refused-410':
        source.failNext(
          dice.pick(['list', 'watch', 'watch-list']),
          { error: expired('gone') },
          times,
        );
        break;
      case 'continue-410':
        source.failNext('page', { error: expired('the continue token is too old') }, 1);
        break;
      case 'hang':
        source.failNext(dice.pick(REQUESTS), 'hang', 1);
        break;
      case 'compact':
        faults.happened(kind);
        await backend.compact();
        break;
      case 'restore':
        this.#restore(dice);
        break;
      default:
        this.#forAWhile(dice, kind);
    }
    // Most faults of requests show only at the next one.
    if (dice.chance(0.5) && kind !== 'restore')
      source.arm(dice.pick(['end', 'broken', 'error-410']), 0);
  }

  #restore(dice: Dice): void {
    const { backend, source, faults } = this.#options;
    if (!(backend instanceof ModelServer) || !backend.restore(dice.int(1, 60), dice.chance(0.5)))
      return;
    faults.happened('restore');
    source.forget();
    source.breakStreams();
  }

  #forAWhile(dice: Dice, kind: FaultKind): void {
    const { runtime, source, backend, faults } = this.#options;
    const set = (on: boolean): void => {
      if (this.#healed && on) return;
      if (kind === 'latency') source.latencyMs = on ? dice.int(1, 4000) : 0;
      if (kind === 'no-watch-list') source.refuseWatchList = on;
      if (kind === 'no-end-bookmark') source.withholdEndBookmark = on;
      if (kind === 'stale-list' && backend instanceof ModelServer) backend.staleLists = on;
      if (kind === 'stale-list' && on) faults.happened(kind);
    };
    set(true);
    runtime.setTimer(
      dice.int(100, 60_000),
      () => {
        set(false);
      },
      { background: true },
    );
  }
}
