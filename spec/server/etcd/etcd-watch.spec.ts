import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { resolveEtcdOptions } from '../../../lib/server/etcd/etcd-options.ts';
import {
  EtcdWatch,
  ProgressRequest,
  type EtcdWatchOptions,
} from '../../../lib/server/etcd/etcd-watch.ts';
import type { WatchResponse } from '../../../lib/server/etcd/messages.ts';
import { eventsAt, progressTo, responseAt } from './watch-answers.ts';

describe('a request for progress', () => {
  let runtime: VirtualRuntime;
  let log: string[];
  let request: ProgressRequest;
  beforeEach(() => {
    runtime = new VirtualRuntime();
    log = [];
    const note = (what: string) => (): void => {
      log.push(`${what} ${runtime.monotonicMs()}`);
    };
    request = new ProgressRequest({ runtime, ask: note('ask'), onSilence: note('silence') });
  });

  it('asks at once, and again each tenth of a second until there is an answer', async () => {
    request.start();
    await runtime.advance(250);
    expect(log).to.deep.equal(['ask 0', 'silence 100', 'ask 100', 'silence 200', 'ask 200']);
    request.stop();
    await runtime.advance(1000);
    expect(log).to.have.length(5);
    expect(runtime.pending).to.equal(0);
  });

  it('asks a new stream at once when a caller still waits, and not otherwise', async () => {
    request.ask();
    expect(log).to.deep.equal([]);
    request.start();
    await runtime.advance(50);
    request.ask();
    await runtime.advance(100);
    expect(log).to.deep.equal(['ask 0', 'ask 50', 'silence 150', 'ask 150']);
    request.stop();
  });

  it('looks for a silent member also while callers repeat the request', async () => {
    request.start();
    for (let call = 0; call < 4; call += 1) {
      await runtime.advance(60);
      request.start();
    }
    expect(log.filter((line) => line.startsWith('silence'))).to.deep.equal([
      'silence 100',
      'silence 200',
    ]);
    expect(log).to.include.members(['ask 60', 'ask 120', 'ask 180', 'ask 240']);
    request.stop();
  });

  it('ends with the answer that came while it looked for one', async () => {
    const seen: number[] = [];
    const looking = new ProgressRequest({
      runtime,
      ask: () => seen.push(runtime.monotonicMs()),
      onSilence: () => {
        looking.stop();
      },
    });
    looking.start();
    await runtime.advance(1000);
    expect(seen).to.deep.equal([0]);
  });
});

/** A stream of a member, whose answers a spec writes. */
class FakeStream extends EventEmitter {
  readonly written: unknown[] = [];
  write(request: unknown): void {
    this.written.push(request);
  }
  cancel(): void {}
  pause(): void {}
  resume(): void {}
}

/** A watch from revision 5 on, on a cluster of one member that is made up. */
class Stage {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly streams: FakeStream[] = [];
  readonly ended: EtcdWatch[] = [];
  readonly read: string[] = [];
  reads = 0;
  /** The revision of the cluster. */
  revision: () => Promise<bigint> = async () => 4n;
  readonly watch: EtcdWatch;

  constructor(signal?: AbortSignal) {
    const { runtime } = this;
    const connection = {
      options: resolveEtcdOptions({
        endpoints: ['http://member:2379'],
        memberTimeoutMs: 3000,
        runtime,
        logger: silentLogger,
      }),
      call: async () => {
        this.reads += 1;
        return { revision: await this.revision(), items: [], count: 0, more: false };
      },
      openStream: async () => {
        const stream = new FakeStream();
        this.streams.push(stream);
        return { member: 0, token: undefined, stream };
      },
      moveFrom: () => {},
    } as unknown as EtcdWatchOptions['connection'];
    this.watch = new EtcdWatch({
      connection,
      request: { key: '/a', startRevision: 5n, signal },
      trustsProgress: true,
      onEnd: (ended) => this.ended.push(ended),
    });
  }

  async open(): Promise<void> {
    const opened = this.watch.open();
    await this.runtime.settle();
    this.answer({ ...responseAt(4n), created: true });
    await opened;
    void this.#readAll();
  }

  /** On the latest stream. */
  answer(response: WatchResponse): void {
    this.streams.at(-1)?.emit('data', response);
  }

  async #readAll(): Promise<void> {
    try {
      for await (const batch of this.watch) {
        for (const message of batch) {
          const isEvent = message.type === 'event';
          const revision = isEvent ? message.event.kv.modRevision : message.revision;
          this.read.push(`${message.type} ${revision}`);
        }
      }
      this.read.push('end');
    } catch (error) {
      this.read.push((error as { readonly code: string }).code);
    }
  }
}

describe('a watch on etcd', () => {
  it('reports its end to an owner that knows it, also if the signal has aborted before', async () => {
    const { watch, ended } = new Stage(AbortSignal.abort());
    expect(ended).to.deep.equal([]);
    await watch.open();
    expect(ended).to.deep.equal([watch]);
  });

  it('passes on the answer to a request that joined one under way', async () => {
    const stage = new Stage();
    await stage.open();
    await stage.watch.requestProgress();
    await stage.watch.requestProgress();
    expect(stage.streams[0]?.written.slice(1)).to.deep.equal(['progress', 'progress']);
    for (const revision of [6n, 8n, 8n]) {
      stage.answer(progressTo(revision));
      await stage.runtime.settle();
    }
    expect(stage.read).to.deep.equal(['progress 6', 'progress 8']);
    expect(stage.runtime.pending).to.equal(0);
    stage.watch.destroy();
  });

  it('does not take a member for silent that had nothing to send before the request', async () => {
    const stage = new Stage();
    await stage.open();
    await stage.runtime.advance(3_600_000);
    stage.revision = async () => 5n;
    await stage.watch.requestProgress();
    // The event is late, but not so late that the member hangs.
    await stage.runtime.advance(2900);
    expect(stage.streams).to.have.length(1);
    stage.answer(eventsAt(5n));
    await stage.runtime.advance(200);
    expect(stage.read).to.deep.equal(['event 5', 'progress 5']);
    stage.watch.destroy();
  });

  it('leaves a member that is silent for longer than a call may take', async () => {
    const stage = new Stage();
    await stage.open();
    stage.revision = async () => 5n;
    await stage.watch.requestProgress();
    await stage.runtime.advance(3500);
    expect(stage.streams).to.have.length(2);
    stage.watch.destroy();
  });

  it('keeps progress behind the events that come while the revision is read', async () => {
    const stage = new Stage();
    await stage.open();
    const revision = deferred<bigint>();
    stage.revision = () => revision.promise;
    await stage.watch.requestProgress();
    await stage.runtime.advance(100);
    stage.answer(eventsAt(5n, 6n));
    revision.resolve(4n);
    await stage.runtime.settle();
    expect(stage.read).to.deep.equal(['event 5', 'event 6', 'progress 6']);
    stage.watch.destroy();
  });

  it('asks for nothing after it has failed', async () => {
    const stage = new Stage();
    await stage.open();
    stage.answer({ ...responseAt(9n), canceled: true, compactRevision: 7n });
    await stage.runtime.settle();
    expect(stage.read).to.deep.equal(['COMPACTED']);
    await stage.watch.requestProgress();
    await stage.runtime.advance(1000);
    expect([stage.reads, stage.runtime.pending]).to.deep.equal([0, 0]);
  });
});
