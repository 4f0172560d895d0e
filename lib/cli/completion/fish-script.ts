import { HELP_OPTION, takesPath, type CompletedCommand } from './completed-command.ts';

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, words }) => {
    const of = `-n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c listwatch -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...Object.entries({ ...options, help: HELP_OPTION }).map(([option, row]) => {
        const short = row.short === undefined ? '' : ` -s ${row.short}`;
        const value = row.type === 'boolean' ? '' : takesPath(row) ? ' -rF' : ' -x';
        return `complete -c listwatch ${of}${short} -l ${option}${value} -d ${quoted(row.help)}`;
      }),
      ...(words.length > 0 ? [`complete -c listwatch ${of} -f -a ${quoted(words.join(' '))}`] : []),
    ];
  });
  const names = commands.map(({ name }) => name).join(' ');
  return `# listwatch for fish: listwatch completion fish > ~/.config/fish/completions/listwatch.fish
complete -c listwatch -n __fish_use_subcommand -f -a help -d 'the help of a command'
complete -c listwatch -n '__fish_seen_subcommand_from help' -f -a ${quoted(names)}
complete -c listwatch -n __fish_use_subcommand -l version -d 'the version of the package'
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
