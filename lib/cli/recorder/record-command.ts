import { sleep } from '../../kernel/time/wait.ts';
import { identify } from '../../recorder/identify.ts';
import { record } from '../../recorder/source-recording.ts';
import {
  optionsHelp,
  parseArguments,
  type Arguments,
  type OptionTable,
} from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import type { Command, CommandHost } from '../contract/command.ts';
import {
  COLLECTION_OPTIONS,
  collectionOf,
  exitCodeOf,
  maskOf,
  onePositional,
  thrownIfFailed,
  valueOf,
  wholeNumberOf,
} from './followed-collection.ts';

const OPTIONS: OptionTable = {
  ...COLLECTION_OPTIONS,
  out: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    help: 'a new file; otherwise RESOURCE.listwatch',
  },
  for: {
    type: 'string',
    value: 'TIME',
    help: 'ends after this time, e.g. 10m; otherwise when interrupted',
  },
  keep: {
    type: 'string',
    value: 'TIME',
    help: 'keeps only the last minutes, and writes them at the end',
  },
  'max-bytes': {
    type: 'string',
    value: 'N',
    help: 'the most bytes of the file; otherwise 268435456',
  },
};

const HELP = `listwatch record: writes down what a list and a watch of a resource bring, for listwatch replay.

Usage: listwatch record RESOURCE [options]

RESOURCE is what kubectl takes: pods, deploy, widgets.example.com. The file has the objects, each change, each failure, and when. It is for its
owner alone, and values of Secrets are masked. docs/guides/incidents.md makes a spec of it.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch record pods -n shop --out pods.listwatch --for 10m
  npx listwatch record deployments --keep 5m --mask spec.template.spec.containers.env.value

Exit code: 0 when it has ended by time or interruption, 1 when it could not be written or reached its bound, 2 for wrong arguments.
`;

const MINUTE_MS = 60_000;

export function recordCommand(): Command {
  return {
    help: HELP,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = parseArguments(parameters, OPTIONS);
      const resource = onePositional(given, 'a resource, e.g. pods');
      return await exitCodeOf(host, () => recordResource(resource, given, host));
    },
  };
}

async function recordResource(
  resource: string,
  given: Arguments,
  host: CommandHost,
): Promise<void> {
  const [time, keep] = ['for', 'keep'].map((name) => {
    const text = valueOf(given, name);
    return text === undefined ? undefined : parseDuration(name, text);
  });
  const file = valueOf(given, 'out') ?? `${resource.replaceAll(/[^a-z\d.-]/gi, '-')}.listwatch`;
  const maxBytes = wholeNumberOf(given, 'max-bytes');
  const { runtime, signal } = host;
  const { client, informer, informers } = await collectionOf(resource, given, {
    ...host,
    signal: never(),
  });
  try {
    const identity = await identify(client, { signal });
    await using recording = await record(informer, file, {
      identity,
      mask: maskOf(given),
      keepMinutes: keep === undefined ? undefined : keep / MINUTE_MS,
      maxBytes,
    });
    informers.start();
    await informer.whenSynced({ signal });
    host.stderr.write(`recording ${informer.name}, ${informer.indexer.size} objects, to ${file}\n`);
    // An interruption is the usual end.
    await sleep(runtime, time ?? LONGEST_MS, { signal }).catch(() => {});
    if (keep !== undefined) await recording.dump();
    await informers.close();
    await recording.close();
    const { records, bytes } = recording.inspect();
    thrownIfFailed(recording.failure);
    host.stdout.write(`${file}: ${records} records, ${bytes} bytes\n`);
  } finally {
    await informers.close();
    await client.close();
  }
}

/** A timer takes no longer time. */
const LONGEST_MS = 2 ** 31 - 1;

/** The informer runs on when the user interrupts, until the recording is written. */
function never(): AbortSignal {
  return new AbortController().signal;
}
