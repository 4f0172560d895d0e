import type { OptionRow } from '../arguments/parse-arguments.ts';
import { HELP_OPTION, spellings, takesPath, type CompletedCommand } from './completed-command.ts';

/** Loaded from a folder of `fpath`, or with `source`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, options, words }) => {
    const rows = Object.entries({ ...options, help: HELP_OPTION });
    const specs = rows.map(([option, row]) => `        ${specOf(option, row)}`);
    const rest = words.length > 0 ? `'1:word:(${words.join(' ')})'` : "'*:file:_files'";
    // With -S, words after -- are for another program.
    return `      ${name})\n        _arguments -S \\\n${specs.join(' \\\n')} \\\n        ${rest} ;;`;
  });
  return `#compdef listwatch
# listwatch for zsh: listwatch completion zsh > "\${fpath[1]}/_listwatch"
_listwatch() {
  local -a commands options
  options=('--help:the help' '--version:the version of the package')
  commands=(
${described.join('\n')}
    'help:the help of a command'
  )
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then _describe -o option options; else _describe command commands; fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
      help) _arguments '1:word:(${commands.map(({ name }) => name).join(' ')})' ;;
  esac
}
if [ "$funcstack[1]" = _listwatch ]; then _listwatch "$@"; else compdef _listwatch listwatch; fi
`;
}

/** `'*'{-r,--resource}'[help]:NAME:'`; without `*` an option is offered once, in one of its spellings. */
function specOf(name: string, row: OptionRow): string {
  const all = spellings(name, row);
  const many = row.multiple === true ? '*' : all.length > 1 ? `(${all.join(' ')})` : '';
  const value =
    row.type === 'boolean' ? '' : `:${row.value ?? 'VALUE'}:${takesPath(row) ? '_files' : ' '}`;
  const text = quoted(`[${row.help.replaceAll(/[[\]:\\]/g, '\\$&')}]${value}`);
  const spelled = all.length > 1 ? `{${all.join(',')}}` : (all[0] ?? '');
  return `${many === '' ? '' : quoted(many)}${spelled}${text}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
