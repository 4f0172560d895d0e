import { expect } from 'chai';
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import { connect } from '../../../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../../../lib/kernel/report/logger.ts';
import { isListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import type { PodPortForwardRequest } from '../../../../../lib/server/api/pods/port-forward.ts';
import { until, within } from '../../../../support/until.ts';
import { failureOf, rejectionOf } from '../../../support/failure-of.ts';
import { bytesFrom, hashOf, noise, podCluster, Relay } from '../support.ts';

/** Sends back what it gets, with the port in front, until it has got a newline. */
async function echo({ port, incoming, outgoing }: PodPortForwardRequest): Promise<void> {
  await outgoing.write(`${port}:`);
  for await (const piece of incoming) {
    await outgoing.write(piece);
    if (piece.at(-1) === 10) return;
  }
}

describe('ports of pods', () => {
  it('are connections of this machine, one WebSocket each', async () => {
    await using cluster = await podCluster({ portForward: echo });
    await using forward = await cluster.pods.portForward('web', { ports: [80, 443] });
    expect(forward.ports.map(({ remote }) => remote)).to.deep.equal([80, 443]);
    for (const { remote, local } of forward.ports) {
      const socket = connectSocket(local, '127.0.0.1');
      socket.write('hello\n');
      const answer = await within(bytesFrom(socket), 'the answer');
      expect(answer.toString()).to.equal(`${remote}:hello\n`);
    }
    await until('no connection', () => forward.connections === 0);
  });

  it('serve 100 connections at once', async () => {
    let open = 0;
    let most = 0;
    await using cluster = await podCluster({
      portForward: async (request) => {
        open += 1;
        most = Math.max(most, open);
        await until('all to be open', () => most === 100);
        await echo(request);
      },
    });
    await using forward = await cluster.pods.portForward('web', { port: 80 });
    const answers = Array.from({ length: 100 }, async (_, index) => {
      const socket = connectSocket(forward.localPort, '127.0.0.1');
      socket.write(`${index}\n`);
      return (await bytesFrom(socket)).toString();
    });
    const all = await within(Promise.all(answers), 'all answers');
    expect(all).to.deep.equal(all.map((_, index) => `80:${index}\n`));
    expect(most).to.equal(100);
  });

  it('keep the bytes of 100 connections apart, 64 KiB each way at once', async () => {
    const each = 64 * 1024;
    const bytes = noise(100 * each);
    const partOf = (index: number): Buffer => bytes.subarray(index * each, (index + 1) * each);
    await using cluster = await podCluster({
      portForward: async ({ incoming, outgoing }) => {
        let left = each;
        for await (const piece of incoming) {
          await outgoing.write(piece);
          left -= piece.length;
          if (left === 0) return;
        }
      },
    });
    await using forward = await cluster.pods.portForward('web', { port: 80 });
    const answers = Array.from({ length: 100 }, (_, index) => {
      const socket = connectSocket(forward.localPort, '127.0.0.1');
      socket.write(partOf(index));
      return bytesFrom(socket);
    });
    const all = await within(Promise.all(answers), 'all answers');
    expect(all.map(hashOf)).to.deep.equal(all.map((_, index) => hashOf(partOf(index))));
  });

  it('carry 10 MiB each way with equal hashes', async () => {
    const bytes = noise(10 * 1024 * 1024);
    let received = '';
    await using cluster = await podCluster({
      portForward: async ({ incoming, outgoing }) => {
        const pieces: Uint8Array[] = [];
        let size = 0;
        const sent = outgoing.write(bytes);
        for await (const piece of incoming) {
          pieces.push(piece);
          size += piece.length;
          if (size === bytes.length) break;
        }
        await sent;
        received = hashOf(Buffer.concat(pieces));
      },
    });
    await using forward = await cluster.pods.portForward('web', { port: 80 });
    const socket = connectSocket(forward.localPort, '127.0.0.1');
    socket.write(bytes);
    const answer = await within(bytesFrom(socket), 'the bytes');
    expect([hashOf(answer), received]).to.deep.equal([hashOf(bytes), hashOf(bytes)]);
  });

  it('are streams, without a local port', async () => {
    await using cluster = await podCluster({ portForward: echo });
    const stream = await cluster.pods.connect('web', 5432);
    stream.write('hello\n');
    expect((await within(bytesFrom(stream), 'the answer')).toString()).to.equal('5432:hello\n');
    await until('the end', () => stream.destroyed);
  });

  it('are refused with PORT_REFUSED when nothing listens there', async () => {
    const errors: unknown[] = [];
    await using cluster = await podCluster({
      portForward: ({ port }) => {
        throw new Error(port === 81 ? 'dial tcp4 127.0.0.1:81: connect: connection refused' : 'eh');
      },
    });
    const { pods } = cluster;
    const refused = await within(
      rejectionOf(bytesFrom(await pods.connect('web', 81))),
      'the refusal',
    );
    expect(isListwatchError(refused, 'PORT_REFUSED')).to.equal(true);
    expect(String(refused)).to.match(/nothing listens on port 81 of the pod.*wait until/);
    const other = await rejectionOf(bytesFrom(await pods.connect('web', 82)));
    expect(isListwatchError(other, 'POD_STREAM')).to.equal(true);
    await using forward = await pods.portForward('web', {
      port: 81,
      onError: (error) => void errors.push(error),
    });
    const socket = connectSocket(forward.localPort, '127.0.0.1');
    socket.on('error', () => {});
    await until('the reset', () => socket.destroyed);
    expect(errors).to.have.length(1);
    expect(isListwatchError(errors[0], 'PORT_REFUSED')).to.equal(true);
  });

  it('fail with CONNECTION_FAILED when the connection is reset in the middle', async () => {
    await using cluster = await podCluster({ portForward: echo });
    await using relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server.clientConfig();
    await using client = await connect({ server: relay.url, token, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const stream = await pods.connect('web', 80);
    await new Promise((resolve) => void stream.once('data', resolve));
    relay.cut();
    const failed = await within(rejectionOf(bytesFrom(stream)), 'the failure');
    expect(isListwatchError(failed, 'CONNECTION_FAILED')).to.equal(true);
  });

  it('end a connection whose local side has ended when the pod stays silent', async () => {
    const requests: PodPortForwardRequest[] = [];
    await using cluster = await podCluster({
      portForward: (request) => {
        requests.push(request);
        return new Promise(() => {});
      },
    });
    await using forward = await cluster.pods.portForward('web', { port: 80, halfCloseMs: 50 });
    const socket = connectSocket(forward.localPort, '127.0.0.1');
    socket.end('no answer, please');
    await until('the end', () => requests[0]?.signal.aborted === true);
    await until('no connection', () => forward.connections === 0);
  });

  it('are closed with all their connections, by close and by the signal', async () => {
    const requests: PodPortForwardRequest[] = [];
    await using cluster = await podCluster({
      portForward: (request) => {
        requests.push(request);
        return new Promise(() => {});
      },
    });
    const abort = new AbortController();
    const { signal } = abort;
    const first = await cluster.pods.portForward('web', { port: 80 });
    await using second = await cluster.pods.portForward('web', { port: 80, signal });
    for (const { localPort } of [first, second]) {
      connectSocket(localPort, '127.0.0.1').on('error', () => {});
    }
    await until('both', () => requests.length === 2);
    await first.close();
    abort.abort();
    await until('both ends', () => requests.every((request) => request.signal.aborted));
    const late = connectSocket(first.localPort, '127.0.0.1');
    expect(await rejectionOf(bytesFrom(late))).to.include({ code: 'ECONNREFUSED' });
    const failure = await rejectionOf(cluster.pods.portForward('web', { port: 80, signal }));
    expect(failure).to.include({ name: 'AbortError' });
  });

  it('need a pod that has not ended, a free port and options that make sense', async () => {
    await using cluster = await podCluster({ portForward: echo });
    const { pods } = cluster;
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => void taken.once('listening', resolve));
    const { port: localPort } = taken.address() as AddressInfo;
    const inUse = await failureOf(pods.portForward('web', { port: 80, localPort }));
    taken.close();
    expect(inUse).to.include({ code: 'PORT_IN_USE' });
    for (const options of [{}, { port: 80, ports: [80] }, { ports: [] }, { port: 70_000 }]) {
      expect(await failureOf(pods.portForward('web', options))).to.include({
        code: 'INVALID_OPTION',
      });
    }
    expect(await failureOf(pods.connect('web', 1.5))).to.include({ code: 'INVALID_OPTION' });
    expect(await failureOf(pods.portForward('none', { port: 80 }))).to.include({
      code: 'NOT_FOUND',
    });
    await pods.patch('web', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
    const ended = await failureOf(pods.portForward('web', { port: 80 }));
    expect(ended).to.include({ code: 'POD_NOT_RUNNING' });
    expect(ended.message).to.include('the pod has ended: its phase is Succeeded');
  });
});
