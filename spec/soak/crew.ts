import type { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { isListwatchError } from '../../lib/kernel/failure/errors.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import type { CacheCheck } from './cache-check.ts';
import { Dice } from './dice.ts';
import type { FaultLog } from './faults.ts';
import type { FaultySource } from './faulty-source.ts';
import { HandlerStory } from './handler-story.ts';
import type { History } from './history.ts';
import type { Journal } from './journal.ts';
import { Listener, type ListenerHabits } from './listener.ts';
import type { Thing } from './thing.ts';

export interface CrewOptions {
  readonly seed: number;
  readonly informer: SharedIndexInformer<Thing>;
  readonly source: FaultySource;
  readonly cache: CacheCheck;
  readonly history: History;
  readonly journal: Journal;
  readonly faults: FaultLog;
  readonly runtime: Runtime;
  readonly ordered: boolean;
  /** Whether the informer resyncs at all. */
  readonly resyncs: boolean;
  /** The habits that those who join later have, too. */
  readonly habits: readonly ListenerHabits[];
}

const MOST_LISTENERS = 8;

/** The handlers of one informer, as they come and go. */
export class Crew {
  joined = 0;
  left = 0;
  thrown = 0;
  /** No handler comes or goes any more. */
  settled = false;
  readonly #options: CrewOptions;
  readonly #active = new Map<string, Listener>();
  readonly #gone: Listener[] = [];
  readonly #dice: Dice;
  readonly #farewells: Promise<void>[] = [];

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#dice = new Dice(`crew ${options.seed}`);
  }

  get events(): number {
    let count = 0;
    for (const { story } of this.#active.values()) count += story.events;
    for (const { story } of this.#gone) count += story.events;
    return count;
  }

  get active(): Iterable<Listener> {
    return this.#active.values();
  }

  join(habits: ListenerHabits): void {
    const { informer, history, journal, runtime, ordered, resyncs, cache, source, faults } =
      this.#options;
    if (this.#active.size >= MOST_LISTENERS || informer.phase === 'stopped') return;
    const name = `h${this.joined}`;
    this.joined += 1;
    cache.look(!ordered);
    const snapshot = new Map(
      informer.indexer.keys().map((key) => {
        const version = informer.indexer.get(key)?.metadata.resourceVersion ?? '';
        return [key, version];
      }),
    );
    const story = new HandlerStory({
      name,
      history,
      journal,
      ordered,
      wantsResyncs: resyncs && habits.resyncIntervalMs !== 0,
      byVersion: habits.view === 'metadata',
      coalesces: habits.coalesceAbove !== undefined,
      snapshot,
      joinedAt: informer.synced ? cache.place : -1,
      joinedPlaces: cache.places(),
      joinedSynced: informer.synced,
      cached: (key) => informer.indexer.get(key)?.metadata,
      informerSynced: () => informer.synced,
      firstListPlace: () => source.firstListPlace,
    });
    const listener = new Listener({
      name,
      habits,
      dice: new Dice(`listener ${this.#options.seed}/${name}`),
      runtime,
      story,
      meddle: () => {
        this.#meddle();
      },
      onThrow: () => {
        this.thrown += 1;
        faults.happened('handler');
      },
    });
    journal.trace?.(`${name} joins with ${snapshot.size} objects: ${JSON.stringify(habits)}`);
    const { coalesceAbove, resyncIntervalMs } = habits;
    const registration = informer.addHandler(listener.handler(), {
      name,
      resyncIntervalMs,
      ...(coalesceAbove === undefined
        ? {}
        : { buffer: { limit: coalesceAbove, whenFull: 'coalesce' } }),
    });
    listener.registration = registration;
    story.isSynced = () => registration.synced;
    this.#active.set(name, listener);
    registration.whenSynced().then(
      () => {
        if (!registration.synced) journal.fail(`${name}: whenSynced resolved, but it is not`);
        story.checkSynced();
      },
      (error: unknown) => {
        const ended = story.over || informer.phase === 'stopped';
        if (!ended || !isListwatchError(error, 'CLOSED'))
          journal.fail(`${name}: whenSynced: ${String(error)}`);
      },
    );
  }

  leave(dice: Dice): void {
    const names = [...this.#active.keys()];
    if (names.length < 2) return;
    const listener = this.#active.get(dice.pick(names)) as Listener;
    this.#active.delete(listener.name);
    this.#gone.push(listener);
    this.left += 1;
    this.#options.journal.trace?.(`${listener.name} leaves`);
    if (dice.chance(0.5)) listener.registration?.remove();
    else if (listener.registration !== undefined) this.#bidFarewell(listener);
    listener.story.over = true;
    this.#checkLeaver(listener);
  }

  /** Whether no handler has a notification left. */
  get idle(): boolean {
    for (const { registration, story } of this.#active.values()) {
      if ((registration?.pending ?? 0) > 0 || !story.idle) return false;
    }
    return true;
  }

  checkSynced(): void {
    for (const { story } of this.#active.values()) story.checkSynced();
  }

  /** Nothing has been kept from those who stayed. */
  checkEnd(): number {
    let merged = 0;
    const inspected = new Map(
      this.#options.informer.inspect().handlers.map((one) => [one.name, one]),
    );
    for (const { name, story, registration } of this.#active.values()) {
      const { coalesced = 0, delivered = 0 } = inspected.get(name) ?? {};
      merged += coalesced;
      if (registration?.synced !== true) this.#options.journal.fail(`${name} was never synced`);
      if (delivered !== story.events)
        this.#options.journal.fail(`${name}: ${delivered} delivered, ${story.events} arrived`);
      story.checkSynced();
      story.checkEnd(coalesced);
    }
    return merged;
  }

  /** The informer has stopped. */
  async dismiss(): Promise<void> {
    for (const listener of this.#active.values()) listener.story.over = true;
    await Promise.all(this.#farewells);
  }

  #bidFarewell(listener: Listener): void {
    const close = async (): Promise<void> => {
      await listener.registration?.close();
    };
    this.#farewells.push(close());
  }

  #checkLeaver({ story, registration }: Listener): void {
    const { ordered, informer } = this.#options;
    if (!ordered || !informer.synced || registration === undefined) return;
    story.checkLeft();
  }

  #meddle(): void {
    const { informer, habits } = this.#options;
    if (this.settled || informer.phase === 'stopped') return;
    if (this.#dice.chance(0.5)) this.join(this.#dice.pick(habits));
    else this.leave(this.#dice);
  }
}
