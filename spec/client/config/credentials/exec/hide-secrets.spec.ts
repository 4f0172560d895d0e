import { expect } from 'chai';
import {
  hideSecrets,
  secretsOf,
} from '../../../../../lib/client/config/credentials/exec/hide-secrets.ts';

function hidden(line: string, carriers: Partial<Parameters<typeof secretsOf>[0]> = {}): string {
  return hideSecrets(line, secretsOf({ args: [], variables: {}, env: {}, ...carriers }));
}

describe('hideSecrets', () => {
  it('replaces the values of all variables of the configuration', () => {
    expect(hidden('no profile canary', { variables: { AWS_PROFILE: 'canary' } })).to.equal(
      'no profile [AWS_PROFILE]',
    );
  });

  it('replaces a value that contains another one as a whole', () => {
    const variables = { SHORT: 'canary', LONG: 'canary-1234' };
    expect(hidden('canary-1234, canary', { variables })).to.equal('[LONG], [SHORT]');
  });

  it('replaces values of flags, and arguments of more than twenty characters', () => {
    const args = [
      'canary-1-of-many-characters',
      'get-token',
      '--user',
      'canary-2',
      '--key=canary-3',
    ];
    expect(hidden(args.join(' '), { args })).to.equal(
      '[argument 1] get-token --user [argument 4] --key=[argument 5]',
    );
  });

  it('replaces variables of the process whose names say that they are secret, and no others', () => {
    const env = {
      AWS_SECRET_ACCESS_KEY: 'canary-1',
      GITHUB_TOKEN: 'canary-2',
      DB_PASSWORD: 'canary-3',
      MY_API_KEY: 'canary-4',
      HOME: '/home/me',
      GIT_AUTHOR_NAME: 'Jane Doe',
    };
    expect(hidden('canary-1 canary-2 canary-3 canary-4 /home/me Jane Doe', { env })).to.equal(
      '[AWS_SECRET_ACCESS_KEY] [GITHUB_TOKEN] [DB_PASSWORD] [MY_API_KEY] /home/me Jane Doe',
    );
  });

  it('replaces each line of a value that has several', () => {
    const variables = { KEY: '-----BEGIN\n canary-1 \r\ncanary-2\n' };
    expect(hidden('saw canary-1 and canary-2', { variables })).to.equal('saw [KEY] and [KEY]');
  });

  it('leaves values of fewer than six characters, which would garble messages', () => {
    expect(hidden('true is true', { variables: { DEBUG: 'true' } })).to.equal('true is true');
  });

  it('replaces what has the form of a token, of a header, of a key, or of a password in a URL', () => {
    expect(hidden('eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln')).to.equal('[hidden]');
    expect(hidden('authorization: basic dXNlcjpwYXNz')).to.equal('authorization: [hidden]');
    expect(hidden('k8s-aws-v1.aHR0cHM6Ly9zdHMuZXUtd2VzdC0xLmFtYXpvbmF3cy5jb20v')).to.equal(
      'k8s-aws-v1.[hidden]',
    );
    expect(hidden('https://me:canary@proxy.test:3128')).to.equal(
      'https://[hidden]@proxy.test:3128',
    );
  });

  it('leaves long paths, addresses, and names', () => {
    const lines = [
      '/usr/local/google-cloud-sdk/lib/googlecloudsdk/core/credentials',
      'https://microsoft.test/devicelogin and enter the code ABCD-1234',
      'arn:aws:iam::123456789012:role/cluster-administrators-of-the-team',
    ];
    for (const line of lines) expect(hidden(line)).to.equal(line);
  });
});
