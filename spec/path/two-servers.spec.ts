import { expect } from 'chai';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect, type ConnectOptions } from '../../lib/client/rest/connect.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { etcdBinaries, EtcdMember } from '../support/etcd.ts';
import { plainProgram } from '../support/plain-programs.ts';
import { HANG_MS, until } from '../support/until.ts';

const PROGRAM = 'spec/path/support/server-process.ts';

class ServerProcess implements AsyncDisposable {
  readonly config: ConnectOptions;
  readonly #child: ChildProcessWithoutNullStreams;

  private constructor(child: ChildProcessWithoutNullStreams, config: ConnectOptions) {
    this.#child = child;
    this.config = config;
  }

  static async start(etcd: string): Promise<ServerProcess> {
    const child = spawn(process.execPath, [await plainProgram(PROGRAM), etcd]);
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, 'exit').then(() => {
      throw new Error(`the server ended: ${errors}`);
    });
    ended.catch(() => {});
    const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
    return new ServerProcess(child, JSON.parse(line.toString()) as ConnectOptions);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.stdin.end();
    await closed;
  }
}

describe('two API servers over one etcd', () => {
  for (const binary of etcdBinaries()) {
    it(`serve each other's writes to watchers, each process its own (${binary})`, async () => {
      await using member = await EtcdMember.start({ binary });
      await using left = await ServerProcess.start(member.url);
      await using right = await ServerProcess.start(member.url);
      await using toLeft = await connect(left.config);
      await using toRight = await connect(right.config);
      const collection = { namespace: 'default' } as const;
      const notified: string[] = [];
      await using informers = new SharedInformerFactory(toRight, { logger: silentLogger });
      const watched = informers.for('v1', 'configmaps', collection);
      watched.addHandler({
        onAdd: (object) => notified.push(`+${object.metadata?.name}`),
        onUpdate: (_old, object) => notified.push(`~${object.metadata?.name}`),
        onDelete: (object) => notified.push(`-${object.metadata?.name}`),
      });
      informers.start();
      await informers.whenSynced({ timeoutMs: HANG_MS });
      notified.length = 0;

      const writer = toLeft.resource('v1', 'configmaps', collection);
      const created = await writer.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'shared' },
      });
      const there = toRight.resource('v1', 'configmaps', collection);
      const { uid, resourceVersion } = (await there.get('shared')).metadata ?? {};
      expect({ uid, resourceVersion }).to.deep.equal({
        uid: created.metadata?.uid,
        resourceVersion: created.metadata?.resourceVersion,
      });
      expect((await there.list()).items.map((object) => object.metadata?.name)).to.include(
        'shared',
      );
      await there.patch('shared', { data: { from: 'the other server' } });
      await writer.delete('shared');
      await until('the watcher has all', () => notified.length >= 3);
      expect(notified).to.deep.equal(['+shared', '~shared', '-shared']);
    });
  }

  if (etcdBinaries().length === 0) {
    it('are left out here: there is no etcd on PATH or in LISTWATCH_ETCD', () => {
      expect(etcdBinaries()).to.deep.equal([]);
    });
  }
});
