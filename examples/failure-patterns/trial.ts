import {
  Client,
  SharedInformerFactory,
  type KubernetesObject,
  type ResourceClient,
  type WatchEvent,
} from 'listwatch';
import { silentLogger, sleep } from 'listwatch/kernel';
import { ApiServer, EmbeddedKeyValueStore, type ApiHandler } from 'listwatch/server';
import {
  inProcessTransport,
  LaggingKeyValueStore,
  TestProgram,
  VirtualRuntime,
  type VirtualRuntimeOptions,
} from 'listwatch/testing';
import type { Job, Secret } from 'listwatch/types';
import {
  DEFINITION,
  JOBS,
  type Database,
  type DatabaseOperator,
  type DatabaseTypes,
} from './database.ts';

const POLL_MS = 50;
const LONGEST_WAIT_MS = 60_000;
/** Longer than any pause between retries. */
const CALM_MS = 60_000;

/** An event of a watch. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

/**
 * Two API servers over one store, the second of which can lag; a user; and an operator that can crash. All run in virtual time, so a trial
 * with the same seed does the same again.
 */
export class Trial {
  readonly runtime: VirtualRuntime;
  readonly lagging: LaggingKeyValueStore;
  readonly first: ApiServer;
  readonly second: ApiServer;
  readonly operator: TestProgram;
  readonly user: Client<DatabaseTypes>;
  /** All changes of databases and secrets, each resource in its order. */
  readonly changes: Change[] = [];
  readonly #store: EmbeddedKeyValueStore;

  constructor(operator: DatabaseOperator, options: VirtualRuntimeOptions) {
    const runtime = new VirtualRuntime(options);
    this.runtime = runtime;
    this.#store = new EmbeddedKeyValueStore({ runtime });
    this.lagging = new LaggingKeyValueStore(this.#store);
    this.first = new ApiServer({ runtime, keyValueStore: this.#store });
    this.second = new ApiServer({ runtime, keyValueStore: this.lagging });
    this.user = clientOf(this.first.handler, runtime);
    this.operator = new TestProgram({
      handler: this.first.handler,
      runtime,
      main: async ({ transport, signal }) => {
        const logger = silentLogger;
        await using client = new Client<DatabaseTypes>({
          transport,
          runtime,
          fieldManager: 'operator',
        });
        // Plain lists: a streaming list returns the newest state even from a server that lags.
        await using informers = new SharedInformerFactory(client, {
          runtime,
          logger,
          watchList: false,
        });
        await operator(client, { runtime, logger, informers }).run({ signal });
      },
    });
  }

  get databases(): ResourceClient<Database> {
    return this.user.resource('example.com/v1', 'databases', { namespace: 'default' });
  }

  get secrets(): ResourceClient<Secret> {
    return this.user.resource('v1', 'secrets', { namespace: 'default' });
  }

  get jobs(): ResourceClient<Job> {
    return this.user.resource('batch/v1', 'jobs', { namespace: JOBS });
  }

  /** Runs the plan, then waits without faults until the operator has nothing left to do, and returns the result of `check`. */
  async run<R>(
    plan: (trial: Trial) => Promise<void>,
    check: (trial: Trial) => Promise<R>,
  ): Promise<R> {
    return await this.runtime.run(async () => {
      await using _store = this.#store;
      await using _first = this.first;
      await using _second = this.second;
      await using _user = this.user;
      await using operator = this.operator;
      await this.#prepare();
      operator.start();
      await plan(this);
      this.lagging.release();
      this.first.faults.clear();
      if (!operator.running) operator.start();
      await sleep(this.runtime, CALM_MS);
      return await check(this);
    });
  }

  /** Waits until a condition holds. Plans place faults by conditions and not by times. */
  readonly until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    const limitMs = this.runtime.monotonicMs() + LONGEST_WAIT_MS;
    while (!(await condition())) {
      if (this.runtime.monotonicMs() > limitMs) throw new Error(`waited too long until ${what}`);
      await sleep(this.runtime, POLL_MS);
    }
  };

  /** Fills the caches of the second server with the current state. */
  async fillSecond(): Promise<void> {
    await using user = clientOf(this.second.handler, this.runtime);
    const databases = user.resource('example.com/v1', 'databases');
    await this.until('the second server serves databases', async () => {
      const [listed] = await Promise.allSettled([databases.list({ resourceVersion: '0' })]);
      return listed.status === 'fulfilled';
    });
    await user.resource('v1', 'secrets').list({ resourceVersion: '0' });
  }

  async #prepare(): Promise<void> {
    await this.user.applyAll(DEFINITION, { fieldManager: 'user' });
    await this.user.resource('v1', 'namespaces').create({ metadata: { name: JOBS } });
    void this.#record(this.databases.watch());
    void this.#record(this.secrets.watch());
  }

  async #record(changes: AsyncIterable<WatchEvent<KubernetesObject>>): Promise<void> {
    try {
      for await (const change of changes) {
        if (change.type !== 'BOOKMARK') this.changes.push(change);
      }
    } catch {
      // The trial has ended.
    }
  }
}

function clientOf(handler: ApiHandler, runtime: VirtualRuntime): Client<DatabaseTypes> {
  return new Client({ transport: inProcessTransport(handler), runtime, fieldManager: 'user' });
}
