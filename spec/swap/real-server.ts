import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startRealApiServer } from '../../lib/testing/real-server/real-api-server.ts';
import type { RunningApiServer } from '../../lib/testing/real-server/running-api-server.ts';
import type { SwapServer } from './swap-server.ts';

export interface RealServerOptions {
  /** The directory with kube-apiserver. */
  readonly binaries: string;
  readonly etcd: string;
  /** Gets keys, the kubeconfig and the log. */
  readonly folder: string;
  readonly encryptionConfig: string | undefined;
}

/** A kube-apiserver as a process of its own, over an etcd that exists; it has no controllers beside it. */
export class RealServer implements SwapServer {
  readonly name = 'kube-apiserver';
  readonly kubeconfig: string;
  readonly #server: RunningApiServer;

  private constructor(server: RunningApiServer, kubeconfig: string) {
    this.#server = server;
    this.kubeconfig = kubeconfig;
  }

  static async start(options: RealServerOptions): Promise<RealServer> {
    const { binaries, etcd, folder, encryptionConfig } = options;
    await mkdir(folder, { recursive: true });
    const flags = [
      // With an authority of clients, it keeps a ConfigMap about it.
      '--client-ca-file=',
      ...(encryptionConfig === undefined
        ? []
        : [`--encryption-provider-config=${encryptionConfig}`]),
    ];
    const server = await startRealApiServer({ binaries, etcdServers: [etcd], folder, flags });
    const kubeconfig = join(folder, 'kubeconfig');
    await server.writeKubeconfig(kubeconfig);
    return new RealServer(server, kubeconfig);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }
}
