import { expect } from 'chai';
import { silentLogger, type LogFields } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type {
  TxnRequest,
  TxnResponse,
} from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { call } from '../support.ts';

/** A store that takes its time to write. */
class SlowStore extends EmbeddedKeyValueStore {
  readonly #runtime: VirtualRuntime;
  delayMs = 0;

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
  }

  override async txn(request: TxnRequest): Promise<TxnResponse> {
    if (this.delayMs > 0) await sleep(this.#runtime, this.delayMs);
    return await super.txn(request);
  }
}

/** The log lines of slow requests while `use` runs. */
async function slowRequests(
  use: (server: ApiServer, store: SlowStore) => Promise<void>,
): Promise<(LogFields | undefined)[]> {
  const logged: (LogFields | undefined)[] = [];
  const logger = {
    ...silentLogger,
    warn: (message: string, fields?: LogFields) => {
      if (message === 'a request was slow') logged.push(fields);
    },
  };
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using store = new SlowStore(runtime);
    await using server = new ApiServer({ keyValueStore: store, runtime, logger });
    await call(server.handler, 'GET', '/readyz');
    await use(server, store);
  });
  return logged;
}

/** The lines that the default log writes while `run` runs. */
async function written(run: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string): void => void lines.push(line);
  try {
    await run();
  } finally {
    console.error = error;
  }
  return lines;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const body = { metadata: { name: 'a' } };
const headers = { 'user-agent': 'kubectl' };

describe('the trace of a request', () => {
  it('is not written by the default log, in which a slow machine would show', async () => {
    const runtime = new VirtualRuntime();
    const lines = await written(() =>
      runtime.run(async () => {
        await using store = new SlowStore(runtime);
        await using server = new ApiServer({ keyValueStore: store, runtime });
        await call(server.handler, 'GET', '/readyz');
        store.delayMs = 600;
        await call(server.handler, 'POST', MAPS, { body, headers });
      }),
    );
    expect(lines).to.deep.equal([]);
  });

  it('is logged with its steps when the request takes half a second', async () => {
    const logged = await slowRequests(async (server, store) => {
      store.delayMs = 600;
      await call(server.handler, 'POST', `${MAPS}?fieldManager=secret`, { body, headers });
    });
    expect(logged).to.deep.equal([
      {
        verb: 'create',
        path: MAPS,
        userAgent: 'kubectl',
        totalMs: 600,
        steps: [
          'body decoded: 0 ms',
          'admitted: 0 ms',
          'validated: 0 ms',
          'stored: 600 ms',
          'answer ready: 0 ms',
        ],
      },
    ]);
  });

  it('has the steps of updates and deletions, also of failed ones', async () => {
    const logged = await slowRequests(async (server, store) => {
      await call(server.handler, 'POST', MAPS, { body });
      store.delayMs = 500;
      await call(server.handler, 'PUT', `${MAPS}/a`, { body: { ...body, data: { a: '1' } } });
      await call(server.handler, 'DELETE', `${MAPS}/a`);
      store.delayMs = 70_000;
      await call(server.handler, 'POST', MAPS, { body });
    });
    expect(logged.map((fields) => [fields?.['verb'], fields?.['steps']])).to.deep.equal([
      [
        'update',
        [
          'body decoded: 0 ms',
          'read from storage: 0 ms',
          'validated: 0 ms',
          'stored: 500 ms',
          'answer ready: 0 ms',
        ],
      ],
      ['delete', ['removed from storage: 500 ms', 'answer ready: 0 ms']],
      [
        'create',
        ['body decoded: 0 ms', 'admitted: 0 ms', 'validated: 0 ms', 'answer ready: 60000 ms'],
      ],
    ]);
  });

  it('is not logged for other requests, nor for watches', async () => {
    const logged = await slowRequests(async (server, store) => {
      store.delayMs = 499;
      await call(server.handler, 'POST', MAPS, { body });
      await call(server.handler, 'GET', `${MAPS}?watch=true&timeoutSeconds=2`);
    });
    expect(logged).to.deep.equal([]);
  });
});
