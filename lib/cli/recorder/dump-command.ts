import {
  optionsHelp,
  parseArguments,
  type Arguments,
  type OptionTable,
} from '../arguments/parse-arguments.ts';
import { nodeFiles, replaceFile } from '../../recorder/files/private-file.ts';
import type { Command, CommandHost } from '../contract/command.ts';
import {
  COLLECTION_OPTIONS,
  collectionsOf,
  exitCodeOf,
  maskOf,
  onePositional,
  valueOf,
} from './followed-collection.ts';

const OPTIONS: OptionTable = {
  ...COLLECTION_OPTIONS,
  out: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    help: 'for its owner alone; otherwise standard output',
  },
};

const HELP = `listwatch dump: prints the cache that an informer of a resource has, as lines of JSON.

Usage: listwatch dump RESOURCE [options]

The first line is about the informer, then comes an object a line, and the last line is {"end":true,…}. Values of Secrets are masked.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch dump pods -n shop
  npx listwatch dump secrets --out secrets.jsonl

Exit code: 0 when all is written, 1 for a failure, 2 for wrong arguments, 130 when interrupted.
`;

export function dumpCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = parseArguments(parameters, OPTIONS);
      const resource = onePositional(given, 'a resource, e.g. pods');
      return await exitCodeOf(host, () => dumpResource(resource, given, host));
    },
  };
}

async function dumpResource(resource: string, given: Arguments, host: CommandHost): Promise<void> {
  const { runtime, signal, stdout } = host;
  const mask = maskOf(given);
  const { client, informer, informers } = await collectionsOf([resource], given, host);
  try {
    informers.start();
    await informer.whenSynced({ signal });
    const chunks = informer.dump({ mask, signal });
    const file = valueOf(given, 'out');
    if (file === undefined) for await (const chunk of chunks) stdout.write(chunk);
    else
      await replaceFile(file, bytesOf(chunks), {
        files: nodeFiles,
        runtime,
        code: 'RECORDING_FILE',
      });
  } finally {
    await informers.close();
    await client.close();
  }
}

async function* bytesOf(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
