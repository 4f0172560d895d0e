import { fork } from 'node:child_process';
import { join } from 'node:path';

/** The answer of a process of `check-mutant.ts`; a text if it has ended without one. */
export async function asked<Answer>(
  folder: string,
  args: readonly string[],
): Promise<Answer | string> {
  const child = fork(join(folder, 'spec/mutants/simulated/check-mutant.ts'), [...args], {
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
    child.on('message', (message) => {
      answer = message as Answer;
    });
    child.on('exit', (code, signal) => {
      const [first] = errors.trim().split('\n');
      const reason =
        signal === 'SIGKILL' ? 'the simulations do not end' : `it has ended with ${code}: ${first}`;
      done(answer ?? reason);
    });
  });
}
