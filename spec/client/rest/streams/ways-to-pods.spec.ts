import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Client } from '../../../../lib/client/rest/client.ts';
import { connect, type ConnectOptions } from '../../../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import type { PodHandler } from '../../../../lib/server/api/pods/pod-handlers.ts';
import { HANG_MS, within } from '../../../support/until.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { TestProxy } from '../../support/test-proxy.ts';
import { bytesFrom, podCluster, Relay, type PodCluster } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const HANDLER: PodHandler = {
  exec: async ({ stdin, stdout }) => {
    await stdout.write(`got ${(await bytesFrom(stdin)).toString()}`);
    return 3;
  },
  portForward: async ({ port, outgoing }) => {
    await outgoing.write(`port ${port}`);
  },
};

type Pods = ResourceClient<UnstructuredObject>;

function podsOf(client: Client): Pods {
  return client.resource<UnstructuredObject>('v1', 'pods', { namespace: 'default' });
}

/** The TLS address of the server with its authority. */
function secure({ server }: PodCluster): ConnectOptions {
  return {
    server: server.url.replace('http:', 'https:'),
    tls: { ca: server.certificateAuthority },
    logger: silentLogger,
  };
}

async function useBoth(pods: Pods): Promise<void> {
  const run = await within(pods.exec('web', ['cat'], { stdin: 'bytes' }), 'the command');
  expect(run).to.deep.equal({ exitCode: 3, stdout: 'got bytes', stderr: '' });
  const stream = await pods.connect('web', 80);
  expect((await within(bytesFrom(stream), 'the port')).toString()).to.equal('port 80');
}

/** Offers the server only the fourth version of the subprotocol. */
function onlyV4(head: string): string {
  return head.replace(/(sec-websocket-protocol): .*\r\n/i, '$1: v4.channel.k8s.io\r\n');
}

