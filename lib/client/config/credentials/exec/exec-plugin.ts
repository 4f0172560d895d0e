import { isAbsolute } from 'node:path';
import { ListwatchError, type ErrorOptions } from '../../../../kernel/failure/errors.ts';
import { guardedLogger } from '../../../../kernel/report/guarded-logger.ts';
import { consoleLogger } from '../../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import { invalidOption } from '../../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import {
  EXEC_PLUGIN,
  type ExecCluster,
  type ExecEnvironment,
  type ExecPluginOptions,
} from './exec-plugin-options.ts';
import { isPath } from './find-program.ts';
import { plainText } from '../../../../kernel/text/plain-text.ts';

export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

export const GROUP = 'client.authentication.k8s.io';

const OWNER = 'execCredentials';
const API_VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const MODES: readonly string[] = ['Never', 'IfAvailable', 'Always'];

/** The configuration of a plug-in, checked. Printing it shows neither arguments nor variables. */
export class ExecPlugin {
  /** For messages, e.g. `the exec plug-in aws of user dev in /home/me/.kube/config:12`. Arguments are left out: they may be secret. */
  readonly label: string;
  readonly apiVersion: string;
  readonly command: string;
  readonly directory: string | undefined;
  readonly interactiveMode: InteractiveMode;
  readonly installHint: string;
  readonly timeoutMs: number | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  // `inspect` and `JSON.stringify` do not show private fields.
  readonly #args: readonly string[];
  readonly #variables: Readonly<Record<string, string>>;
  readonly #cluster: ExecCluster | undefined;
  readonly #environment: ExecEnvironment;

  /**
   * @throws {ListwatchError} code CONFIG_INVALID naming the source and the field; CONFIG_UNSUPPORTED for the version v1alpha1;
   * INVALID_OPTION.
   */
  constructor(options: ExecPluginOptions) {
    const { source, directory, provideClusterInfo, timeoutMs } = EXEC_PLUGIN.read(options);
    this.apiVersion = versionOf(options);
    this.command = commandOf(options);
    this.label = `the exec plug-in ${plainText(this.command, 200)} of ${plainText(source, 500)}`;
    this.directory = directory;
    this.interactiveMode = modeOf(options);
    this.installHint = plainText(options.installHint ?? '', 500);
    this.timeoutMs = timeoutMs;
    this.runtime = options.runtime ?? realRuntime;
    this.logger = guardedLogger(options.logger ?? consoleLogger);
    this.#args = argsOf(options);
    this.#variables = variablesOf(options);
    this.#environment = options.environment;
    if (provideClusterInfo === true) {
      if (options.cluster === undefined || options.cluster === null) {
        throw invalidOption(`${OWNER} with provideClusterInfo`, 'option "cluster" is required');
      }
      this.#cluster = options.cluster;
    }
  }

  get args(): readonly string[] {
    return this.#args;
  }

  /** The variables of the kubeconfig. */
  get variables(): Readonly<Record<string, string>> {
    return this.#variables;
  }

  /** Undefined unless the plug-in asks for it. */
  get cluster(): ExecCluster | undefined {
    return this.#cluster;
  }

  get environment(): ExecEnvironment {
    return this.#environment;
  }

  /** An error of a run. `problem` continues the sentence that the label begins. */
  error(problem: string, remedy: string, options?: ErrorOptions): ListwatchError {
    const message = `${this.label} ${problem}; ${remedy}`;
    return new ListwatchError('CREDENTIAL_PLUGIN', message, options);
  }
}

function versionOf({ apiVersion, source }: ExecPluginOptions): string {
  if (API_VERSIONS.includes(apiVersion)) return apiVersion;
  if (apiVersion === `${GROUP}/v1alpha1`) {
    throw new ListwatchError(
      'CONFIG_UNSUPPORTED',
      `${place(source)}: exec.apiVersion ${apiVersion} is no longer supported by Kubernetes clients; ` +
        `update the plug-in and set apiVersion to ${GROUP}/v1beta1 or ${GROUP}/v1`,
    );
  }
  throw invalid(source, 'apiVersion', apiVersion, `set it to ${API_VERSIONS.join(' or ')}`);
}

function commandOf({ command, directory, source }: ExecPluginOptions): string {
  if (typeof command !== 'string' || command.trim() === '') {
    throw invalid(source, 'command', command, 'set it to the name or the path of the program');
  }
  if (command.includes('\0')) throw withNul(source, 'command');
  if (isPath(command) && !isAbsolute(command) && directory === undefined) {
    throw new ListwatchError(
      'CONFIG_INVALID',
      `${place(source)}: exec.command ${plainText(command, 200)} is relative to the file of a kubeconfig, and there is none; ` +
        'give an absolute path, or a name that PATH has',
    );
  }
  return command;
}

function modeOf({ interactiveMode, apiVersion, source }: ExecPluginOptions): InteractiveMode {
  if (interactiveMode === undefined && apiVersion === `${GROUP}/v1beta1`) return 'IfAvailable';
  if (interactiveMode !== undefined && MODES.includes(interactiveMode)) {
    return interactiveMode as InteractiveMode;
  }
  throw invalid(source, 'interactiveMode', interactiveMode, `set it to ${MODES.join(', ')}`);
}

function argsOf({ args = [], source }: ExecPluginOptions): readonly string[] {
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw invalid(source, 'args', args, 'set it to a list of texts; put numbers in quotes');
  }
  if (args.some((arg) => arg.includes('\0'))) throw withNul(source, 'args');
  return [...args];
}

function variablesOf({ env = [], source }: ExecPluginOptions): Record<string, string> {
  const rule = 'set it to a list of {name, value}, both of them texts';
  if (!Array.isArray(env)) throw invalid(source, 'env', env, rule);
  // A null prototype, because a variable may have the name __proto__.
  const variables = Object.create(null) as Record<string, string>;
  for (const entry of env) {
    const { name, value } = (entry ?? {}) as { readonly name?: unknown; readonly value?: unknown };
    if (typeof name !== 'string' || typeof value !== 'string') {
      throw invalid(source, 'env', entry, rule);
    }
    if (name === '' || name.includes('=')) {
      throw invalid(source, 'env', entry, 'give each variable a name without "="');
    }
    if (name.includes('\0') || value.includes('\0')) throw withNul(source, 'env');
    variables[name] = value;
  }
  return variables;
}

/** Fields whose value is a fixed word; the values of the others may be secret. */
const SHOWN: readonly string[] = ['apiVersion', 'interactiveMode'];

function invalid(source: string, field: string, value: unknown, remedy: string): ListwatchError {
  let problem = 'is not valid';
  if (value === undefined || value === '') problem = 'is missing';
  else if (typeof value === 'string' && SHOWN.includes(field)) {
    problem = `${plainText(value, 60)} is not known`;
  }
  return new ListwatchError(
    'CONFIG_INVALID',
    `${place(source)}: exec.${field} ${problem}; ${remedy}`,
  );
}

function withNul(source: string, field: string): ListwatchError {
  return new ListwatchError(
    'CONFIG_INVALID',
    `${place(source)}: exec.${field} has a NUL character; remove it`,
  );
}

function place(source: string): string {
  return plainText(source, 500);
}
