import { homedir } from 'node:os';

/** The parts of the process environment that configuration may read. */
export interface Environment {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that contains `.kube/config`. */
  readonly homeDir: string;
}

/** The environment of this process. No other code in `lib/` reads it. */
export function ambientEnvironment(): Environment {
  return { env: process.env, homeDir: homedir() };
}
