import { connect } from '../../client/rest/connect.ts';
import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { serveInspector } from '../../inspector/serve-inspector.ts';
import { ApiServer } from '../../cluster/server/api-server.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { shownText } from '../terminal/shown-text.ts';
import { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../client/rest/client.ts';
import { controller } from '../../controller/builder/controller-builder.ts';
import type { Controller } from '../../controller/builder/controller.ts';
import { silentLogger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { ConfigMap } from '../../types/built-in/core-v1-kinds.ts';

const PAGES = 40;
const NAMESPACE = 'demo';
/** Between two changes. */
const PACE_MS = 400;
const LONGEST_RUN_MS = 300;

interface DemoWorkOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** A small program to look at: a controller of config maps, and somebody who changes them. One of them always fails. */
class DemoWork implements AsyncDisposable {
  readonly pages: Controller<ConfigMap>;
  readonly #options: DemoWorkOptions;
  readonly #informers: SharedInformerFactory;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: DemoWorkOptions) {
    const { client, runtime } = options;
    this.#options = options;
    const common = { runtime, logger: silentLogger, namespace: NAMESPACE };
    this.#informers = new SharedInformerFactory(client, common);
    const informers = this.#informers;
    this.pages = controller(client, 'v1', 'configmaps', {
      ...common,
      informers,
      everyUpdate: true,
    }).reconcile(async ({ metadata, data }, { signal }) => {
      await sleep(runtime, runtime.random() * LONGEST_RUN_MS, { signal });
      if (data?.['title'] === '') throw new Error(`the page ${metadata.name} has no title`);
    });
  }

  /** Resolves when the controller works; the changes go on until the signal aborts. */
  async start(): Promise<void> {
    const { client, signal } = this.#options;
    const metadata = { name: NAMESPACE };
    await client
      .resource('v1', 'namespaces')
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const maps = client.resource('v1', 'configmaps', { namespace: NAMESPACE, signal });
    for (let number = 0; number < PAGES; number += 1) {
      const name = `page-${number}`;
      const data = { title: number === 7 ? '' : `Page ${number}`, visits: '0' };
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    }
    this.#running = this.pages.run({ signal });
    // The command reports the failure of the controller by its end.
    this.#running.catch(() => {});
    await this.pages.whenReady({ signal });
    this.#running = Promise.allSettled([this.#running, this.#change()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pages.close();
    await this.#running;
    await this.#informers.close();
  }

  async #change(): Promise<void> {
    const { client, signal, runtime } = this.#options;
    const maps = client.resource('v1', 'configmaps', { namespace: NAMESPACE, signal });
    for (let visits = 1; !signal.aborted; visits += 1) {
      await sleep(runtime, PACE_MS, { signal });
      const name = `page-${Math.floor(runtime.random() * PAGES)}`;
      await maps.patch(name, { data: { visits: String(visits) } });
    }
  }
}

const OPTIONS: OptionTable = {
  port: { type: 'string', value: 'N', help: 'the port of the page; otherwise a free one' },
};

const HELP = `listwatch demo: a controller on an API server in this process, some changes a second, and a live page of both.

Usage: listwatch demo [options]

It prints the address of the page, for this machine only, and runs until Ctrl-C.

Options:
${optionsHelp(OPTIONS)}

Example:
  npx listwatch demo

Exit code: 0 after Ctrl-C, 1 for a failure, 2 for wrong arguments, 130 when interrupted before the page is there.
`;

const LONGEST_MESSAGE = 2000;

export function demoCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const { options, positionals } = parseArguments(parameters, OPTIONS);
      if (positionals[0] !== undefined) {
        throw new UsageError(`demo takes options only, not ${JSON.stringify(positionals[0])}`);
      }
      return await runDemo(portOf(options.get('port')?.[0]), host);
    },
  };
}

async function runDemo(port: number, host: CommandHost): Promise<number> {
  const { signal, runtime } = host;
  let ready = false;
  try {
    await using server = new ApiServer({ runtime });
    await server.listen();
    await using client = await connect({ ...server.clientConfig(), runtime });
    await using work = new DemoWork({ client, runtime, signal });
    await work.start();
    const title = 'listwatch demo';
    const controllers = work.pages;
    await using page = await serveInspector({ controllers, client, server, port, title, runtime });
    ready = true;
    host.stdout.write(`open ${page.url}\n`);
    await aborted(signal);
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted) return ready ? EXIT.ok : EXIT.interrupted;
    const code = isListwatchError(error) ? ` (${error.code})` : '';
    host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
    return EXIT.failed;
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535, not ${shownText(text, 40)}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}
