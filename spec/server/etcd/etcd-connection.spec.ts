import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { EtcdConnection } from '../../../lib/server/etcd/etcd-connection.ts';
import { rpcError, status } from '../../../lib/server/etcd/etcd-error.ts';
import { resolveEtcdOptions, type EtcdOptions } from '../../../lib/server/etcd/etcd-options.ts';
import { AUTHENTICATE, STATUS } from '../../../lib/server/etcd/procedures.ts';

const WHAT = { what: 'its version', repeatable: true };
const CREDENTIALS = { credentials: { username: 'root', password: 'pass-word-1' } };
const UNAUTHENTICATED = 16;

/** The answer of a member that is made up: a text, or a failure. */
interface Answer {
  readonly afterMs: number;
  readonly text?: string;
  readonly error?: Error;
}

interface Call {
  readonly address: string;
  readonly path: string;
  readonly token: string | undefined;
}

class Stage implements Disposable {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly sent: string[] = [];
  readonly connection: EtcdConnection;
  answer: (call: Call) => Answer | undefined = () => undefined;

  constructor(options: Partial<EtcdOptions> = {}) {
    const resolved = resolveEtcdOptions({
      endpoints: ['http://member:2379'],
      runtime: this.runtime,
      logger: silentLogger,
      ...options,
    });
    this.connection = new EtcdConnection(resolved, ({ address }) => ({
      call: ({ path, token }) => this.#call({ address, path, token }),
      destroy: () => {},
    }));
  }

  version(): Promise<string> {
    return this.connection.call(STATUS, undefined, WHAT);
  }

  get logins(): number {
    return this.sent.filter((path) => path === AUTHENTICATE.path).length;
  }

  #call(call: Call): { answer: Promise<Buffer>; cancel: () => void } {
    this.sent.push(call.path);
    const coming = deferred<Buffer>();
    const answer = this.answer(call);
    if (answer !== undefined) {
      const { afterMs, text = '', error } = answer;
      this.runtime.setTimer(afterMs, () => {
        // The field that both procedures answer with.
        if (error === undefined)
          coming.resolve(Buffer.from([0x12, text.length, ...Buffer.from(text)]));
        else coming.reject(error);
      });
    }
    const cancel = (): void => {
      coming.reject(rpcError(status.CANCELLED, 'the member did not answer in time'));
    };
    return { answer: coming.promise, cancel };
  }

  [Symbol.dispose](): void {
    this.connection.destroy();
  }
}

describe('EtcdConnection', () => {
  it('sends nothing after it was destroyed, not even a call that has just begun', async () => {
    const { connection, sent } = new Stage();
    const calling = connection.call(STATUS, undefined, WHAT).catch((error: unknown) => error);
    connection.destroy();
    expect(isListwatchError(await calling, 'CLOSED')).to.equal(true);
    expect(sent).to.deep.equal([]);
  });

  it('logs in once when a token does not hold any more, however late calls with it fail', async () => {
    using stage = new Stage(CREDENTIALS);
    const { runtime } = stage;
    let waits = [10, 300];
    stage.answer = ({ path, token }) => {
      if (path === AUTHENTICATE.path) return { afterMs: 1, text: `token-${stage.logins}` };
      if (token !== 'token-1') return { afterMs: 1, text: '3.6.0' };
      const [afterMs = 0, ...later] = waits;
      waits = later;
      const details = 'etcdserver: invalid auth token';
      return { afterMs, error: rpcError(UNAUTHENTICATED, details) };
    };
    const both = Promise.all([stage.version(), stage.version()]);
    expect(await runtime.run(both)).to.deep.equal(['3.6.0', '3.6.0']);
    expect(stage.logins).to.equal(2);
    expect(await runtime.run(stage.version())).to.equal('3.6.0');
    expect(stage.logins).to.equal(2);
  });

  it('logs in at each member that is asked for its version, so that one that is down is no obstacle', async () => {
    using stage = new Stage({
      ...CREDENTIALS,
      endpoints: ['http://down:2379', 'http://up:2379'],
    });
    const { connection, runtime } = stage;
    const error = rpcError(status.UNAVAILABLE, 'no connection established');
    stage.answer = ({ address, path }) => {
      if (address === 'down:2379') return { afterMs: 1, error };
      return { afterMs: 1, text: path === AUTHENTICATE.path ? 'token' : '3.6.0' };
    };
    const asked = [0, 1].map((member) => connection.callMember(member, STATUS, undefined));
    const [first, second] = await runtime.run(Promise.allSettled(asked));
    expect(first).to.deep.equal({ status: 'rejected', reason: error });
    expect(second).to.deep.equal({ status: 'fulfilled', value: '3.6.0' });
    // Its token serves later calls.
    expect(await runtime.run(stage.version())).to.equal('3.6.0');
    expect(stage.logins).to.equal(2);
  });

  it('forgets a login that has failed', async () => {
    using stage = new Stage(CREDENTIALS);
    stage.answer = ({ path }) => {
      if (path !== AUTHENTICATE.path) return { afterMs: 1, text: '3.6.0' };
      const error = rpcError(status.UNAVAILABLE, 'the connection ended');
      return stage.logins === 1 ? { afterMs: 1, error } : { afterMs: 1, text: 'token' };
    };
    expect(await stage.runtime.run(stage.version())).to.equal('3.6.0');
    expect(stage.logins).to.equal(2);
  });

  it('sends a write to the next member when a member did not answer a login', async () => {
    using stage = new Stage({
      ...CREDENTIALS,
      endpoints: ['http://silent:2379', 'http://up:2379'],
    });
    stage.answer = ({ address, path }) => {
      if (address === 'silent:2379') return undefined;
      return { afterMs: 1, text: path === AUTHENTICATE.path ? 'token' : 'written' };
    };
    const write = stage.connection.call(STATUS, undefined, { what: 'a write', repeatable: false });
    expect(await stage.runtime.run(write)).to.equal('written');
    expect(stage.sent.filter((path) => path === STATUS.path)).to.have.length(1);
  });

  it('counts the time of a login to that of the call', async () => {
    using stage = new Stage({ ...CREDENTIALS, requestTimeoutMs: 1000, memberTimeoutMs: 800 });
    stage.answer = ({ path }) =>
      path === AUTHENTICATE.path ? { afterMs: 700, text: 'token' } : undefined;
    const error = await stage.runtime.run(stage.version().catch((thrown: unknown) => thrown));
    expect(isListwatchError(error, 'STORE_UNAVAILABLE')).to.equal(true);
    expect(stage.runtime.monotonicMs()).to.equal(1000);
  });
});