describe('streams to pods', () => {
  it('go through an HTTP proxy that asks for a password, over TLS with an own authority', async () => {
    await using cluster = await podCluster(HANDLER);
    const { token } = cluster.server;
    await using proxy = await TestProxy.start({ user: 'me', password: 'secret' });
    await using client = await connect({
      ...secure(cluster),
      token,
      proxy: proxy.urlWithPassword,
    });
    await useBoth(podsOf(client));
    expect(proxy.tunnels).to.equal(2);
    const { host } = new URL(cluster.server.url);
    expect(proxy.targets).to.deep.equal([host, host]);
    expect(proxy.heads.join('')).to.not.include(token).and.not.include('command=');
  });

  it('work beside requests over HTTP/2, each WebSocket over a connection of its own', async () => {
    await using cluster = await podCluster({ ...HANDLER, log: () => 'hello\n' });
    const { token } = cluster.server;
    await using proxy = await TestProxy.start();
    const options = { ...secure(cluster), token, proxy: proxy.url, http2: true };
    await using client = await connect(options);
    const pods = podsOf(client);
    expect(await pods.logs('web')).to.equal('hello\n');
    await useBoth(pods);
    for await (const one of pods.logs('web', { follow: true })) expect(one).to.equal('hello');
    expect(proxy.tunnels).to.equal(3);
  });

  it('name the proxy that refuses them', async () => {
    await using cluster = await podCluster(HANDLER);
    await using proxy = await TestProxy.start({ refuse: 403 });
    const { token } = cluster.server;
    await using client = await connect({ ...secure(cluster), token, proxy: proxy.url });
    const refused = await within(failureOf(podsOf(client).exec('web', ['ls'])), 'the refusal');
    expect(refused).to.include({ code: 'PROXY' });
    expect(refused.message).to.include(new URL(proxy.url).host).and.not.include('\n');
  });

  it('present a client certificate', async () => {
    await using cluster = await podCluster(HANDLER);
    const { server } = cluster;
    const issue = (groups: readonly string[]): ConnectOptions => {
      const { certificate: cert, privateKey: key } = server.issueClientCertificate({
        user: 'jane',
        groups,
      });
      return { ...secure(cluster), tls: { ca: server.certificateAuthority, cert, key } };
    };
    await using client = await connect(issue(['system:masters']));
    await useBoth(podsOf(client));
    await using other = await connect(issue([]));
    const error = await failureOf(podsOf(other).exec('web', ['ls']));
    expect(error).to.include({ code: 'FORBIDDEN' });
    expect(error.message).to.include('"jane"').and.include('verbs: ["get","create"]');
  });

  it('are refused where the authority is another', async () => {
    await using cluster = await podCluster(HANDLER);
    const { token } = cluster.server;
    const ca = new TestAuthority().certificate;
    await using client = await connect({ ...secure(cluster), token, tls: { ca } });
    const pods = podsOf(client);
    for (const call of [pods.exec('web', ['ls']), pods.connect('web', 80)]) {
      expect(await failureOf(call)).to.include({ code: 'CERTIFICATE' });
    }
  });

  it('fall back to version 4 of the subprotocol, in which an input has no end', async () => {
    await using cluster = await podCluster({
      exec: async ({ stdin, stdout, command }) => {
        if (command[0] === 'head') {
          for await (const piece of stdin) {
            await stdout.write(piece);
            break;
          }
        }
        return 3;
      },
    });
    await using relay = await Relay.to(cluster.server.url, onlyV4);
    const { token } = cluster.server;
    await using client = await connect({ server: relay.url, token, logger: silentLogger });
    const pods = podsOf(client);
    expect((await pods.exec('web', ['ls'])).exitCode).to.equal(3);
    const refused = await within(failureOf(pods.exec('web', ['cat'], { stdin: 'a' })), 'the error');
    expect(refused).to.include({ code: 'STDIN_STAYS_OPEN', name: 'PodStreamError' });
    expect(refused.message).to.match(/v4\.channel\.k8s\.io, in which stdin cannot be ended; use a/);

    await using head = await pods.spawn('web', ['head'], { stdin: true });
    head.stdin.write('first');
    expect((await within(bytesFrom(head.stdout), 'the output')).toString()).to.equal('first');
    expect(await head.exited).to.equal(3);

    await using cat = await pods.spawn('web', ['head'], { stdin: true });
    const failed = new Promise<unknown>((done) => void cat.stdin.once('error', done));
    cat.stdin.end();
    expect(await within(failed, 'the error of the input')).to.include({ code: 'STDIN_STAYS_OPEN' });
  });

  it('need the package ws, and logs do not', async () => {
    await using cluster = await podCluster({ ...HANDLER, log: () => 'hello\n' });
    const { url, token } = cluster.server;
    const script = `
      import Module from 'node:module';
      const resolve = Module._resolveFilename;
      Module._resolveFilename = function (name, ...rest) {
        if (name !== 'ws') return resolve.call(this, name, ...rest);
        throw Object.assign(new Error("Cannot find module 'ws'"), { code: 'MODULE_NOT_FOUND' });
      };
      const { connect } = await import('listwatch');
      const client = await connect(${JSON.stringify({ server: url, token })});
      const pods = client.resource('v1', 'pods', { namespace: 'default' });
      console.log((await pods.logs('web')).trim());
      for (const call of [pods.exec('web', ['ls']), pods.connect('web', 80)]) {
        await call.catch(({ code, message }) => console.log(code, message));
      }
      await client.close();`;
    const given = ['--conditions=@listwatch/source', '--import', 'tsx', '--input-type=module'];
    const { stdout } = await promisify(execFile)(process.execPath, [...given, '-e', script], {
      cwd: ROOT,
      timeout: HANG_MS,
    });
    const missing =
      'MISSING_PEER A stream of a pod over a WebSocket needs the package ws, which is not installed: npm install ws@^8.19.0';
    expect(stdout.trim().split('\n')).to.deep.equal(['hello', missing, missing]);
  });

  it('that are not awaited throw nothing into the process when they fail', async () => {
    await using cluster = await podCluster({ exec: () => new Promise<number>(() => {}) });
    await using relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server;
    await using client = await connect({ server: relay.url, token, logger: silentLogger });
    const process = await podsOf(client).spawn('web', ['cat'], { stdin: true });
    relay.cut();
    expect(await rejectionOf(process.exited)).to.include({ code: 'CONNECTION_FAILED' });
    expect(process.stdout.destroyed && process.stdin.destroyed).to.equal(true);
  });
});
