import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { encounter, type BadInput } from './bad-input.ts';

interface BadPlugin extends Pick<BadInput, 'name' | 'cause' | 'remedy' | 'waits'> {
  /** The action of the plug-in after it has noted that it runs. */
  readonly script: string;
  /** Further arguments of the script. */
  readonly args?: readonly string[] | undefined;
  /** Instead of the script. */
  readonly exec?: Readonly<Record<string, unknown>> | undefined;
}

const NOTE_RUN = `
import { appendFileSync } from 'node:fs';
appendFileSync(new URL('runs', import.meta.url), 'x');
`;

function badPlugin({ script, args = [], exec, ...rest }: BadPlugin): BadInput {
  return {
    ...rest,
    code: 'CREDENTIAL_PLUGIN',
    open: async (scratch) => {
      await scratch.write('runs', '');
      const path = await scratch.write('plugin.mjs', NOTE_RUN + script);
      const user = {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: process.execPath,
          args: [path, ...args],
          interactiveMode: 'Never',
          ...exec,
        },
      };
      const server = 'https://127.0.0.1:1';
      const kubeconfig = await scratch.write('config', kubeconfigText({ server, user }));
      const runs = (): number => readFileSync(join(scratch.path, 'runs'), 'utf8').length;
      return encounter({ kubeconfig }, runs);
    },
  };
}

export const badPlugins: readonly BadInput[] = [
  badPlugin({
    name: 'an exec plug-in that hangs',
    script: `setInterval(() => {}, 1000);`,
    cause: /exec plug-in .* did not end within 60 s and was stopped/,
    remedy: /log in with its tool first: it cannot ask questions here; or check its network/,
    waits: true,
  }),
  badPlugin({
    name: 'an exec plug-in that floods its output',
    script: `process.stdout.on('error', () => process.exit()); const more = () => process.stdout.write('x'.repeat(65536), more); more();`,
    cause: /exec plug-in .* wrote more than 1048576 bytes/,
    remedy: /check exec\.command and exec\.args/,
  }),
  badPlugin({
    name: 'an exec plug-in that prints garbage',
    script: `console.log('Please visit https://login.example/device and enter ABCD');`,
    cause: /exec plug-in .* printed 57 bytes that are not JSON/,
    remedy: /run it in a terminal/,
  }),
  badPlugin({
    name: 'an exec plug-in that exits with 1',
    script: `console.error('ERROR: your session has expired'); process.exit(1);`,
    cause: /failed with exit code 1, saying "ERROR: your session has expired"/,
    remedy: /run it in a terminal with the arguments of the configuration/,
  }),
  badPlugin({
    name: 'an exec plug-in that repeats its secrets and exits with 2',
    script: `
console.log('{"status": {"token": "canary-plugin-output"}');
console.error('login failed with', process.env.PLUGIN_PASSWORD, 'and', process.argv.at(-1));
process.exit(2);`,
    args: ['--client-secret', 'canary-plugin-argument'],
    exec: { env: [{ name: 'PLUGIN_PASSWORD', value: 'canary-plugin-variable' }] },
    cause: /failed with exit code 2, saying "login failed with/,
    remedy: /run it in a terminal with the arguments of the configuration/,
  }),
  badPlugin({
    name: 'an exec plug-in that is not installed',
    script: '',
    exec: { command: 'listwatch-no-such-plugin', args: [], installHint: 'brew install no-such' },
    cause: /listwatch-no-such-plugin of user .* is not installed/,
    remedy: /install it: brew install no-such/,
  }),
];
