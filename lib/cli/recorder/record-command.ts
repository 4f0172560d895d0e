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
import { UsageError } from '../arguments/usage-error.ts';
import type { Command, CommandHost } from '../contract/command.ts';
import {
  COLLECTION_OPTIONS,
  collectionsOf,
  exitCodeOf,
  maskOf,
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
    help: 'a new file; otherwise RESOURCE.listwatch, of several recording.listwatch',
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

const HELP = `listwatch record: writes down what lists and watches of resources bring, for listwatch replay.

Usage: listwatch record RESOURCE... [options]

RESOURCE is what kubectl takes: pods, deploy, widgets.example.com. --namespace counts for those that have namespaces. The file has the objects, each change, each failure, and when. It is for its
owner alone, and values of Secrets are masked. docs/guides/incidents.md makes a spec of it.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch record pods -n shop --out pods.listwatch --for 10m
  npx listwatch record pods nodes events -n shop --out incident.listwatch
  npx listwatch record deployments --keep 5m --mask spec.template.spec.containers.env.value

Exit code: 0 when it has ended by time or interruption, 1 when it could not be written or reached its bound, 2 for wrong arguments.
`;

const MINUTE_MS = 60_000;

export function recordCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = parseArguments(parameters, OPTIONS);
      const [first, ...others] = given.positionals;
      if (first === undefined) throw new UsageError('name a resource, e.g. pods');
      return await exitCodeOf(host, () => recordResources([first, ...others], given, host));
    },
  };
}

async function recordResources(
  resources: readonly [string, ...string[]],
  given: Arguments,
  host: CommandHost,
): Promise<void> {
  const [time, keep] = ['for', 'keep'].map((name) => {
    const text = valueOf(given, name);
    return text === undefined ? undefined : parseDuration(name, text);
  });
  const isOne = resources.length === 1;
  const name = isOne ? resources[0].replaceAll(/[^a-z\d.-]/gi, '-') : 'recording';
  const file = valueOf(given, 'out') ?? `${name}.listwatch`;
  const maxBytes = wholeNumberOf(given, 'max-bytes');
  const mask = maskOf(given);
  const { runtime, signal } = host;
  const { client, informer, all, informers } = await collectionsOf(resources, given, {
    ...host,
    signal: never(),
  });
  try {
    const identity = await identify(client, { signal });
    await using recording = await record(isOne ? informer : client, file, {
      identity,
      mask,
      keepMinutes: keep === undefined ? undefined : keep / MINUTE_MS,
      maxBytes,
    });
    informers.start();
    for (const one of all) await one.whenSynced({ signal });
    const names = all.map((one) => `${one.name}, ${one.indexer.size} objects`).join('; ');
    host.stderr.write(`recording ${names}, to ${file}\n`);
    // An interruption is the usual end.
    await sleep(runtime, time ?? LONGEST_MS, { signal }).catch(() => {});
    if (keep !== undefined) await recording.dump();
    const kept = recording.inspect();
    await informers.close();
    await recording.close();
    const { records, bytes } = recording.inspect();
    thrownIfFailed(recording.failure);
    const text =
      keep === undefined
        ? `${records} records, ${bytes} bytes`
        : `the last ${kept.records} records`;
    host.stdout.write(`${file}: ${text}\n`);
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
