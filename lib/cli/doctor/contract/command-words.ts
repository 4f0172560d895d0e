/** Messages of the library name options of its functions; here they are options of the command. */
export function commandWords(text: string): string {
  return text
    .replaceAll(/the option "(server|kubeconfig|context|namespace)"/g, '--$1')
    .replace(/\bthe contexts are: /, 'choose with --context one of: ');
}
