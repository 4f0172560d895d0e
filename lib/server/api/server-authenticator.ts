import { timingSafeEqual } from 'node:crypto';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  anyAuthenticator,
  bearerAuthenticator,
  bearerTokenOf,
  type Authenticator,
} from '../access/authentication/authentication.ts';
import type { AccessParts } from '../registry/contract/access-parts.ts';
import { adminUser, type UserInfo } from '../registry/contract/user-info.ts';
import type { ServerCertificates } from './certificates/server-certificates.ts';

/** The user of the server's own token. */
export const TOKEN_USER: UserInfo = { ...adminUser('listwatch:admin'), uid: 'listwatch:admin' };

export interface ServerAuthenticatorOptions {
  /** The server's own token. */
  readonly token: string;
  readonly certificates: ServerCertificates;
  readonly access: AccessParts;
  /** Resolves when tokens of service accounts can be checked. */
  readonly whenStarted: () => Promise<void>;
  readonly runtime: Runtime;
}

/** Accepts client certificates, the server's own token, and those that it has signed for service accounts. */
export function serverAuthenticator({
  token: own,
  certificates,
  access,
  whenStarted,
  runtime,
}: ServerAuthenticatorOptions): Authenticator {
  return anyAuthenticator([
    ({ clientCertificate }) => {
      const { clients } = certificates;
      const certificate = clients && clientCertificate?.();
      // A client with a certificate that is not accepted is not anonymous.
      return certificate && (clients?.userOf(certificate, runtime.wallMs()) ?? null);
    },
    bearerAuthenticator(own, TOKEN_USER),
    async (request) => {
      const token = bearerTokenOf(request);
      // Own tokens are never longer; a wrong one need not start the server.
      if (token === undefined || token.split('.').length !== 3) return undefined;
      await whenStarted();
      const verdict = await access.authenticate(token, []);
      return 'user' in verdict ? verdict.user : undefined;
    },
  ]);
}

/** Compares in a time that does not depend on the tokens. */
export function isSameToken(given: string, own: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(own)];
  return left.length === right.length && timingSafeEqual(left, right);
}
