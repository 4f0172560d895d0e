import { Client } from '../../../lib/client/rest/client.ts';
import {
  LeaderElector,
  type LeaderContext,
} from '../../../lib/controller/election/leader-elector.ts';
import type { LeaderElectorOptions } from '../../../lib/controller/election/leader-election-options.ts';
import { onAbort } from '../../../lib/kernel/time/abort.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import type { Lease } from '../../../lib/types/index.ts';
import { ReplicaLink, type LinkPlan } from '../../election/replica-link.ts';
import { ReplicaRuntime } from '../../election/replica-runtime.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import { lineLogger } from '../../support/line-logger.ts';

/** One process that wants to lead. */
export interface Replica {
  readonly name: string;
  readonly runtime: ReplicaRuntime;
  readonly client: Client;
  readonly elector: LeaderElector;
  /** Its events, with the second. */
  readonly steps: string[];
  readonly log: string[];
  readonly stop: AbortController;
  readonly network: { cut: boolean };
  /** Of its last term. */
  context: LeaderContext | undefined;
  /** Settles as `run` does. */
  done: Promise<void>;
  failure: unknown;
}

export interface ReplicaOptions extends Partial<LeaderElectorOptions> {
  /** How long its work takes to end after it was stopped, milliseconds. */
  readonly endsAfterMs?: number;
  readonly skewMs?: number;
}

/** Several processes, the network of each, and a server, in virtual time. */
export class ElectionWorld {
  readonly runtime: VirtualRuntime;
  readonly server: ApiServer;
  readonly user: Client;
  readonly replicas: Replica[] = [];
  readonly #handler: ApiHandler;

  /** @param around what stands between the replicas and the server */
  constructor(
    seed: number = 1,
    around: (handler: ApiHandler) => ApiHandler = (handler) => handler,
  ) {
    this.runtime = new VirtualRuntime({ seed });
    this.server = new ApiServer({ runtime: this.runtime });
    this.#handler = around(this.server.handler);
    this.user = this.#client(new ReplicaRuntime(this.runtime, { skewMs: 0, speed: 1 }), {
      cut: false,
    });
  }

  replica(name: string, options: ReplicaOptions = {}): Replica {
    const { endsAfterMs = 0, skewMs = 0, ...rest } = options;
    const runtime = new ReplicaRuntime(this.runtime, { skewMs, speed: 1 });
    const network = { cut: false };
    const client = this.#client(runtime, network);
    const log: string[] = [];
    const logger = lineLogger((line) => log.push(line), ['info', 'warn', 'error']);
    const elector = new LeaderElector(client, {
      name: 'program',
      namespace: 'default',
      identity: name,
      runtime,
      logger,
      ...rest,
    });
    const stop = new AbortController();
    const replica: Replica = {
      name,
      runtime,
      client,
      elector,
      steps: [],
      log,
      stop,
      network,
      context: undefined,
      done: Promise.resolve(),
      failure: undefined,
    };
    const step = (text: string): void => void replica.steps.push(`${this.seconds} ${text}`);
    const lead = async (context: LeaderContext): Promise<void> => {
      replica.context = context;
      step('leads');
      await new Promise<void>((resolve) => {
        onAbort(context.signal, () => {
          step('is stopped');
          runtime.setTimer(endsAfterMs, () => {
            step('has ended');
            resolve();
          });
        });
      });
    };
    replica.done = elector.run({ lead, signal: stop.signal }).then(
      () => step('stopped'),
      (error: unknown) => {
        replica.failure = error;
        step(`failed`);
      },
    );
    this.replicas.push(replica);
    return replica;
  }

  /** Of virtual time, with one digit. */
  get seconds(): string {
    return (this.runtime.monotonicMs() / 1000).toFixed(1);
  }

  async lease(): Promise<Stored<Lease>> {
    const leases = this.user.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
    return await this.runtime.run(leases.get('program'));
  }

  async do<R>(work: Promise<R>): Promise<R> {
    return await this.runtime.run(work);
  }

  async close(): Promise<void> {
    for (const { stop, network, runtime } of this.replicas) {
      network.cut = false;
      if (!runtime.isDead) stop.abort();
    }
    const alive = this.replicas.filter(({ runtime }) => !runtime.isDead);
    await this.runtime.run(Promise.all(alive.map(({ done }) => done)));
    await this.runtime.run(this.server.close());
  }

  #client(replica: ReplicaRuntime, network: { readonly cut: boolean }): Client {
    const plan: LinkPlan = {
      latencyMs: () => 5,
      partition: () => (network.cut ? 'cut' : 'none'),
      arrivesLate: () => false,
      healed: () => Promise.resolve(),
      pauseBeforeCheckMs: () => 0,
      pauseBeforeSocketMs: () => 0,
    };
    const report = { sent: () => {}, answered: () => {}, received: () => {} };
    const world = this.runtime;
    const transport = new ReplicaLink({ handler: this.#handler, replica, world, plan, report });
    return new Client({ transport, runtime: replica, fieldManager: 'spec' });
  }
}
