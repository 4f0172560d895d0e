import { join } from 'node:path';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { CommandHost } from '../../../lib/cli/contract/command.ts';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { until, within } from '../../support/until.ts';
import { capturedHost, type CapturedHost } from './captured-host.ts';

/** The ready line with `--json`. */
export interface Ready {
  readonly ready: boolean;
  readonly address: string;
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  readonly kubectl: string;
}

/** One run of `listwatch serve` in this process. */
export class ServeRun implements AsyncDisposable {
  readonly host: CapturedHost;
  readonly #interruption = new AbortController();
  readonly #code: Promise<number>;
  #ended = false;

  constructor(homeDir: string, parameters: readonly string[], host: Partial<CommandHost> = {}) {
    const { signal } = this.#interruption;
    this.host = capturedHost({ homeDir, signal, ...host });
    this.#code = runCommandLine(['serve', ...parameters], this.host).finally(() => {
      this.#ended = true;
    });
  }

  /** Resolves to the ready line. Rejects when the command ends before. */
  async ready(): Promise<string> {
    await until('the ready line', () => this.#ended || this.host.stdout.text !== '');
    if (this.host.stdout.text === '') {
      throw new Error(`ended with ${await this.#code}: ${this.host.stderr.text}`);
    }
    return this.host.stdout.text;
  }

  async readyDocument(): Promise<Ready> {
    return JSON.parse(await this.ready()) as Ready;
  }

  /** A client by the kubeconfig. */
  async client(): ReturnType<typeof connect> {
    const { kubeconfig } = await this.readyDocument();
    return await connect({ kubeconfig });
  }

  interrupt(): void {
    this.#interruption.abort(new Error('interrupted'));
  }

  /** Resolves to the exit code. */
  async ended(): Promise<number> {
    return await within(this.#code, 'the end of listwatch serve');
  }

  async stop(): Promise<number> {
    this.interrupt();
    return await this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** A home directory with files, in which the command runs. */
export class ServeFixture implements AsyncDisposable {
  readonly #directory: ScratchDirectory;

  private constructor(directory: ScratchDirectory) {
    this.#directory = directory;
  }

  static async make(): Promise<ServeFixture> {
    return new ServeFixture(await ScratchDirectory.make());
  }

  path(name: string = ''): string {
    return name === '' ? this.#directory.path : join(this.#directory.path, name);
  }

  /** Writes a file and returns its path. */
  async write(name: string, text: string): Promise<string> {
    return await this.#directory.write(name, text);
  }

  async has(name: string): Promise<boolean> {
    return await this.#directory.has(name);
  }

  async read(name: string): Promise<string> {
    return await this.#directory.read(name);
  }

  /** Starts on a free port, with the ready line as JSON. */
  serve(parameters: readonly string[] = [], host: Partial<CommandHost> = {}): ServeRun {
    return new ServeRun(this.path(), ['--port', '0', '--json', ...parameters], host);
  }

  /** A run that ends by itself: its exit code and its line on standard error. */
  async failure(...parameters: string[]): Promise<{ readonly code: number; readonly err: string }> {
    await using run = new ServeRun(this.path(), ['--port', '0', ...parameters]);
    const code = await run.ended();
    return { code, err: run.host.stderr.text.replaceAll(this.path(), '~') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }
}
