import { join } from 'node:path';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { encryptedKey, expired, TestAuthority } from '../../support/test-authority.ts';
import { bearer, certificateOf, type Accepted } from '../support/accepted.ts';
import { Front } from '../support/front.ts';
import { encounter, type BadInput, type Encounter } from './bad-input.ts';
import type { ScratchDirectory } from '../../support/scratch-directory.ts';

/** Never reached: no credential of these is accepted. */
const TARGET = { server: 'http://127.0.0.1:1', token: '' };

const clients = new TestAuthority({ name: 'clients' });

/** A server that asks for another credential than the kubeconfig has. */
async function refused(
  scratch: ScratchDirectory,
  user: Readonly<Record<string, unknown>>,
  accepted: Accepted = bearer('another-token'),
): Promise<Encounter> {
  const authority = new TestAuthority();
  const certificate = authority.server();
  const front = await Front.start({ target: TARGET, certificate, accepted });
  const text = kubeconfigText({ server: front.url, authority: authority.certificate, user });
  const kubeconfig = await scratch.write('config', text);
  return encounter({ kubeconfig }, () => front.counts.requests, front);
}

async function withPair(
  scratch: ScratchDirectory,
  certificate: string,
  privateKey: string,
): Promise<Encounter> {
  await scratch.write('client.crt', certificate);
  await scratch.write('client.key', privateKey);
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
  return await refused(scratch, user, certificateOf(clients.certificate));
}

export const badCredentials: readonly BadInput[] = [
  {
    name: 'a constant token that the server does not know',
    code: 'UNAUTHORIZED',
    cause: /token/,
    remedy: /token|log in|credential/,
    open: (scratch) => refused(scratch, { token: 'a-constant-token' }),
  },
  {
    name: 'a token file that stays wrong',
    code: 'UNAUTHORIZED',
    cause: /token in .*\/token/,
    remedy: /token|log in|credential/,
    open: async (scratch) =>
      await refused(scratch, { tokenFile: await scratch.write('token', 'a-stale-token') }),
  },
  {
    name: 'a password that the server does not know',
    code: 'UNAUTHORIZED',
    cause: /password/,
    remedy: /password|token|credential/,
    open: (scratch) => refused(scratch, { username: 'jane', password: 'a-wrong-password' }),
  },
  {
    name: 'a token file that does not exist',
    code: 'CONFIG_INVALID',
    cause: /\/no-such-token: there is no such file/,
    remedy: /file/,
    open: (scratch) => refused(scratch, { tokenFile: join(scratch.path, 'no-such-token') }),
  },
  {
    name: 'a client certificate of another authority',
    code: 'UNAUTHORIZED',
    cause: /client certificate/,
    remedy: /certificate|log in|credential/,
    open: (scratch) => {
      const { certificate, privateKey } = new TestAuthority().client({ user: 'jane' });
      return withPair(scratch, certificate, privateKey);
    },
  },
  {
    name: 'a client certificate that has expired',
    code: 'CONFIG_INVALID',
    cause: /client\.crt: .*expired/,
    remedy: /renew|replace|log in|clock/,
    open: (scratch) => {
      const { certificate, privateKey } = clients.client({ user: 'jane', ...expired() });
      return withPair(scratch, certificate, privateKey);
    },
  },
  {
    name: 'a key that does not match its certificate',
    code: 'CONFIG_INVALID',
    cause: /client\.key.*(?:does not|not|another)/,
    remedy: /certificate/,
    open: (scratch) => {
      const { certificate } = clients.client({ user: 'jane' });
      const { privateKey } = clients.client({ user: 'jane' });
      return withPair(scratch, certificate, privateKey);
    },
  },
  {
    name: 'an encrypted key',
    code: 'CONFIG_INVALID',
    cause: /client\.key.*(?:encrypted|passphrase)/,
    remedy: /decrypt|openssl|passphrase/,
    open: (scratch) => {
      const { certificate, privateKey } = clients.client({ user: 'jane' });
      return withPair(scratch, certificate, encryptedKey(privateKey, 'open sesame'));
    },
  },
];
