import { homedir } from 'node:os';

/** What configuration may depend on besides its options. */
export interface Environment {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `.kube/config` is looked for. */
  readonly homeDir: string;
}

/** The environment of this process. The only place in `lib/` that reads it. */
export function ambientEnvironment(): Environment {
  return { env: process.env, homeDir: homedir() };
}
