import type { ResourceEventHandler } from '../../lib/cache/informer/handlers/event-handler.ts';
import type { HandlerRegistration } from '../../lib/cache/informer/handlers/handler-registration.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import type { ObjectMeta } from '../../lib/meta/object.ts';
import type { Dice } from './dice.ts';
import type { HandlerStory } from './handler-story.ts';
import type { Thing } from './thing.ts';

/** How a handler behaves. */
export interface ListenerHabits {
  readonly view: 'object' | 'metadata';
  /** Longest time a callback takes; 0 for a synchronous one. */
  readonly delayMs: number;
  readonly throwRate: number;
  readonly coalesceAbove: number | undefined;
  readonly resyncIntervalMs: number | undefined;
  /** How often a callback adds or removes handlers. */
  readonly meddleRate: number;
}

export interface ListenerOptions {
  readonly name: string;
  readonly habits: ListenerHabits;
  readonly dice: Dice;
  readonly runtime: Runtime;
  readonly story: HandlerStory;
  /** Runs in a callback. */
  readonly meddle: () => void;
  readonly onThrow: () => void;
}

/** A handler that behaves as its habits say, and has every callback checked. */
export class Listener {
  readonly name: string;
  readonly story: HandlerStory;
  registration: HandlerRegistration | undefined;
  readonly #options: ListenerOptions;

  constructor(options: ListenerOptions) {
    this.name = options.name;
    this.story = options.story;
    this.#options = options;
  }

  handler(): ResourceEventHandler<Thing> {
    const { story, habits } = this.#options;
    if (habits.view === 'metadata') {
      return {
        view: 'metadata',
        onAdd: ({ key, metadata, initial }) => {
          story.added(key, undefined, metadata, initial);
          return this.#behave();
        },
        onUpdate: (old, { key, metadata, resync }) => {
          story.updated(
            key,
            { old: undefined, oldMeta: old.metadata, resync },
            undefined,
            metadata,
          );
          return this.#behave();
        },
        onDelete: ({ key, metadata, finalStateUnknown }) => {
          story.deleted(key, metadata, finalStateUnknown);
          return this.#behave();
        },
      };
    }
    const meta = (thing: Thing): ObjectMeta => thing.metadata;
    return {
      onAdd: (thing, { key, initial }) => {
        story.added(key, thing.data.serial, meta(thing), initial);
        return this.#behave();
      },
      onUpdate: (old, thing, { key, resync }) => {
        const before = { old: old.data.serial, oldMeta: meta(old), resync };
        story.updated(key, before, thing.data.serial, meta(thing));
        return this.#behave();
      },
      onDelete: (thing, { key, finalStateUnknown }) => {
        story.deleted(key, meta(thing), finalStateUnknown);
        return this.#behave();
      },
    };
  }

  #behave(): Promise<void> | undefined {
    const { habits, dice, meddle } = this.#options;
    if (habits.meddleRate > 0 && dice.chance(habits.meddleRate)) meddle();
    const fails = habits.throwRate > 0 && dice.chance(habits.throwRate);
    if (habits.delayMs > 0) return this.#takeTime(fails);
    this.#finish(fails);
    return undefined;
  }

  async #takeTime(fails: boolean): Promise<void> {
    const { dice, habits, runtime } = this.#options;
    const delayMs = dice.int(0, habits.delayMs);
    if (delayMs > 0) await sleep(runtime, delayMs);
    this.#finish(fails);
  }

  #finish(fails: boolean): void {
    this.#options.story.returned();
    if (!fails) return;
    this.#options.onThrow();
    throw new Error('the handler has a bad day');
  }
}
