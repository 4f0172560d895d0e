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
    cause: /does not accept the token of user trial in .*\/config:\d+/,
    remedy: /renew it: it has expired, or is for another cluster/,
    open: (scratch) => refused(scratch, { token: 'a-constant-token' }),
  },
  {
    name: 'a token file that stays wrong',
    code: 'UNAUTHORIZED',
    cause: /does not accept the token of user trial in .*\/token;/,
    remedy: /renew it/,
    open: async (scratch) =>
      await refused(scratch, { tokenFile: await scratch.write('token', 'a-stale-token') }),
  },
  {
    name: 'a password that the server does not know',
    code: 'UNAUTHORIZED',
    cause: /does not accept the password of user trial/,
    remedy: /renew it/,
    open: (scratch) => refused(scratch, { username: 'jane', password: 'a-wrong-password' }),
  },
  {
    name: 'a token file that does not exist',
    code: 'CONFIG_INVALID',
    cause: /tokenFile: .*\/no-such-token: there is no such file/,
    remedy: /config:\d+: users\[0\]\.user\.tokenFile/,
    open: (scratch) => refused(scratch, { tokenFile: join(scratch.path, 'no-such-token') }),
  },
  {
    name: 'a client certificate of another authority',
    code: 'UNAUTHORIZED',
    cause: /does not accept the client certificate of user trial in .*\/client\.crt/,
    remedy: /renew it/,
    open: (scratch) => {
      const { certificate, privateKey } = new TestAuthority().client({ user: 'jane' });
      return withPair(scratch, certificate, privateKey);
    },
  },
  {
    name: 'a client certificate that has expired',
    code: 'CONFIG_INVALID',
    cause: /client\.crt: the client certificate expired on \d{4}-/,
    remedy: /renew it, or check this machine's clock/,
    open: (scratch) => {
      const { certificate, privateKey } = clients.client({ user: 'jane', ...expired() });
      return withPair(scratch, certificate, privateKey);
    },
  },
  {
    name: 'a key that does not match its certificate',
    code: 'CONFIG_INVALID',
    cause: /client\.key: the certificate and the key do not belong together/,
    remedy: /give the key that the certificate was made for/,
    open: (scratch) => {
      const { certificate } = clients.client({ user: 'jane' });
      const { privateKey } = clients.client({ user: 'jane' });
      return withPair(scratch, certificate, privateKey);
    },
  },
  {
    name: 'an encrypted key',
    code: 'CONFIG_INVALID',
    cause: /client\.key: the private key is encrypted/,
    remedy: /decrypt it with "openssl pkey"/,
    open: (scratch) => {
      const { certificate, privateKey } = clients.client({ user: 'jane' });
      return withPair(scratch, certificate, encryptedKey(privateKey, 'open sesame'));
    },
  },
];
