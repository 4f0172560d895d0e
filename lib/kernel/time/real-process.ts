// The default export: Deno has no named export `uptime`.
import type { EventEmitter } from 'node:events';
import process from 'node:process';
import { homedir, hostname } from 'node:os';

/** Figures of this process from the operating system. */
export interface ProcessUsage {
  /** Processor time since its start. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Time since its start. */
  readonly upSeconds: number;
}

/** Asks the machine, so that it is no part of a run that must repeat. */
export function processUsage(): ProcessUsage {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    upSeconds: process.uptime(),
  };
}

/** Where the signals come from that ask a program to stop. */
export interface SignalSource {
  /** Calls the listener for each SIGINT and SIGTERM, which then do not end the process, until the returned function is called. */
  listen(listener: (signal: string) => void): () => void;
  /** Ends the process as the signal does without a listener. */
  kill(signal: string): void;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The signals of this process. */
export const processSignals: SignalSource = {
  listen(listener): () => void {
    for (const signal of STOP_SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener);
    };
  },
  kill(signal): void {
    process.kill(process.pid, signal);
  },
};

/** Calls the listener for each signal of this name, which then does nothing else, until the returned function is called. */
export function onProcessSignal(signal: 'SIGUSR2' | 'SIGHUP', listener: () => void): () => void {
  process.on(signal, listener);
  return () => {
    process.off(signal, listener);
  };
}

type Taker = (listener: (reason: unknown) => void, source?: EventEmitter) => () => void;

function takerOf(event: 'unhandledRejection' | 'uncaughtException'): Taker {
  return (listener, source = process) => {
    // Those that are called once are given back as such.
    const others = source.rawListeners(event) as ((...values: unknown[]) => void)[];
    source.removeAllListeners(event);
    source.on(event, listener);
    return () => {
      source.off(event, listener);
      for (const one of others) source.on(event, one);
    };
  };
}

/**
 * Takes the rejections without a handler, in the place of all other listeners, until the returned function is called: a test runner
 * would end the test. `source` is the process.
 */
export const takeUnhandledRejections: Taker = takerOf('unhandledRejection');

/** The same for errors that are thrown where no one handles them. */
export const takeUncaughtExceptions: Taker = takerOf('uncaughtException');

/** The arguments of node itself with which this process was started. */
export function nodeArguments(): readonly string[] {
  return process.execArgv;
}

/** The process that has started this one with `fork`. */
export const parentProcess = {
  /** The first argument that it gave. */
  get argument(): string {
    return process.argv[2] ?? '';
  },
  /** Calls the listener for each of its messages; the process ends when its parent does. */
  listen(listener: (message: unknown) => void): void {
    process.on('message', listener);
  },
  send(message: unknown): void {
    process.send?.(message);
  },
};

/** The name of this machine; in a pod, that of the pod. */
export function hostName(): string {
  return hostname();
}

/** Empty where neither HOME nor the system names one, as in a container with a user id of its own: it is no failure before it is needed. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
