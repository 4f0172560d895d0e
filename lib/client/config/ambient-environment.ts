import { isatty } from 'node:tty';
import { homeFolder } from '../../kernel/time/real-process.ts';

/** The parts of the process that configuration may read. */
export interface Environment {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that contains `.kube/config`. Empty: there is none. */
  readonly homeDir: string;
  /** Whether standard input is a terminal, so that a program can ask its user. */
  readonly stdinIsTerminal: boolean;
  /** Sends a signal to a group of processes; false when there is no such group, and on Windows, which has none. */
  readonly signalGroup: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => boolean;
  /** The path of the file that Node runs; undefined for code from the command line. */
  readonly program: string | undefined;
  /** e.g. `linux`. */
  readonly platform: string;
  /** e.g. `x64`. */
  readonly arch: string;
}

/** The environment of this process. Besides it, `lib/` reads only NODE_ENV, in `kernel/real-mode.ts`. */
export function ambientEnvironment(): Environment {
  return {
    env: process.env,
    homeDir: homeFolder(),
    // Reading process.stdin would open it.
    stdinIsTerminal: isatty(0),
    signalGroup,
    program: process.argv[1],
    platform: process.platform,
    arch: process.arch,
  };
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (process.platform === 'win32') return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
