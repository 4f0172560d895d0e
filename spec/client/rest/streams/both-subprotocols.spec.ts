import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { PodProcess } from '../../../../lib/client/rest/streams/command/pod-process.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import type {
  PodAttachRequest,
  TerminalSize,
} from '../../../../lib/server/api/pods/container-streams.ts';
import { until, within } from '../../../support/until.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { bytesFrom, hashOf, noise, podCluster, Relay } from './support.ts';

const BYTES = noise(10 * 1024 * 1024);
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
const SIZES: readonly (readonly [number, number])[] = [
  [80, 24],
  [132, 43],
  [1, 65_535],
];

type Protocol = (typeof PROTOCOLS)[number];
type Pods = ResourceClient<UnstructuredObject>;

interface Station extends AsyncDisposable {
  readonly pods: Pods;
  readonly relay: Relay;
  /** Starts the handler by one of the two ways. */
  start(tty?: boolean): Promise<PodProcess>;
}

/** A pod whose commands, and whose main program, are this handler; the server is offered one subprotocol. */
async function station(
  way: 'exec' | 'attach',
  protocol: Protocol,
  handler: (request: PodAttachRequest) => Promise<void>,
): Promise<Station> {
  const exec = async (request: PodAttachRequest): Promise<number> => {
    await handler(request);
    return 3;
  };
  const cluster = await podCluster(way === 'exec' ? { exec } : { attach: handler });
  const relay = await Relay.to(cluster.server.url, (head) =>
    head.replace(/(sec-websocket-protocol): .*\r\n/i, `$1: ${protocol}\r\n`),
  );
  const { token } = cluster.server.clientConfig();
  const client = await connect({ server: relay.url, token, logger: silentLogger });
  const pods = client.resource<UnstructuredObject>('v1', 'pods', { namespace: 'default' });
  return {
    pods,
    relay,
    start: (tty = false) =>
      way === 'exec'
        ? pods.spawn('web', ['run'], { stdin: true, tty })
        : pods.attach('web', { stdin: true, tty }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await relay[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** The first `size` bytes of an input, which need not end. */
async function take(input: AsyncIterable<Uint8Array>, size: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let taken = 0;
  for await (const piece of input) {
    pieces.push(piece);
    taken += piece.length;
    if (taken >= size) break;
  }
  return Buffer.concat(pieces);
}

for (const protocol of PROTOCOLS) {
  for (const way of ['exec', 'attach'] as const) {
    describe(`${way} over ${protocol}`, () => {
      it('carries 10 MiB each way at once with equal hashes, and ends with its exit code', async () => {
        let received = '';
        await using stage = await station(way, protocol, async ({ stdin, stdout }) => {
          const [got] = await Promise.all([take(stdin, BYTES.length), stdout.write(BYTES)]);
          received = hashOf(got);
        });
        await using process = await stage.start();
        process.stdin.write(BYTES);
        const output = await within(bytesFrom(process.stdout), 'the output');
        expect([hashOf(output), received]).to.deep.equal([hashOf(BYTES), hashOf(BYTES)]);
        expect(await within(process.exited, 'the exit code')).to.equal(way === 'exec' ? 3 : 0);
      });

      it('brings each size of the terminal to the handler', async () => {
        const sizes: TerminalSize[] = [];
        await using stage = await station(way, protocol, async ({ resize, tty, stdout }) => {
          for await (const size of resize) {
            sizes.push(size);
            await stdout.write(`${tty};`);
            if (sizes.length === SIZES.length) return;
          }
        });
        await using process = await stage.start(true);
        for (const [index, [columns, rows]] of SIZES.entries()) {
          await process.resize(columns, rows);
          // One at a time: of sizes that wait, only the last one counts.
          await until('the size', () => sizes.length === index + 1);
        }
        const text = (await within(bytesFrom(process.stdout), 'the output')).toString();
        expect(text).to.equal('true;true;true;');
        expect(sizes).to.deep.equal(SIZES.map(([width, height]) => ({ width, height })));
      });

      it('fails in one line with CONNECTION_FAILED when it is reset in the middle, and its handler sees that', async () => {
        let signal: AbortSignal | undefined;
        await using stage = await station(way, protocol, async (request) => {
          signal = request.signal;
          await request.stdout.write(BYTES.subarray(0, 1024));
          await new Promise(() => {});
        });
        await using process = await stage.start();
        const half = await within(take(process.stdout, 1024), 'the first half');
        expect(half.equals(BYTES.subarray(0, 1024))).to.equal(true);
        stage.relay.cut();
        const failure = await within(failureOf(process.exited), 'the failure');
        expect(failure).to.include({ code: 'CONNECTION_FAILED' });
        expect(failure.message)
          .to.match(/cut in the middle.*try again$/)
          .and.not.include('\n');
        expect(await rejectionOf(bytesFrom(process.stderr))).to.equal(failure);
        await until('the end of the handler', () => signal?.aborted === true);
      });

      it(
        protocol === 'v5.channel.k8s.io'
          ? 'goes on with its output, 10 MiB of it, after its input was ended'
          : 'says that its input cannot be ended, and goes on with its output',
        async () => {
          let input = '';
          await using stage = await station(way, protocol, async ({ stdin, stdout }) => {
            input = (
              protocol === 'v5.channel.k8s.io' ? await bytesFrom(stdin) : await take(stdin, 3)
            ).toString();
            await stdout.write(BYTES);
          });
          await using process = await stage.start();
          const failed = new Promise<unknown>((done) => void process.stdin.once('error', done));
          process.stdin.end('all');
          const output = await within(bytesFrom(process.stdout), 'the output');
          expect([input, hashOf(output)]).to.deep.equal(['all', hashOf(BYTES)]);
          expect(await process.exited).to.equal(way === 'exec' ? 3 : 0);
          if (protocol === 'v5.channel.k8s.io')
            expect(process.stdin.writableFinished).to.equal(true);
          else expect(await failed).to.include({ code: 'STDIN_STAYS_OPEN' });
        },
      );
    });
  }
}
