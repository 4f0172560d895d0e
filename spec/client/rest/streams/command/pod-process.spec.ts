import { expect } from 'chai';
import { deferred } from '../../../../../lib/kernel/time/latch.ts';
import type {
  PodExecRequest,
  TerminalSize,
} from '../../../../../lib/server/api/pods/container-streams.ts';
import { until, within } from '../../../../support/until.ts';
import { connect } from '../../../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../../../lib/kernel/report/logger.ts';
import { failureOf, rejectionOf } from '../../../support/failure-of.ts';
import { bytesFrom, hashOf, noise, podCluster, Relay } from '../support.ts';

const MIB = 1024 * 1024;

describe('commands in a container', () => {
  it('give their output and exit code', async () => {
    await using cluster = await podCluster({
      exec: async ({ command, container, stdout, stderr, stdin }) => {
        await stdout.write(
          `${command.join('|')} in ${container}: ${(await bytesFrom(stdin)).length}`,
        );
        await stderr.write('naïve');
        return 3;
      },
    });
    const { pods } = cluster;
    expect(await pods.exec('web', ['echo', 'a b&c', '+'])).to.deep.equal({
      exitCode: 3,
      stdout: 'echo|a b&c|+ in app: 0',
      stderr: 'naïve',
    });
  });

  it('read text, bytes and pieces as their input, to its end', async () => {
    await using cluster = await podCluster({
      exec: async ({ stdin, stdout }) => {
        await stdout.write(await bytesFrom(stdin));
        return 0;
      },
    });
    const pieces = async function* (): AsyncGenerator<string | Uint8Array> {
      yield 'one ';
      yield Buffer.from('two');
    };
    for (const [stdin, shown] of [
      ['text', 'text'],
      [Buffer.from('bytes'), 'bytes'],
      [pieces(), 'one two'],
      ['', ''],
    ] as const) {
      const { stdout } = await within(cluster.pods.exec('web', ['cat'], { stdin }), 'cat');
      expect(stdout).to.equal(shown);
    }
  });

  it('fail with the error of their input', async () => {
    await using cluster = await podCluster({
      exec: async ({ stdin }) => {
        await bytesFrom(stdin);
        return 0;
      },
    });
    const failing = async function* (): AsyncGenerator<string> {
      yield 'some';
      throw new Error('the file cannot be read');
    };
    const failed = rejectionOf(cluster.pods.exec('web', ['cat'], { stdin: failing() }));
    expect(await within(failed, 'the failure')).to.include({ message: 'the file cannot be read' });
  });

  it('end before they have read all of a large input', async () => {
    await using cluster = await podCluster({
      exec: async ({ stdin, stdout }) => {
        for await (const piece of stdin) {
          await stdout.write(String(piece.length > 0));
          break;
        }
        return 0;
      },
    });
    const stdin = noise(4 * MIB);
    const result = await within(cluster.pods.exec('web', ['head'], { stdin }), 'head');
    expect(result).to.deep.equal({ exitCode: 0, stdout: 'true', stderr: '' });
  });

  it('carry 10 MiB each way with equal hashes', async () => {
    const bytes = noise(10 * MIB);
    const received = deferred<string>();
    await using cluster = await podCluster({
      exec: async ({ stdin, stdout }) => {
        const [got] = await Promise.all([bytesFrom(stdin), stdout.write(bytes)]);
        received.resolve(hashOf(got));
        return 0;
      },
    });
    await using process = await cluster.pods.spawn('web', ['tar'], { stdin: true });
    process.stdin.end(bytes);
    const sent = bytesFrom(process.stdout);
    const [code, output] = await within(Promise.all([process.exited, sent]), 'the hashes');
    const hash = hashOf(bytes);
    expect([code, hashOf(output), await received.promise]).to.deep.equal([0, hash, hash]);
  });

  it('end their input when stdin is ended, with version 5 of the subprotocol', async () => {
    const ended = deferred<string>();
    await using cluster = await podCluster({
      exec: async ({ stdin }) => {
        ended.resolve((await bytesFrom(stdin)).toString());
        return 0;
      },
    });
    await using process = await cluster.pods.spawn('web', ['cat'], { stdin: true });
    process.stdin.write('to the ');
    process.stdin.end('end');
    expect(await within(ended.promise, 'the end of the input')).to.equal('to the end');
    expect(await process.exited).to.equal(0);
  });

  it('take the sizes of their terminal, which has one output', async () => {
    await using cluster = await podCluster({
      exec: async ({ resize, stdout, stderr, tty }) => {
        const sizes: TerminalSize[] = [];
        for await (const size of resize) {
          sizes.push(size);
          if (size.width === 132) break;
        }
        await stderr.write(`${tty} ${JSON.stringify(sizes.at(-1))}`);
        await stdout.write('.');
        return 0;
      },
    });
    await using process = await cluster.pods.spawn('web', ['top'], { tty: true });
    await process.resize(80, 24);
    await process.resize(132, 43);
    const text = (await within(bytesFrom(process.stdout), 'the output')).toString();
    expect(text).to.equal('true {"width":132,"height":43}.');
    expect(await failureOf(process.resize(0, 1.5))).to.include({ code: 'INVALID_OPTION' });
  });

  it('are attached to', async () => {
    await using cluster = await podCluster({
      attach: async ({ stdout, stdin }) => {
        await stdout.write((await bytesFrom(stdin)).toString().toUpperCase());
      },
    });
    await using process = await cluster.pods.attach('web', { stdin: true, stderr: false });
    process.stdin.end('hello');
    expect((await bytesFrom(process.stdout)).toString()).to.equal('HELLO');
    expect(await process.exited).to.equal(0);
  });

  it('see that their client has gone when it aborts, closes or is closed', async () => {
    const running: PodExecRequest[] = [];
    await using cluster = await podCluster({
      exec: (request) => {
        running.push(request);
        return new Promise(() => {});
      },
    });
    const abort = new AbortController();
    const { pods, client } = cluster;
    const aborted = rejectionOf(pods.exec('web', ['sleep'], { signal: abort.signal }));
    const closed = await pods.spawn('web', ['sleep']);
    const left = await pods.spawn('web', ['sleep']);
    await until('three commands', () => running.length === 3);
    abort.abort(new Error('enough'));
    expect(await within(aborted, 'the abort')).to.include({ message: 'enough' });
    await closed.close();
    expect(await failureOf(closed.exited)).to.include({ code: 'CLOSED' });
    expect(await rejectionOf(bytesFrom(closed.stdout))).to.include({ code: 'CLOSED' });
    await client.close();
    expect(await failureOf(left.exited)).to.include({ code: 'CLOSED' });
    await until('three ends', () => running.every(({ signal }) => signal.aborted));
  });

  it('end with CONNECTION_FAILED when the connection is reset in the middle', async () => {
    await using cluster = await podCluster({
      exec: async ({ stdout }) => {
        await stdout.write('half');
        return await new Promise<number>(() => {});
      },
    });
    await using relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server.clientConfig();
    await using client = await connect({ server: relay.url, token, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    await using process = await pods.spawn('web', ['cat'], { stdin: true });
    await new Promise((resolve) => void process.stdout.once('data', resolve));
    relay.cut();
    const failure = await within(failureOf(process.exited), 'the failure');
    expect(failure).to.include({ code: 'CONNECTION_FAILED' });
    expect(failure.message)
      .to.match(/cut in the middle.*try again$/)
      .and.not.include('\n');
    expect(await rejectionOf(bytesFrom(process.stdout))).to.equal(failure);
    expect(process.stdin.destroyed).to.equal(true);
  });

  it('print no more into memory than maxOutputBytes', async () => {
    await using cluster = await podCluster({
      exec: async ({ stdout, stderr }) => {
        for (;;) {
          await stdout.write(Buffer.alloc(64 * 1024));
          await stderr.write('x');
        }
      },
    });
    const yes = cluster.pods.exec('web', ['yes'], { maxOutputBytes: MIB });
    const failure = await within(failureOf(yes), 'the limit');
    expect(failure).to.include({ code: 'RESPONSE_TOO_LARGE' });
    expect(failure.message).to.include('raise maxOutputBytes');
  });

  it('wait while their output is not read, with little in memory', async () => {
    let written = 0;
    await using cluster = await podCluster({
      exec: async ({ stdout }) => {
        const piece = Buffer.alloc(64 * 1024);
        for (; written < 64 * MIB; written += piece.length) await stdout.write(piece);
        return 0;
      },
    });
    await using process = await cluster.pods.spawn('web', ['yes'], { stderr: false });
    await until('a full stream', () => process.stdout.readableLength >= 64 * 1024);
    // The writer stands still when the buffers of both sockets are full.
    let seen = -1;
    await until('a writer that waits', async () => {
      const before = seen;
      seen = written;
      for (let count = 0; count < 5; count += 1) await cluster.client.version();
      return before === written && written > 0;
    });
    expect(process.stdout.readableLength).to.be.lessThan(256 * 1024);
    expect(written).to.be.lessThan(48 * MIB);
    expect((await within(bytesFrom(process.stdout), 'the rest')).length).to.equal(64 * MIB);
    expect(await process.exited).to.equal(0);
  });

  it('make a writer of their input wait while they do not read', async () => {
    const go = deferred<void>();
    await using cluster = await podCluster({
      exec: async ({ stdin, stdout }) => {
        await go.promise;
        await stdout.write(String((await bytesFrom(stdin)).length));
        return 0;
      },
    });
    await using process = await cluster.pods.spawn('web', ['wc'], { stdin: true });
    let given = 0;
    const piece = Buffer.alloc(64 * 1024);
    const writing = (async () => {
      for (; given < 64 * MIB; given += piece.length) {
        if (!process.stdin.write(piece)) {
          await new Promise((resolve) => void process.stdin.once('drain', resolve));
        }
      }
      process.stdin.end();
    })();
    let seen = -1;
    await until('a writer that waits', async () => {
      const before = seen;
      seen = given;
      for (let count = 0; count < 5; count += 1) await cluster.client.version();
      return before === given && given > 0;
    });
    expect(given).to.be.lessThan(48 * MIB);
    go.resolve();
    const output = await within(bytesFrom(process.stdout), 'the count');
    await writing;
    expect(output.toString()).to.equal(String(64 * MIB));
  });

  it('refuse options and commands that cannot be meant before anything is sent', async () => {
    await using cluster = await podCluster({ exec: () => 0 });
    const { pods } = cluster;
    const wrong: readonly (() => Promise<unknown>)[] = [
      () => pods.exec('web', 'ls' as unknown as string[]),
      () => pods.exec('web', []),
      () => pods.exec('web', ['ls'], { contianer: 'app' } as object),
      () => pods.exec('web', ['ls'], { stdin: 7 as unknown as string }),
      () => pods.exec('web', ['ls'], { deadPeerMs: 0 }),
      () => pods.exec('../web', ['ls']),
      () => pods.spawn('web', ['ls'], { stdout: false, stderr: false }),
      () => pods.spawn('web', ['ls'], { tty: 'yes' as unknown as boolean }),
    ];
    for (const call of wrong)
      expect(await failureOf(call())).to.include({ code: 'INVALID_OPTION' });
  });
});
