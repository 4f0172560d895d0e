import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../lib/client/rest/connect.ts';
import type { SwapServer } from './swap-server.ts';

const READY_LIMIT_MS = 120_000;

export interface RealServerOptions {
  readonly binary: string;
  readonly etcd: string;
  /** Gets keys, the kubeconfig and the log. */
  readonly folder: string;
  readonly encryptionConfig: string | undefined;
}

/** A kube-apiserver as a process of its own, over an etcd that exists; it has no controllers beside it. */
export class RealServer implements SwapServer {
  readonly name = 'kube-apiserver';
  readonly kubeconfig: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, kubeconfig: string) {
    this.#child = child;
    this.kubeconfig = kubeconfig;
  }

  static async start(options: RealServerOptions): Promise<RealServer> {
    const { binary, etcd, folder, encryptionConfig } = options;
    await mkdir(folder, { recursive: true });
    const at = (name: string): string => join(folder, name);
    const token = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(at('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(at('tokens.csv'), `${token},admin,admin,"system:masters"\n`);
    const port = await freePort();
    const encryption =
      encryptionConfig === undefined ? [] : ['--encryption-provider-config', encryptionConfig];
    const flags = [
      '--etcd-servers',
      etcd,
      '--bind-address',
      '127.0.0.1',
      '--secure-port',
      String(port),
      '--advertise-address',
      '192.0.2.1',
      '--endpoint-reconciler-type',
      'none',
      '--service-cluster-ip-range',
      '10.96.0.0/12',
      '--cert-dir',
      folder,
      '--service-account-issuer',
      'https://kubernetes.default.svc',
      '--service-account-key-file',
      at('accounts.key'),
      '--service-account-signing-key-file',
      at('accounts.key'),
      '--token-auth-file',
      at('tokens.csv'),
      '--authorization-mode',
      'RBAC',
      '--disable-admission-plugins',
      'ServiceAccount',
      ...encryption,
    ];
    const child = spawn(binary, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(at('log'));
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    await writeFile(at('kubeconfig'), kubeconfigOf(port, token));
    const server = new RealServer(child, at('kubeconfig'));
    try {
      await server.#ready();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      const lines = (await readFile(at('log'), 'utf8')).trim().split('\n').slice(-5);
      throw new Error(`kube-apiserver did not become ready:\n${lines.join('\n')}`, {
        cause: error,
      });
    }
    return server;
  }

  async #ready(): Promise<void> {
    await using client = await connect({ kubeconfig: this.kubeconfig });
    const endMs = performance.now() + READY_LIMIT_MS;
    for (;;) {
      try {
        await client.resource('rbac.authorization.k8s.io/v1', 'clusterroles').get('cluster-admin');
        return;
      } catch (error) {
        if (this.#child.exitCode !== null || performance.now() > endMs) throw error;
        await sleep(200);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function kubeconfigOf(port: number, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'real',
    clusters: [
      {
        name: 'real',
        cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
