import { expect } from 'chai';
import { basicCredentials } from '../../../../lib/client/config/credentials/basic.ts';
import { Credential } from '../../../../lib/client/transport/contract/credential.ts';
import { thrownBy } from '../../support/failure-of.ts';

describe('basicCredentials', () => {
  const source = 'the password of dev';
  const pairOf = (username: string, password: string): string => {
    const credential = basicCredentials({ username, password, source }).current();
    if (!(credential instanceof Credential)) throw new Error('expected no promise');
    const { authorization = '' } = credential;
    return Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('utf8');
  };

  it('sends user and password as UTF-8', () => {
    expect(pairOf('Aladdin', 'open sesame')).to.equal('Aladdin:open sesame');
    expect(pairOf('test', '123\u00a3')).to.equal('test:123\u00a3');
    expect(
      basicCredentials({ username: 'test', password: '123\u00a3', source }).current(),
    ).to.include({ authorization: 'Basic dGVzdDoxMjPCow==', source });
  });

  it('takes colons in a password, and an empty password', () => {
    expect(pairOf('dev', 'a:b:c')).to.equal('dev:a:b:c');
    expect(pairOf('dev', '')).to.equal('dev:');
  });

  it('refuses a user with a colon, because the server would split it elsewhere', () => {
    const error = thrownBy(() => pairOf('a:b', 'canary'));
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.equal(
      'the password of dev: the user name has a colon; it cannot have one',
    );
  });

  it('refuses an empty user and control characters, without showing the password', () => {
    expect(thrownBy(() => pairOf('', 'x')).message).to.contain('the user name is empty');
    expect(thrownBy(() => pairOf('a\nb', 'x')).message).to.contain('control characters');
    const { message } = thrownBy(() => pairOf('dev', 'canary\n'));
    expect(message).to.contain('line break').and.not.to.contain('canary');
  });
});
