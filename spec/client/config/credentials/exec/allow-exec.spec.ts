import { chmod } from 'node:fs/promises';
import { expect } from 'chai';
import {
  refusePlugin,
  type AllowExec,
  type PluginOrigin,
} from '../../../../../lib/client/config/credentials/exec/allow-exec.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { ScratchDirectory } from '../../../support/scratch-directory.ts';

const SOURCE = 'user dev in /home/me/.kube/config:12';

function originOf(more: Partial<PluginOrigin> = {}): PluginOrigin {
  return {
    command: 'aws',
    directory: '/home/me/.kube',
    source: SOURCE,
    env: {},
    isData: false,
    ...more,
  };
}

async function isAllowed(allowExec: AllowExec | undefined, origin: PluginOrigin): Promise<boolean> {
  try {
    await refusePlugin(allowExec, origin);
    return true;
  } catch (error) {
    expect((error as { readonly code?: unknown }).code).to.equal('CREDENTIAL_PLUGIN_REFUSED');
    return false;
  }
}

describe('refusePlugin', () => {
  it('allows the plug-ins of files and refuses those of data, by default', async () => {
    expect(await isAllowed(undefined, originOf())).to.equal(true);
    expect(await isAllowed(undefined, originOf({ isData: true }))).to.equal(false);
    expect(await isAllowed(true, originOf({ isData: true }))).to.equal(true);
    expect(await isAllowed(false, originOf())).to.equal(false);
  });

  it('names the plug-in, the reason and the option', async () => {
    const data = originOf({ isData: true, directory: undefined });
    const error = await failureOf(refusePlugin(undefined, data));
    expect(error.code).to.equal('CREDENTIAL_PLUGIN_REFUSED');
    expect(error.message).to.equal(
      `the exec plug-in aws of ${SOURCE} may not run: it comes from a configuration that was passed as data; ` +
        'if you trust it, give the option allowExec: ["aws"], or give the path of the kubeconfig instead of its content',
    );
    const path = originOf({ command: '../bin/aws' });
    expect((await failureOf(refusePlugin(['gcloud'], path))).message).to.contain(
      'the list of the option allowExec does not have it; if you trust it, give the option allowExec: ["/home/me/bin/aws"]',
    );
    expect((await failureOf(refusePlugin(false, path))).message).to.contain(
      'the option allowExec is false',
    );
  });

  it('allows what its own remedy names', async () => {
    for (const command of ['aws', '../bin/aws', '/opt/aws']) {
      const origin = originOf({ command });
      const { message } = await failureOf(refusePlugin([], origin));
      const list = JSON.parse(/allowExec: (\[.*\])$/.exec(message)![1]!) as string[];
      expect(await isAllowed(list, origin), message).to.equal(true);
    }
  });

  it('takes a name for the program that PATH has under it', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await scratch.write('aws', '');
    await chmod(path, 0o755);
    const env = { PATH: scratch.path };
    expect(await isAllowed(['aws'], originOf({ env }))).to.equal(true);
    expect(await isAllowed([path], originOf({ env }))).to.equal(true);
    expect(await isAllowed(['aws'], originOf({ env, command: path }))).to.equal(true);
    expect(await isAllowed(['aws'], originOf({ env, command: '/tmp/aws' }))).to.equal(false);
    expect(await isAllowed(['/tmp/aws'], originOf({ env }))).to.equal(false);
    expect(await isAllowed(['aws'], originOf({ env, command: './aws' }))).to.equal(false);
  });

  it('does not take two programs that are not installed for the same one', async () => {
    expect(await isAllowed(['gcloud'], originOf())).to.equal(false);
    expect(await isAllowed(['gcloud', 'aws'], originOf())).to.equal(true);
  });

  it('refuses a list with a relative path, and anything but a list', async () => {
    for (const list of [['./aws'], [''], [7], 'aws', {}]) {
      const error = await failureOf(refusePlugin(list as readonly string[], originOf()));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain('option "allowExec" must be true, false, or a list');
    }
  });
});
