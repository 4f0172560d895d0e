import type { Logger } from '../../../lib/kernel/report/logger.ts';
import type { SignalSource } from '../../../lib/kernel/time/real-process.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { Manager } from '../../../lib/controller/manager/manager.ts';
import type { Runnable } from '../../../lib/controller/manager/managed-parts.ts';
import type { ManagerOptions } from '../../../lib/controller/manager/manager-options.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { lineLogger } from '../../support/line-logger.ts';

/** Signals that a spec sends. */
export class SpecSignals implements SignalSource {
  readonly #listeners = new Set<(signal: string) => void>();
  /** The signals with which the process was ended. */
  readonly ended: string[] = [];

  get listeners(): number {
    return this.#listeners.size;
  }

  listen(listener: (signal: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  kill(signal: string): void {
    this.ended.push(signal);
  }

  send(signal: string): void {
    for (const listener of this.#listeners) listener(signal);
  }
}

/** A server, a client and a manager in one virtual runtime. */
export class ManagerWorld {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly server: ApiServer = new ApiServer({ runtime: this.runtime });
  readonly client: Client;
  readonly signals: SpecSignals = new SpecSignals();
  readonly log: string[] = [];
  /** The actions of the parts, in order. */
  readonly steps: string[] = [];
  readonly logger: Logger;

  constructor() {
    const transport = inProcessTransport(this.server.handler);
    this.client = new Client({ transport, runtime: this.runtime, fieldManager: 'spec' });
    this.logger = lineLogger((line) => this.log.push(line));
  }

  manager(options: ManagerOptions = {}): Manager {
    const { runtime, logger, signals } = this;
    return new Manager(this.client, { runtime, logger, signals, ...options });
  }

  /** Notes when it begins, is stopped, and has ended, which takes `endsAfterMs`. */
  runnable(name: string, endsAfterMs: number = 0): Runnable {
    return {
      name,
      run: async ({ signal }) => {
        this.steps.push(`${name} begins`);
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
        this.steps.push(`${name} stops`);
        if (endsAfterMs > 0) await sleep(this.runtime, endsAfterMs);
        this.steps.push(`${name} has ended`);
      },
    };
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.runtime.run(this.server.close());
  }
}
