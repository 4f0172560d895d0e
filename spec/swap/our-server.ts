import { mkdir } from 'node:fs/promises';
import { ServedProcess } from '../programs/served-process.ts';
import type { SwapServer } from './swap-server.ts';

export interface OurServerOptions {
  readonly etcd: string;
  /** Gets the kubeconfig. */
  readonly folder: string;
  readonly encryptionConfig: string | undefined;
}

/** `listwatch serve` over an etcd that exists, without controllers. */
export class OurServer implements SwapServer {
  readonly name = 'listwatch';
  readonly kubeconfig: string;
  readonly #process: ServedProcess;

  private constructor(process: ServedProcess) {
    this.#process = process;
    this.kubeconfig = process.kubeconfig;
  }

  static async start({ etcd, folder, encryptionConfig }: OurServerOptions): Promise<OurServer> {
    await mkdir(folder, { recursive: true });
    const encryption =
      encryptionConfig === undefined ? [] : ['--encryption-config', encryptionConfig];
    return new OurServer(
      await ServedProcess.start(folder, { flags: ['--etcd', etcd, ...encryption] }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
