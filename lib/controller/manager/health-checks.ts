import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';

/** Throws or rejects when the condition does not hold; the message is the reason. It has five seconds. */
export type Check = () => void | Promise<void>;

/** A probe of the kubelet waits one second by default, so a check that takes longer has failed anyway. */
const LONGEST_CHECK_MS = 5_000;

export interface CheckReport {
  readonly passed: boolean;
  /** A line for each check, and the verdict. */
  readonly text: string;
}

/** Runs all checks. */
export async function reportOf(
  endpoint: string,
  checks: ReadonlyMap<string, Check>,
  runtime: Runtime,
): Promise<CheckReport> {
  const lines = await Promise.all(
    [...checks].map(async ([name, check]) => {
      const failure = await failureOf(name, check, runtime);
      return failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`;
    }),
  );
  const passed = lines.every((line) => line.startsWith('[+]'));
  const verdict = `${endpoint} check ${passed ? 'passed' : 'failed'}`;
  return { passed, text: [...lines, verdict, ''].join('\n') };
}

async function failureOf(
  name: string,
  check: Check,
  runtime: Runtime,
): Promise<string | undefined> {
  try {
    const done = (async () => await check())();
    const describe = (): string => `the check ${name}`;
    await withDeadline(runtime, done, { timeoutMs: LONGEST_CHECK_MS, describe });
    return undefined;
  } catch (error) {
    return errorMessage(error).replaceAll(/\s+/g, ' ');
  }
}
