import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Seconds of a process in which a simulation ends, also with a mutant that makes it slow. */
const LONGEST_S = 300;

/** What a process of `judge.ts` says. Undefined: it has not ended. A text: why it has said nothing. */
export async function asked<Answer>(
  folder: string,
  args: readonly string[],
): Promise<Answer | string | undefined> {
  const child = fork(join(folder, 'spec/mutants/simulated/judge.ts'), [...args], {
    cwd: folder,
    execArgv: ['--conditions=@listwatch/source', '--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    errors = (errors + String(bytes)).slice(-2000);
  });
  return await new Promise((done) => {
    let answer: Answer | undefined;
    let late = false;
    // Counted, since a machine that stands still stops this process and its clock does not.
    let leftS = LONGEST_S;
    const timer = setInterval(() => {
      leftS -= 1;
      if (leftS > 0) return;
      late = true;
      child.kill('SIGKILL');
    }, 1000);
    child.on('message', (message) => {
      answer = message as Answer;
    });
    child.on('exit', (code, signal) => {
      clearInterval(timer);
      const reason = `the process ended with ${code ?? signal}: ${errors.trim().split('\n')[0]}`;
      done(answer ?? (late ? undefined : reason));
    });
  });
}
