import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NAMESPACE } from '../world/server-history.ts';
import type { Contestant, ContestantKind, Deliveries, Delivery } from './contestant.ts';

export interface ClientNodeOptions {
  readonly name: string;
  /** URL of the package's entry. */
  readonly entry: string;
  /** The Node that runs it. @defaultValue this one */
  readonly node?: string | undefined;
  /** With the handler of its documentation, which starts it again so long after an error. @defaultValue without */
  readonly restartMs?: number | undefined;
}

type Message =
  | Delivery
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'cache'; readonly objects: readonly (readonly [string, string])[] };

const RUNNER = fileURLToPath(new URL('../peers/client-node-runner.mjs', import.meta.url));

/** The informer of @kubernetes/client-node, in a process of its own. */
export function clientNode({
  name,
  entry,
  node = process.execPath,
  restartMs,
}: ClientNodeOptions): ContestantKind {
  return {
    name,
    start: ({ server, token, badHandler }) => {
      const order = { entry, server, token, namespace: NAMESPACE, restartMs, badHandler };
      const child = spawn(node, [RUNNER, JSON.stringify(order)]);
      return Promise.resolve(new ClientNodeContestant(name, child));
    },
  };
}

class ClientNodeContestant implements Contestant {
  readonly name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #notified: Delivery[] = [];
  readonly #errors: string[] = [];
  #cache: ReadonlyMap<string, string> = new Map();
  #stderr = '';
  #alive = true;
  #closed = false;

  constructor(name: string, child: ChildProcessWithoutNullStreams) {
    this.name = name;
    this.#child = child;
    child.stdin.on('error', () => {});
    child.stderr.on('data', (text: Buffer) => {
      this.#stderr = `${this.#stderr}${text.toString()}`.slice(-4000);
    });
    child.once('exit', () => {
      this.#alive = false;
    });
    // After the end: its pipes have been read to theirs.
    child.once('close', () => {
      this.#closed = true;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Whatever the package itself may print is of no interest.
      if (line.startsWith('{')) this.#take(JSON.parse(line) as Message);
    });
  }

  get survives(): boolean {
    return this.#alive;
  }

  cache(): ReadonlyMap<string, string> {
    return this.#cache;
  }

  deliveries(): readonly Deliveries[] {
    return [{ handler: 'events', notified: this.#notified }];
  }

  story(): string {
    const errors = [...new Set(this.#errors)].join(', ');
    const said =
      errors === '' ? 'no error was reported' : `${this.#errors.length}× error: ${errors}`;
    if (this.#alive) return said;
    const reason = /^\w*Error: .*$/m.exec(this.#stderr)?.[0] ?? 'no reason given';
    return `${said}; the process ended: ${reason}`;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  #take(message: Message): void {
    if (message.type === 'error') {
      this.#errors.push(message.message);
    } else if (message.type === 'cache') {
      this.#cache = new Map(message.objects);
    } else {
      this.#notified.push(message);
    }
  }
}
