import { HELP_OPTION, spellings, type CompletedCommand } from './completed-command.ts';

/** For bash 3.2 too, which macOS has: without `compopt` and associative arrays, and by `eval`, as its `source <(…)` reads nothing. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map(({ name, options, words }) => {
    const rows = Object.entries({ ...options, help: HELP_OPTION });
    const all = rows.flatMap(([option, row]) => spellings(option, row));
    const valued = rows.flatMap(([option, row]) =>
      row.type === 'string' ? spellings(option, row) : [],
    );
    return `    ${name}) options='${all.join(' ')}' valued='${valued.join(' ')}' words='${words.join(' ')}' ;;`;
  });
  return `# listwatch for bash: eval "$(listwatch completion bash)"
_listwatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  local options='' valued='' words='' index
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${[...names, 'help', '--help', '--version'].join(' ')}' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    help) words='${names.join(' ')}' ;;
  esac
  # What follows -- is for another program.
  for ((index = 2; index < COMP_CWORD; index++)); do
    if [ "\${COMP_WORDS[index]}" = -- ]; then return; fi
  done
  # The value of an option; without a reply, bash completes names of files.
  case " $valued " in *" $before "*) return ;; esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _listwatch listwatch
`;
}
