import type { Client } from '../../client/rest/client.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { TransportError } from '../../client/transport/contract/transport-error.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep, untilOpen } from '../../kernel/time/wait.ts';
import { isAlreadyExists, isNotFound } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { EventApi, EventReporter } from './event-body.ts';
import type { EventEntry } from './event-entry.ts';

/** See client-go tools/events/event_broadcaster.go and tools/record/event.go. */
const LONGEST_QUEUE = 1000;
const WRITERS = 8;
const TRIES = 12;
const PAUSE_MS = 10_000;
const JITTER = 0.25;

export interface EventWriterOptions {
  readonly client: Client;
  readonly api: EventApi;
  readonly reporter: EventReporter;
  readonly runtime: Runtime;
  readonly onWritten: (entry: EventEntry) => void;
  /** The server refused it, or could not be reached with all tries. */
  readonly onFailed: (entry: EventEntry, error: unknown) => void;
}

/**
 * Writes events to the server in the background.
 *
 * Guarantees: at most 1000 events wait, each once, however often it is seen; at most 8 are written at the same time. A server that
 * does not answer is tried 12 times, with pauses of 10 s and jitter; an event that the server refuses is not tried again.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #waiting = new Set<EventEntry>();
  readonly #writing = new Set<EventEntry>();
  /** Entries that were seen again while they were written. */
  readonly #again = new Set<EventEntry>();
  readonly #stop = new AbortController();
  #planned = false;
  #idle: Latch | undefined;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Events that are not written yet. */
  get size(): number {
    return this.#waiting.size + this.#writing.size;
  }

  /** Returns false when too many wait. */
  add(entry: EventEntry): boolean {
    if (this.#writing.has(entry)) {
      this.#again.add(entry);
      return true;
    }
    if (!this.#waiting.has(entry) && this.#waiting.size >= LONGEST_QUEUE) return false;
    this.#waiting.add(entry);
    this.#plan();
    return true;
  }

  /**
   * Resolves when nothing waits.
   * @throws {ListwatchError} code TIMEOUT.
   */
  async flush(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.size === 0) return;
    this.#idle ??= new Latch('events to be written');
    const describe = (): string => `${this.size} events to be written`;
    await untilOpen(this.#options.runtime, [this.#idle], { timeoutMs, signal, describe });
  }

  /** Ends everything; what waits is lost. */
  abort(): void {
    this.#waiting.clear();
    this.#again.clear();
    this.#stop.abort();
  }

  /** Writes begin in a task of their own: the caller is a reconcile, and its next event may be the same one. */
  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    this.#options.runtime.queueTask(() => {
      this.#planned = false;
      this.#begin();
    });
  }

  #begin(): void {
    for (const entry of this.#waiting) {
      if (this.#writing.size >= WRITERS) return;
      this.#waiting.delete(entry);
      this.#writing.add(entry);
      void this.#write(entry).finally(() => {
        this.#end(entry);
      });
    }
  }

  #end(entry: EventEntry): void {
    this.#writing.delete(entry);
    if (this.#again.delete(entry) && entry.unwritten) this.#waiting.add(entry);
    this.#begin();
    if (this.size > 0) return;
    this.#idle?.open();
    this.#idle = undefined;
  }

  async #write(entry: EventEntry): Promise<void> {
    const { onWritten, onFailed } = this.#options;
    try {
      await this.#try(entry);
      onWritten(entry);
    } catch (error) {
      if (!this.#stop.signal.aborted) onFailed(entry, error);
    }
  }

  async #try(entry: EventEntry): Promise<void> {
    const { runtime } = this.#options;
    const { signal } = this.#stop;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(entry, signal, tries > 1);
        return;
      } catch (error) {
        if (!(error instanceof TransportError) || tries === TRIES) throw error;
      }
      // The first pause is drawn, so that programs that lost one server do not come back at one instant.
      const share = tries === 1 ? runtime.random() : 1 + JITTER * runtime.random();
      await sleep(runtime, PAUSE_MS * share, { signal, background: true });
    }
  }

  async #send(entry: EventEntry, signal: AbortSignal, unanswered: boolean): Promise<void> {
    if (entry.stored && (await this.#patched(entry, signal))) return;
    const { count } = entry;
    try {
      await this.#create(entry, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // After a lost answer the event on the server is this one. Otherwise it is another one that has drawn the same name.
      if (!unanswered) {
        entry.rename();
        await this.#create(entry, signal);
      }
    }
    entry.written(count);
  }

  async #create(entry: EventEntry, signal: AbortSignal): Promise<void> {
    const { api, reporter } = this.#options;
    await this.#events(entry).create(api.create(entry, reporter), { signal });
  }

  /** Returns false if the server does not have the event any more. */
  async #patched(entry: EventEntry, signal: AbortSignal): Promise<boolean> {
    const { count, name } = entry;
    const patch = this.#options.api.patch(entry);
    try {
      await this.#events(entry).patch(name, patch, { type: 'merge', signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      entry.expired();
      return false;
    }
    entry.written(count);
    return true;
  }

  #events({ namespace }: EventEntry): ResourceClient<KubernetesObject> {
    const { client, api } = this.#options;
    const apiVersion: string = api.apiVersion;
    return client.resource(apiVersion, 'events', { namespace });
  }
}
