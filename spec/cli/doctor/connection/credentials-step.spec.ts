import { expect } from 'chai';
import { DoctorFixture, expectFailure, tokenWith } from '../../support/doctor-fixture.ts';
import { fakeApi } from '../../support/fake-api.ts';
import type { Examined } from '../../support/examine.ts';

const V1 = 'client.authentication.k8s.io/v1';

/** A user whose credentials are printed by a program. */
function pluginUser(script: string, more: object = {}): object {
  return {
    exec: {
      apiVersion: V1,
      command: process.execPath,
      args: ['-e', script],
      interactiveMode: 'Never',
      ...more,
    },
  };
}

function printing(status: object): string {
  const credential = JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status });
  return `process.stdout.write(${JSON.stringify(credential)})`;
}

describe('the credentials of listwatch doctor', () => {
  let doctor: DoctorFixture;
  beforeEach(async () => {
    doctor = await DoctorFixture.make();
  });
  afterEach(async () => {
    await doctor[Symbol.asyncDispose]();
  });

  const examineUser = async (user: object): Promise<Examined> =>
    await doctor.examineApi(fakeApi(), [], {}, user);

  it('name the file of a token', async () => {
    const file = await doctor.write('token', 'token-of-a-file');
    const examined = await examineUser({ tokenFile: file });
    expect(examined.ids('failed'), examined.text).to.deep.equal([]);
    expect(examined.step('credentials').detail).to.include('a bearer token: ').and.include(file);
    expect(examined.text).to.not.include('token-of-a-file');
  });

  it('fail alone when the file of a token is empty', async () => {
    const file = await doctor.write('token', '');
    const examined = await examineUser({ tokenFile: file });
    expect(examined.ids('failed'), examined.text).to.have.length(1);
    expect(['configuration', 'credentials']).to.include(examined.ids('failed')[0]);
    expect(examined.text).to.include('empty');
  });

  it('name the plug-in that was run, and how long its run took, but not its token', async () => {
    const token = tokenWith({ sub: 'plugin-user', exp: 4_102_444_800 });
    const examined = await examineUser(pluginUser(printing({ token })));
    expect(examined.ids('failed'), examined.text).to.deep.equal([]);
    const { detail, data } = examined.step('credentials');
    expect(detail).to.match(
      /^a bearer token \(JWT for plugin-user, valid to 2100-01-01T00:00:00Z\): .*plug-in.*, made in /,
    );
    expect(data['tookMs']).to.be.greaterThan(0);
    expect(examined.text).to.not.include(token);
  });

  it('fail alone when the plug-in ends with an error', async () => {
    const examined = await examineUser(
      pluginUser('console.error("SSO session expired"); process.exit(3)'),
    );
    expectFailure(examined, 'credentials', {
      code: 'CREDENTIAL_PLUGIN',
      detail: /3/,
      remedy: /./,
    });
    expect(examined.text).to.include('SSO session expired');
  });

  it('fail alone when the plug-in prints something else', async () => {
    expectFailure(await examineUser(pluginUser('console.log("hello")')), 'credentials', {
      code: 'CREDENTIAL_PLUGIN',
      detail: /./,
      remedy: /./,
    });
  });

  it('fail alone when the plug-in is not installed, with the hint of the kubeconfig', async () => {
    const user = pluginUser('', {
      command: 'no-such-plugin-anywhere',
      installHint: 'brew install no-such-plugin',
    });
    const examined = await examineUser(user);
    expectFailure(examined, 'credentials', {
      code: 'CREDENTIAL_PLUGIN',
      detail: /no-such-plugin-anywhere/,
      remedy: /./,
    });
    expect(examined.text).to.include('brew install no-such-plugin');
  });

  it('are user and password without showing them', async () => {
    const examined = await examineUser({ username: 'jane', password: 'open-sesame' });
    expect(examined.step('credentials').detail).to.match(/^user name and password: /);
    expect(examined.text).to.not.include('open-sesame').and.not.include('amFuZTpvcGVuLXNlc2FtZQ');
  });

  it('say as whom requests are made', async () => {
    const seen: unknown[] = [];
    const api = fakeApi();
    const examined = await doctor.examineApi(
      (request, response, body) => {
        seen.push(request.headers['impersonate-user']);
        return api(request, response, body);
      },
      [],
      {},
      { token: 'abc', as: 'deployer' },
    );
    expect(examined.step('credentials').detail).to.include('; requests are made as deployer');
    expect(new Set(seen)).to.deep.equal(new Set(['deployer']));
  });
});
