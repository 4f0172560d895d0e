import { homedir } from 'node:os';

/** The environment that configuration may read besides its options. */
export interface Environment {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of `.kube/config`. */
  readonly homeDir: string;
}

/** The environment of this process. The only place in `lib/` that reads it. */
export function ambientEnvironment(): Environment {
  return { env: process.env, homeDir: homedir() };
}
