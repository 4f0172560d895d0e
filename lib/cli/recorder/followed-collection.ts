import { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { logLine } from '../../kernel/report/log-line.ts';
import type { LogFields, Logger } from '../../kernel/report/logger.ts';
import type { MaskChoice } from '../../meta/masking/object-mask.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { Arguments, OptionTable } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type CommandHost } from '../contract/command.ts';
import { shownText } from '../terminal/shown-text.ts';

/** The options that name a collection of a server. */
export const COLLECTION_OPTIONS: OptionTable = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'otherwise as kubectl finds it' },
  context: {
    type: 'string',
    value: 'NAME',
    help: 'of the kubeconfig; otherwise its current-context',
  },
  namespace: { type: 'string', short: 'n', value: 'NAME', help: 'otherwise all namespaces' },
  selector: { type: 'string', short: 'l', value: 'TEXT', help: 'a label selector' },
  'field-selector': { type: 'string', value: 'TEXT', help: 'a field selector' },
  mask: {
    type: 'string',
    value: 'WHAT',
    help: 'secrets (the default), nothing, or fields to mask too, e.g. spec.containers.env.value,data',
  },
};

const LONGEST_MESSAGE = 2000;

/** Collections that are followed, until `close`. */
export interface FollowedCollections {
  readonly client: Client;
  /** The first of them. */
  readonly informer: SharedIndexInformer<UnstructuredObject>;
  readonly all: readonly SharedIndexInformer<UnstructuredObject>[];
  readonly informers: SharedInformerFactory;
}

/** The only value of an option. */
export function valueOf({ options }: Arguments, name: string): string | undefined {
  return options.get(name)?.[0];
}

/** Words for which no object has a field, and after which values would be shown that were to be masked. */
const NO_FIELDS = new Set(['all', 'everything', 'none', 'secret', 'true', 'false', '*']);

/** @throws {UsageError} for a word that is meant otherwise than a field. */
export function maskOf(given: Arguments): MaskChoice {
  const text = valueOf(given, 'mask') ?? 'secrets';
  if (text === 'secrets' || text === 'nothing') return text;
  const fields = text.split(',');
  const word = fields.find((field) => NO_FIELDS.has(field.trim().toLowerCase()));
  if (word === undefined) return fields;
  throw new UsageError(
    `--mask takes secrets, nothing, or fields of objects such as spec.containers.env.value,data; ${JSON.stringify(word)} is none of them`,
  );
}

/** Makes informers of the resources that a person names, as kubectl takes them; they do not run yet. */
export async function collectionsOf(
  resources: readonly [string, ...string[]],
  given: Arguments,
  { env, homeDir, runtime, signal, stderr }: CommandHost,
): Promise<FollowedCollections> {
  // Loaded here: help needs no client.
  const { connect } = await import('../../client/rest/connect.ts');
  const warn = (message: string, fields?: LogFields): void => {
    stderr.write(`listwatch: ${shownText(logLine(message, fields).line, LONGEST_MESSAGE)}\n`);
  };
  const logger: Logger = { debug: () => {}, info: () => {}, warn, error: warn };
  const [kubeconfig, context] = [valueOf(given, 'kubeconfig'), valueOf(given, 'context')];
  const client = await connect({ kubeconfig, context, env, homeDir, runtime, logger });
  try {
    const found = await Promise.all(
      resources.map(async (resource) => await client.discovery.named(resource, { signal })),
    );
    const namespace = valueOf(given, 'namespace');
    if (namespace !== undefined && !found.some(({ namespaced }) => namespaced)) {
      const names = found.map(({ resource }) => resource).join(' and ');
      throw new UsageError(`${names} have no namespaces; leave --namespace out`);
    }
    const informers = new SharedInformerFactory(client, { runtime, logger, signal });
    const [informer, ...others] = found.map(({ apiVersion, resource, namespaced }) =>
      informers.for<UnstructuredObject>(apiVersion, resource as never, {
        namespace: namespaced ? namespace : undefined,
        labelSelector: valueOf(given, 'selector'),
        fieldSelector: valueOf(given, 'field-selector'),
        missingResource: 'fail',
      }),
    ) as [SharedIndexInformer<UnstructuredObject>];
    return { client, informer, all: [informer, ...others], informers };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Runs a command to its exit code; a failure is one line. */
export async function exitCodeOf(host: CommandHost, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (host.signal.aborted) return EXIT.interrupted;
    const code = isListwatchError(error) ? ` (${error.code})` : '';
    host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
    return EXIT.failed;
  }
}

export function onePositional({ positionals }: Arguments, what: string): string {
  const [first, extra] = positionals;
  if (first !== undefined && extra === undefined) return first;
  throw new UsageError(`name ${what}, once`);
}

export function wholeNumberOf(given: Arguments, name: string): number | undefined {
  const text = valueOf(given, name);
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a whole number, not ${JSON.stringify(text)}`);
}

/** Why a recording has ended, as an error. */
export function thrownIfFailed(failure: unknown): void {
  if (failure === undefined) return;
  throw failure instanceof Error ? failure : new ListwatchError('ASSERTION', errorMessage(failure));
}
