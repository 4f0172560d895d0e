import { mkdir } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { runCommandLine } from '../../../../lib/cli/run-command-line.ts';
import { ScratchDirectory } from '../../../client/support/scratch-directory.ts';
import { until, within } from '../../../support/until.ts';
import { capturedHost, type CapturedHost } from '../../support/captured-host.ts';

/** A command in this process, which ends when it is interrupted. */
export class Run implements AsyncDisposable {
  readonly host: CapturedHost;
  readonly #interruption = new AbortController();
  readonly #code: Promise<number>;
  ended = false;

  constructor(homeDir: string, parameters: readonly string[]) {
    this.host = capturedHost({ homeDir, signal: this.#interruption.signal });
    this.#code = runCommandLine(parameters, this.host).finally(() => {
      this.ended = true;
    });
  }

  async code(): Promise<number> {
    return await within(this.#code, 'the end of the command');
  }

  async stop(): Promise<number> {
    this.#interruption.abort(new Error('interrupted'));
    return await this.code();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The work of envtest around its two programs: directories, free ports, flags, and the wait for an answer. */
export class EnvtestFixture implements AsyncDisposable {
  readonly dir: ScratchDirectory;
  readonly etcdPort: number;
  readonly port: number;

  private constructor(dir: ScratchDirectory, etcdPort: number, port: number) {
    this.dir = dir;
    this.etcdPort = etcdPort;
    this.port = port;
  }

  static async make(): Promise<EnvtestFixture> {
    const dir = await ScratchDirectory.make();
    await mkdir(`${dir.path}/certs`);
    return new EnvtestFixture(dir, await freePort(), await freePort());
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** @see controller-runtime pkg/internal/testing/controlplane/etcd.go defaultArgs @ v0.25.2 */
  etcdFlags(): string[] {
    const url = `http://127.0.0.1:${this.etcdPort}`;
    return [
      `--advertise-client-urls=${url}`,
      `--data-dir=${this.dir.path}/etcd`,
      `--listen-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:1',
      '--unsafe-no-fsync=true',
    ];
  }

  /** @see controller-runtime pkg/internal/testing/controlplane/apiserver.go defaultArgs @ v0.25.2 */
  apiServerFlags(): string[] {
    const certs = `${this.dir.path}/certs`;
    return [
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${certs}`,
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=http://127.0.0.1:${this.etcdPort}`,
      `--secure-port=${this.port}`,
      `--service-account-issuer=${this.url}/`,
      `--service-account-key-file=${certs}/sa-signer.crt`,
      `--service-account-signing-key-file=${certs}/sa-signer.key`,
      '--service-cluster-ip-range=10.0.0.0/24',
    ];
  }

  run(...parameters: string[]): Run {
    return new Run(this.dir.path, parameters);
  }

  /** Runs `etcd` until it answers. */
  async etcd(): Promise<Run> {
    const run = this.run('envtest-etcd', ...this.etcdFlags());
    await until('etcd', () => run.ended || run.host.stderr.text !== '');
    return run;
  }

  /**
   * Runs `kube-apiserver` until /healthz has 200, as envtest does: without credentials, and without a look at the certificate. The command
   * is ready a little later: stopped before, its exit code is that of an interrupted start.
   */
  async apiServer(...more: string[]): Promise<Run> {
    const run = this.run(
      'envtest-apiserver',
      ...this.apiServerFlags().filter((flag) => !given(flag, more)),
      ...more,
    );
    await until('/healthz', async () => run.ended || (await this.status('/healthz')) === 200);
    await until('the ready line', () => run.ended || run.host.stdout.text !== '');
    if (run.ended) throw new Error(`ended with ${await run.code()}: ${run.host.stderr.text}`);
    return run;
  }

  /** The status of a request without credentials; 0 when there is no server. */
  async status(path: string): Promise<number> {
    return await new Promise((done) => {
      const options = { rejectUnauthorized: false, agent: false };
      get(`${this.url}${path}`, options, (response) => {
        response.resume();
        response.on('end', () => {
          done(response.statusCode ?? 0);
        });
      }).on('error', () => {
        done(0);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dir[Symbol.asyncDispose]();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether a later flag takes the place of one of envtest. */
function given(flag: string, more: readonly string[]): boolean {
  const name = flag.slice(0, flag.indexOf('=') + 1);
  return more.some((one) => one.startsWith(name));
}
