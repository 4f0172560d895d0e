import { memoryUsage, resourceUsage, uptime } from 'node:process';

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
  const { userCPUTime, systemCPUTime } = resourceUsage();
  return {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    residentBytes: memoryUsage.rss(),
    upSeconds: uptime(),
  };
}
