import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { deriveAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { Backoff } from '../../kernel/time/backoff.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

export interface DaemonOptions {
  /** The name in messages and in `inspect`. @defaultValue 'daemon' */
  readonly name?: string | undefined;
  /**
   * When a daemon runs again whose object is still there: after it has failed, whenever it has ended, or never. The pause grows from a
   * second to five minutes. @defaultValue 'onFailure'
   */
  readonly restart?: 'onFailure' | 'always' | 'never' | undefined;
  /** Maximum number of running daemons; the objects beyond wait until another one ends, which is logged. @defaultValue 1000 */
  readonly maxRunning?: number | undefined;
  /** A daemon that runs on for this long after its signal has aborted is logged, milliseconds. @defaultValue 30 000 */
  readonly stopTimeoutMs?: number | undefined;
}

const DAEMON = optionsOf<DaemonOptions>()('controller.daemon', {
  name: is.text().default('daemon'),
  restart: is.oneOf('onFailure', 'always', 'never').default('onFailure'),
  maxRunning: is.integer({ min: 1 }).default(1_000),
  stopTimeoutMs: is.number({ min: 1 }).default(30_000),
});

export interface ObjectDaemonsOptions {
  readonly controller: string;
  readonly options: DaemonOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** The daemon of one object; a rejection is a failure. */
  readonly start: (key: string, signal: AbortSignal) => Promise<void>;
}

/** The daemons or timers of a controller at one moment. */
export interface ObjectTasksInspection {
  readonly name: string;
  readonly running: readonly string[];
  /** Objects whose turn has not come: the next time of a timer, a restart after a pause, a free place. */
  readonly waiting: number;
  readonly failures: number;
}

interface Daemon {
  readonly key: string;
  readonly uid: string;
  readonly backoff: Backoff;
  state: 'waiting' | 'running' | 'pausing' | 'ended';
  abort: DerivedAbort | undefined;
  timer: Timer | undefined;
  /** The object that took its name meanwhile. */
  next: string | undefined;
  wanted: boolean;
}

const PAUSE = { baseMs: 1_000, capMs: 300_000 };

/**
 * One long task for each object, from its creation to its deletion. Two of one name never run at the same time. Memory: one entry for
 * each object that is there.
 */
export class ObjectDaemons {
  readonly name: string;
  readonly #options: ObjectDaemonsOptions;
  readonly #restart: 'onFailure' | 'always' | 'never';
  readonly #maxRunning: number;
  readonly #stopTimeoutMs: number;
  readonly #daemons = new Map<string, Daemon>();
  readonly #line = new Set<Daemon>();
  readonly #running = new Map<Daemon, Promise<void>>();
  #begun = false;
  #failures = 0;
  #full = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ObjectDaemonsOptions) {
    const { name, restart, maxRunning, stopTimeoutMs } = DAEMON.read(options.options);
    this.name = name;
    this.#options = options;
    this.#restart = restart;
    this.#maxRunning = maxRunning;
    this.#stopTimeoutMs = stopTimeoutMs;
  }

  /** Daemons start from now on. */
  begin(): void {
    this.#begun = true;
    this.#startWaiting();
  }

  /** The object is there, and stays. */
  want(key: string, uid: string): void {
    const present = this.#daemons.get(key);
    // One that is ending begins again: its object has left the selector or the namespaces, and has come back.
    if (present?.uid === uid && present.wanted) return;
    if (present?.state === 'running') {
      present.next = uid;
      this.#stop(present);
      return;
    }
    if (present !== undefined) this.unwant(key);
    const { runtime } = this.#options;
    const daemon: Daemon = {
      key,
      uid,
      backoff: new Backoff(runtime, PAUSE),
      state: 'waiting',
      abort: undefined,
      timer: undefined,
      next: undefined,
      wanted: true,
    };
    this.#daemons.set(key, daemon);
    this.#line.add(daemon);
    this.#startWaiting();
  }

  /** The object goes, or is gone. */
  unwant(key: string): void {
    const daemon = this.#daemons.get(key);
    if (daemon === undefined) return;
    daemon.next = undefined;
    if (daemon.state === 'running') {
      this.#stop(daemon);
      return;
    }
    daemon.timer?.cancel();
    this.#line.delete(daemon);
    this.#daemons.delete(key);
  }

  /** Stops those of these objects, and resolves when they have ended. */
  async leave(covers: (key: string) => boolean): Promise<void> {
    for (const { key } of this.#daemons.values()) if (covers(key)) this.unwant(key);
    const running = [...this.#running].filter(([{ key }]) => covers(key));
    await Promise.all(running.map(([, ended]) => ended));
  }

  /** Stops all, and resolves when they have ended. A daemon that ignores its signal is logged after `stopTimeoutMs`, and left. */
  async close(): Promise<void> {
    this.#begun = false;
    for (const { key } of this.#daemons.values()) this.unwant(key);
    const { runtime } = this.#options;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = runtime.setTimer(this.#stopTimeoutMs, resolve);
    });
    await Promise.race([Promise.all(this.#running.values()), late]);
    timer?.cancel();
  }

  inspect(): ObjectTasksInspection {
    const running = Array.from(this.#running.keys(), ({ key }) => key);
    let waiting = 0;
    for (const { state } of this.#daemons.values()) {
      if (state === 'waiting' || state === 'pausing') waiting += 1;
    }
    return { name: this.name, running, waiting, failures: this.#failures };
  }

  #startWaiting(): void {
    if (!this.#begun) return;
    for (const daemon of this.#line) {
      if (this.#running.size >= this.#maxRunning) {
        this.#reportFull();
        return;
      }
      this.#line.delete(daemon);
      this.#running.set(daemon, this.#run(daemon));
    }
    this.#full = false;
  }

  #reportFull(): void {
    if (this.#full) return;
    this.#full = true;
    const { controller, logger } = this.#options;
    logger.warn('daemons wait for others to end; raise maxRunning', {
      controller,
      daemon: this.name,
      running: this.#maxRunning,
      waiting: this.#line.size,
    });
  }

  async #run(daemon: Daemon): Promise<void> {
    daemon.state = 'running';
    daemon.abort = deriveAbort();
    let failed = false;
    try {
      await this.#options.start(daemon.key, daemon.abort.signal);
    } catch (error) {
      failed = true;
      this.#failed(daemon, error);
    }
    daemon.timer?.cancel();
    this.#running.delete(daemon);
    this.#ended(daemon, failed);
    this.#startWaiting();
  }

  #ended(daemon: Daemon, failed: boolean): void {
    const { key, next, wanted } = daemon;
    if (!wanted) {
      this.#daemons.delete(key);
      if (next !== undefined && this.#begun) this.want(key, next);
      return;
    }
    daemon.state = 'ended';
    if (!this.#restarts(failed) || !this.#begun) return;
    daemon.state = 'pausing';
    daemon.timer = this.#options.runtime.setTimer(daemon.backoff.step(), () => {
      daemon.state = 'waiting';
      this.#line.add(daemon);
      this.#startWaiting();
    });
  }

  #restarts(failed: boolean): boolean {
    return this.#restart === 'always' || (failed && this.#restart === 'onFailure');
  }

  /** An error of a daemon after its signal has aborted is not a failure. */
  #failed({ key, wanted }: Daemon, error: unknown): void {
    if (!wanted) return;
    this.#failures += 1;
    const { controller, logger } = this.#options;
    const restarts = this.#restarts(true);
    logger.error('daemon failed', { controller, daemon: this.name, key, restarts, error });
  }

  #stop(daemon: Daemon): void {
    if (!daemon.wanted) return;
    daemon.wanted = false;
    daemon.abort?.abort();
    const { runtime, controller, logger } = this.#options;
    const report = (): void => {
      const [name, stopTimeoutMs] = [this.name, this.#stopTimeoutMs];
      logger.warn(
        'daemon still runs after its signal has aborted; pass the signal on to all that it awaits',
        { controller, daemon: name, key: daemon.key, stopTimeoutMs },
      );
    };
    daemon.timer = runtime.setTimer(this.#stopTimeoutMs, report, { background: true });
  }
}
