import { HELP_OPTION, takesPath, type CompletedCommand } from './completed-command.ts';

/** Without functions of fish that look for a command anywhere: `new demo` is no `demo`. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, words }) => {
    const of = `-n '__listwatch_command ${name}'`;
    return [
      `complete -c listwatch -n __listwatch_first -f -a ${name} -d ${quoted(summary)}`,
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
function __listwatch_first
  test (count (commandline -opc)) -eq 1
end
function __listwatch_command
  set -l words (commandline -opc)
  test (count $words) -gt 1; and test $words[2] = $argv[1]
end
complete -c listwatch -n __listwatch_first -f -a help -d 'the help of a command'
complete -c listwatch -n '__listwatch_command help' -f -a ${quoted(names)}
complete -c listwatch -n __listwatch_first -s h -l help -d 'the help'
complete -c listwatch -n __listwatch_first -l version -d 'the version of the package'
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
