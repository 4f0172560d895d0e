import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import * as der from '../../lib/kernel/certificates/der.ts';

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** A request for a certificate of a user, PEM. @param privateKey of the curve P-256, PEM @see RFC 2986 */
export function certificateRequest(user: string, privateKey: string): string {
  const key = createPrivateKey(privateKey);
  const name = der.sequence(der.objectIdentifier(COMMON_NAME), der.utf8String(user));
  const info = der.sequence(
    der.integer(Buffer.of(0)),
    der.sequence(der.set(name)),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der.explicit(0, Buffer.alloc(0)),
  );
  const algorithm = der.sequence(der.objectIdentifier(ECDSA_WITH_SHA256));
  const bytes = der.sequence(info, algorithm, der.bitString(sign('sha256', info, key)));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  const label = 'CERTIFICATE REQUEST';
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
