// The default export: Deno has no named export `uptime`.
import process from 'node:process';

/** What the operating system knows of this process. */
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
