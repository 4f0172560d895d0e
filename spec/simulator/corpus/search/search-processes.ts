import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BugResult, BugTask } from './bug-result.ts';

const PROGRAM = fileURLToPath(new URL('./search-process.ts', import.meta.url));

interface Answer {
  readonly result?: BugResult | undefined;
  readonly error?: string | undefined;
}

/** Searches bugs in several processes, in the order of the tasks; each result is reported when it is there. */
export async function searchAll(
  tasks: readonly BugTask[],
  processes: number,
  onResult: (result: BugResult) => void,
): Promise<readonly BugResult[]> {
  const waiting = [...tasks];
  const results: BugResult[] = [];
  const work = async (): Promise<void> => {
    const child = fork(PROGRAM, [], {
      execArgv: [...process.execArgv, '--max-semi-space-size=64'],
    });
    try {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        const result = await answerOf(child, task);
        results.push(result);
        onResult(result);
      }
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: Math.min(processes, tasks.length) }, work));
  return results;
}

async function answerOf(child: ChildProcess, task: BugTask): Promise<BugResult> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    child.send(task);
    const answer = await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as Answer),
      once(child, 'exit', { signal }).then(
        ([code]): Answer => ({
          error: `its process ended with ${String(code)}`,
        }),
      ),
    ]);
    if (answer.result !== undefined) return answer.result;
    throw new Error(`${task.name} (${task.version}): ${answer.error ?? 'no answer'}`);
  } finally {
    ended.abort();
  }
}
