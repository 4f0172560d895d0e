import { inspect } from 'node:util';
import { expect } from 'chai';
import { execCredentials } from '../../../../../lib/client/config/credentials/exec/exec-credential-source.ts';
import type { ExecPluginOptions } from '../../../../../lib/client/config/credentials/exec/exec-plugin-options.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import { V1, V1BETA1 } from './plugin-script.ts';

const SOURCE = 'user dev in /home/me/.kube/config:12';

function optionsWith(options: Readonly<Record<string, unknown>>): ExecPluginOptions {
  return {
    apiVersion: V1,
    command: 'aws',
    interactiveMode: 'Never',
    source: SOURCE,
    environment: { env: {} },
    ...options,
  };
}

function problemWith(options: Readonly<Record<string, unknown>>): string {
  const error = thrownBy(() => execCredentials(optionsWith(options)));
  expect(error.message).to.not.contain('canary');
  return `${error.code} ${error.message}`;
}

describe('execCredentials', () => {
  it('names the plug-in and where it was configured, but no argument', () => {
    const { source } = execCredentials(optionsWith({ args: ['--token', 'canary'] }));
    expect(source).to.equal(`the exec plug-in aws of ${SOURCE}`);
  });

  it('shows neither arguments nor variables when it is printed', () => {
    const source = execCredentials(
      optionsWith({
        args: ['canary'],
        env: [{ name: 'KEY', value: 'canary' }],
        provideClusterInfo: true,
        cluster: { server: 'https://api.test', proxyUrl: 'http://user:canary@proxy.test' },
        environment: { env: { TOKEN: 'canary' } },
      }),
    );
    const shown = inspect(source, { depth: 9, showHidden: true }) + JSON.stringify(source);
    expect(shown).to.contain('aws');
    expect(shown).to.not.contain('canary');
  });

  it('refuses v1alpha1 and names the versions that work', () => {
    expect(problemWith({ apiVersion: 'client.authentication.k8s.io/v1alpha1' })).to.equal(
      `CONFIG_UNSUPPORTED ${SOURCE}: exec.apiVersion client.authentication.k8s.io/v1alpha1 is no longer supported by ` +
        `Kubernetes clients; update the plug-in and set apiVersion to ${V1BETA1} or ${V1}`,
    );
  });

  it('refuses a missing or unknown version', () => {
    expect(problemWith({ apiVersion: undefined })).to.equal(
      `CONFIG_INVALID ${SOURCE}: exec.apiVersion is missing; set it to ${V1} or ${V1BETA1}`,
    );
    expect(problemWith({ apiVersion: 'v1' })).to.contain('exec.apiVersion v1 is not known; set it');
  });

  it('requires interactiveMode for v1, and takes IfAvailable for v1beta1', () => {
    expect(problemWith({ interactiveMode: undefined })).to.equal(
      `CONFIG_INVALID ${SOURCE}: exec.interactiveMode is missing; set it to Never, IfAvailable, Always`,
    );
    execCredentials(optionsWith({ interactiveMode: undefined, apiVersion: V1BETA1 }));
    expect(problemWith({ interactiveMode: 'Sometimes' })).to.contain(
      'exec.interactiveMode Sometimes is not known; set it to Never, IfAvailable, Always',
    );
  });

  it('refuses a missing command, and a relative one without a directory', () => {
    for (const command of [undefined, '', ' ', 7]) {
      expect(problemWith({ command })).to.contain(`CONFIG_INVALID ${SOURCE}: exec.command is`);
    }
    expect(problemWith({ command: './bin/aws' })).to.equal(
      `CONFIG_INVALID ${SOURCE}: exec.command ./bin/aws is relative to the file of a kubeconfig, and there is none; ` +
        'give an absolute path, or a name that PATH has',
    );
  });

  it('refuses arguments and variables that are not texts, and shows none of them', () => {
    expect(problemWith({ args: ['canary', 7] })).to.equal(
      `CONFIG_INVALID ${SOURCE}: exec.args is not valid; set it to a list of texts; put numbers in quotes`,
    );
    expect(problemWith({ args: 'canary' })).to.contain('exec.args');
    for (const env of [{}, [null], [{ name: 'canary' }], [{ name: 'A', value: 7 }], 'canary']) {
      expect(problemWith({ env })).to.contain(
        'set it to a list of {name, value}, both of them texts',
      );
    }
    for (const name of ['', 'canary=1']) {
      expect(problemWith({ env: [{ name, value: 'canary' }] })).to.contain('a name without "="');
    }
  });

  it('refuses NUL characters, which end a text of the system', () => {
    const problem = (field: string): string =>
      `CONFIG_INVALID ${SOURCE}: exec.${field} has a NUL character; remove it`;
    expect(problemWith({ command: 'a\0canary' })).to.equal(problem('command'));
    expect(problemWith({ args: ['a\0canary'] })).to.equal(problem('args'));
    expect(problemWith({ env: [{ name: 'A', value: 'a\0canary' }] })).to.equal(problem('env'));
  });

  it('requires the cluster when the plug-in asks for it', () => {
    expect(problemWith({ provideClusterInfo: true })).to.equal(
      'INVALID_OPTION execCredentials with provideClusterInfo: option "cluster" is required',
    );
  });

  it('refuses misspelled options and times out of range', () => {
    expect(problemWith({ timeout: 1 })).to.contain('unknown option "timeout"');
    expect(problemWith({ timeoutMs: 0 })).to.contain('"timeoutMs" must be a number from 1 to');
    expect(problemWith({ source: undefined })).to.contain('option "source" is required');
  });

  it('bounds what it repeats of the configuration', () => {
    const { source } = execCredentials(optionsWith({ command: `\u001b[31m${'x'.repeat(9_999)}` }));
    expect(source).to.equal(`the exec plug-in ${'x'.repeat(198)} … of ${SOURCE}`);
  });
});
