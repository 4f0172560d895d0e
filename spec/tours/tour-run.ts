import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { tracedBuild } from './traced-build.ts';

/** The functions that an event and a create pass, "file#function", in the order of their first passes. */
export interface TourTraces {
  readonly event: readonly string[];
  readonly write: readonly string[];
}

/** Objects that are created: the first fills caches, and its traces are not used. */
const NAMES = ['first', 'second', 'third', 'fourth'];

async function message<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a program of a tour ended with ${String(code)}`);
  });
  const [received] = (await Promise.race([once(child, 'message'), ended])) as [T];
  return received;
}

/**
 * Creates config maps in a server in one process, while a controller in another one watches them.
 * @param folder for the programs, below the checkout, so that packages are found
 */
export async function runTours(folder: string): Promise<readonly TourTraces[]> {
  await tracedBuild(['server-program.ts', 'client-program.ts'], folder);
  const server = fork(join(folder, 'server-program.mjs'), { execArgv: [] });
  const { url, token } = await message<{ url: string; token: string }>(server);
  const address = JSON.stringify({ server: url, token });
  const client = fork(join(folder, 'client-program.mjs'), [address], { execArgv: [] });
  try {
    const traces: TourTraces[] = [];
    for (const name of NAMES) {
      const reconciled = message<{ name: string; trace: string[] }>(client);
      server.send({ create: name });
      const { name: seen, trace: event } = await reconciled;
      if (seen !== name) throw new Error(`${seen} was reconciled, and not ${name}`);
      const answer = message<{ trace: string[] }>(server);
      server.send('seen');
      traces.push({ event, write: (await answer).trace });
    }
    return traces.slice(1);
  } finally {
    client.disconnect();
    server.disconnect();
    await Promise.all([once(client, 'exit'), once(server, 'exit')]);
  }
}
