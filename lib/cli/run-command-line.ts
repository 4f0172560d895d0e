import { nearName } from '../kernel/text/near-name.ts';
import { isUsageError, UsageError } from './arguments/usage-error.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, type CommandHost, type CommandRow } from './contract/command.ts';

/** Runs `listwatch` with its parameters. Resolves to the exit code. */
export async function runCommandLine(
  parameters: readonly string[],
  host: CommandHost,
  commands: readonly CommandRow[] = COMMANDS,
): Promise<number> {
  try {
    return await run(parameters, host, commands);
  } catch (error) {
    if (!isUsageError(error)) throw error;
    host.stderr.write(`listwatch: ${error.message}\n`);
    return EXIT.usage;
  }
}

async function run(
  [first = '--help', ...rest]: readonly string[],
  host: CommandHost,
  commands: readonly CommandRow[],
): Promise<number> {
  switch (first) {
    case '--help':
    case '-h':
    case 'help':
      host.stdout.write(await helpOf(rest[0], commands));
      return EXIT.ok;
    case '--version':
      host.stdout.write(`${host.version}\n`);
      return EXIT.ok;
    default: {
      const command = await commandOf(first, commands).load();
      // Arguments after -- are for another program.
      const own = rest.slice(0, [...rest, '--'].indexOf('--'));
      if (!own.some((one) => one === '--help' || one === '-h')) {
        return await command.run(rest, host);
      }
      host.stdout.write(command.help);
      return EXIT.ok;
    }
  }
}

async function helpOf(name: string | undefined, commands: readonly CommandRow[]): Promise<string> {
  if (name === undefined) return generalHelp(commands);
  return (await commandOf(name, commands).load()).help;
}

function commandOf(name: string, commands: readonly CommandRow[]): CommandRow {
  const found = commands.find((one) => one.name === name);
  if (found !== undefined) return found;
  const isOption = name.startsWith('-');
  const known = isOption ? ['--help', '--version'] : [...commands.map((one) => one.name), 'help'];
  const meant = nearName(name, known);
  const what = isOption ? 'option' : 'command';
  const remedy = meant === undefined ? 'see listwatch --help' : `did you mean ${meant}?`;
  throw new UsageError(`unknown ${what} ${JSON.stringify(name)}; ${remedy}`);
}

function generalHelp(commands: readonly CommandRow[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `listwatch: informers, controllers and an API server for Kubernetes.

Usage: listwatch COMMAND [options]

Commands:
${rows.join('\n')}

Options:
  -h, --help   this text; "listwatch help COMMAND" for the options of a command
  --version    the version of the package

Examples:
  npx listwatch doctor
  npx listwatch doctor --context prod --resource deployments.apps
  npx listwatch serve
`;
}
