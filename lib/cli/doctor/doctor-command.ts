import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { realNetwork } from './connection/real-network.ts';
import { Style } from '../terminal/style.ts';
import type { DoctorOptions } from './contract/doctor-options.ts';
import { Findings } from './contract/findings.ts';
import type { Network } from './contract/network.ts';
import type { Step, StepResult } from './contract/step.ts';
import { reportDocument, ReportLines } from './report-lines.ts';
import { runSteps, type Progress } from './run-steps.ts';
import { addressStep, tcpStep } from './connection/address-step.ts';
import { configurationStep } from './connection/configuration-step.ts';
import { credentialsStep } from './connection/credentials-step.ts';
import { proxyStep } from './connection/proxy-step.ts';
import { tlsStep } from './connection/tls-step.ts';
import { authenticationStep } from './requests/authentication-step.ts';
import { clockStep } from './requests/clock-step.ts';
import { discoveryStep } from './requests/discovery-step.ts';
import { featuresStep, latencyStep, versionStep } from './requests/version-step.ts';
import { listResourceStep } from './requests/list-resource-step.ts';
import { permissionStep } from './requests/permission-step.ts';
import { watchResourceStep } from './requests/watch-resource-step.ts';

/** The steps in the order in which they run; three for each resource. */
export function doctorSteps(resources: readonly string[]): readonly Step[] {
  const [first] = resources;
  return [
    configurationStep,
    credentialsStep,
    proxyStep,
    addressStep,
    tcpStep,
    tlsStep,
    versionStep,
    clockStep,
    authenticationStep,
    latencyStep,
    discoveryStep,
    ...resources.flatMap((name) => [
      permissionStep(name),
      listResourceStep(name),
      watchResourceStep(name),
    ]),
    ...(first === undefined ? [] : [featuresStep(first)]),
  ];
}

const OPTIONS: OptionTable = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'the kubeconfig; otherwise as kubectl finds it',
  },
  context: { type: 'string', value: 'NAME', help: 'the context; otherwise its current-context' },
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAME',
    help: 'the namespace of the resources; otherwise all namespaces',
  },
  server: { type: 'string', value: 'URL', help: 'an address, without a kubeconfig' },
  resource: {
    type: 'string',
    short: 'r',
    multiple: true,
    value: 'NAME',
    help: 'what your program reads, e.g. pods, deployments.apps; several times; otherwise pods',
  },
  timeout: { type: 'string', value: 'TIME', help: 'the longest time of one step; otherwise 30s' },
  json: { type: 'boolean', help: 'one JSON document instead of lines' },
  verbose: { type: 'boolean', short: 'v', help: 'also prints what each step has measured' },
};

const HELP = `listwatch doctor: checks a configuration end to end, one line a step, with the remedy for each that fails.

Usage: listwatch doctor [options]

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch doctor
  npx listwatch doctor --context prod --namespace shop --resource deployments.apps --resource pods
  npx listwatch doctor --json | jq '.steps[] | select(.status == "failed")'

Exit code: 0 when no step failed, 1 when one did, 2 for wrong arguments, 130 when interrupted.
`;

const DEFAULT_TIMEOUT_MS = 30_000;

/** Makes the command; specs give a network of their own. */
export function doctorCommand(network: Network = realNetwork): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const { options, json, verbose } = readOptions(parameters);
      return await examine({ options, json, verbose, host, network });
    },
  };
}

interface Examination {
  readonly options: DoctorOptions;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly host: CommandHost;
  readonly network: Network;
}

async function examine({ options, json, verbose, host, network }: Examination): Promise<number> {
  const { stdout, env, homeDir, runtime, signal, version } = host;
  const steps = doctorSteps(options.resources);
  const style = new Style(stdout, env);
  const lines = new ReportLines({ output: stdout, style, steps, verbose });
  const findings = new Findings();
  const userAgent = `listwatch-doctor/${version}`;
  const context = { options, env, homeDir, runtime, userAgent, network, findings, signal };
  let results: readonly StepResult[];
  try {
    results = await runSteps(steps, context, json ? SILENT : lines);
  } finally {
    await findings.requests?.close();
  }
  const interrupted = signal.aborted;
  if (json) {
    const document = reportDocument(results, { version, interrupted });
    stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    lines.summary(results, interrupted);
  }
  if (interrupted) return EXIT.interrupted;
  return results.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.ok;
}

const SILENT: Progress = { began: () => {}, ended: () => {} };

function readOptions(parameters: readonly string[]): Omit<Examination, 'host' | 'network'> {
  const { options, positionals } = parseArguments(parameters, OPTIONS);
  const [extra] = positionals;
  if (extra !== undefined) {
    throw new UsageError(
      `doctor takes options only, not ${JSON.stringify(extra)}; name resources with --resource ${extra}`,
    );
  }
  const text = (name: string): string | undefined => options.get(name)?.[0];
  const [server, kubeconfig, context, timeout] = ['server', 'kubeconfig', 'context', 'timeout'].map(
    text,
  );
  if (server !== undefined && (kubeconfig !== undefined || context !== undefined)) {
    throw new UsageError('--server excludes --kubeconfig and --context; give one or the other');
  }
  return {
    json: options.has('json'),
    verbose: options.has('verbose'),
    options: {
      kubeconfig,
      context,
      namespace: text('namespace'),
      server,
      resources: [...new Set(options.get('resource') ?? ['pods'])],
      timeoutMs: timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration('--timeout', timeout),
    },
  };
}
