/** Some of the keys in one state, and the number of all. */
export interface KeyList<Entry> {
  readonly count: number;
  /** The first of them, at most as many as were asked for. */
  readonly keys: readonly Entry[];
}

export interface WaitingKey<K = string> {
  readonly key: K;
  readonly priority: number;
  /** Milliseconds since it was added, or raised to its priority; undefined if no metrics and no priorities are used: then it is not measured. */
  readonly waitedMs: number | undefined;
}

export interface RunningKey<K = string> {
  readonly key: K;
  readonly priority: number;
  readonly runningMs: number;
  /** Whether it was added since the worker took it: it will run once more. */
  readonly addedAgain: boolean;
}

export interface HeldBackKey<K = string> {
  readonly key: K;
  readonly priority: number;
  /** Milliseconds until it is added. */
  readonly inMs: number;
  /** `delay`: it was added for later; `retry`: its last run failed; `debounce`: it was added a moment ago; `limit`: it ran a moment ago. */
  readonly why: 'delay' | 'retry' | 'debounce' | 'limit';
}

export interface FailingKey<K = string> {
  readonly key: K;
  /** Failures in a row, as the rate limiter counts them. */
  readonly failures: number;
  /** The reason of the last failure, if the worker has named one. */
  readonly reason: string | undefined;
  /** Milliseconds since the last failure. */
  readonly failedMs: number;
}

/** The state of a work queue at one moment. */
export interface QueueInspection<K = string> {
  readonly name: string;
  /** Whether new keys are refused. */
  readonly closing: boolean;
  /** By priority, and those of one priority in their order. */
  readonly waiting: KeyList<WaitingKey<K>>;
  readonly running: KeyList<RunningKey<K>>;
  /** The earliest first. */
  readonly delayed: KeyList<HeldBackKey<K>>;
  /** The 1,000 keys that failed last and have not succeeded since; the latest failure first. */
  readonly failing: KeyList<FailingKey<K>>;
}

export interface InspectQueueOptions {
  /** Maximum number of keys in each list, up to 1,000. @defaultValue 100 */
  readonly limit?: number | undefined;
}

export interface DrainQueueOptions {
  /**
   * `running`: keys that wait are dropped; `all`: they are worked on first. Keys whose delay is not over are dropped in both cases.
   * @defaultValue 'running'
   */
  readonly mode?: 'running' | 'all' | undefined;
  /** Longest wait, milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The keys that were left when a drain ended. Each list names at most 100 keys. */
export interface DrainReport<K = string> {
  /** Whether all keys in work were finished, and in the mode `all` also those that waited. */
  readonly drained: boolean;
  /** Still in work. */
  readonly running: KeyList<K>;
  /** Never taken, and dropped. */
  readonly waiting: KeyList<K>;
  /** Dropped before their time. */
  readonly delayed: KeyList<K>;
}
