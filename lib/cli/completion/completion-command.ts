import { parseArguments } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandRow } from '../contract/command.ts';
import { bashScript } from './bash-script.ts';
import type { CompletedCommand } from './completed-command.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const HELP = `listwatch completion: prints the completion of commands and options for a shell.

Usage: listwatch completion bash|zsh|fish

Examples:
  eval "$(listwatch completion bash)"
  listwatch completion zsh > "\${fpath[1]}/_listwatch"
  listwatch completion fish > ~/.config/fish/completions/listwatch.fish
`;

/** Makes the command. `commands` is called when it runs: the table has this command too. */
export function completionCommand(commands: () => readonly CommandRow[]): Command {
  return {
    help: HELP,
    options: {},
    words: Object.keys(SHELLS),
    async run(parameters, { stdout }) {
      const { positionals } = parseArguments(parameters, {});
      const [shell = '', extra] = positionals;
      if (!isShell(shell) || extra !== undefined) {
        const given = shell === '' ? 'none' : JSON.stringify(extra ?? shell);
        throw new UsageError(
          `completion takes the name of one shell, bash, zsh or fish, not ${given}`,
        );
      }
      stdout.write(SHELLS[shell](await completed(commands())));
      return EXIT.ok;
    },
  };
}

function isShell(name: string): name is keyof typeof SHELLS {
  return Object.hasOwn(SHELLS, name);
}

async function completed(rows: readonly CommandRow[]): Promise<readonly CompletedCommand[]> {
  return await Promise.all(
    rows.map(async (row) => {
      const { options, words = [] } = await row.load();
      return { name: row.name, summary: row.summary, options, words };
    }),
  );
}
