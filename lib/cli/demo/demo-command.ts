import { connect } from '../../client/rest/connect.ts';
import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { serveInspector } from '../../inspector/serve-inspector.ts';
import { ApiServer } from '../../cluster/server/api-server.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { shownText } from '../terminal/shown-text.ts';
import { DemoWork } from './demo-work.ts';

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
