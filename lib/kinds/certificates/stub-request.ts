import type { KeyObject } from 'node:crypto';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { signingRequest } from './signing-request.ts';

const LARGEST_REQUEST = 10 * 1024;

/** The curves by the names that Go gives them. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp224r1: 'P-224',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};
const RSA_BITS: readonly unknown[] = [3072, 4096];
const KEYS_OF_CURVES = 'elliptic public keys must use curve P256, P384, or P521';
const KEYS_OF_RSA = 'RSA keys must have modulus size 3072 or 4096';
const OTHER_KEY = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';

/** Whether the key is one that may be asked for; a wrong one is reported. */
function checkKey(key: KeyObject, path: string, report: Report): boolean {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const wrong = (value: string, detail: string): false => {
    report.invalid(path, value, detail);
    return false;
  };
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return true;
    case 'ec': {
      const curve = CURVES[namedCurve];
      return curve !== 'P-224' || wrong(`curve ${curve}`, KEYS_OF_CURVES);
    }
    case 'rsa': {
      const bits = 8 * Math.ceil(modulusLength / 8);
      return RSA_BITS.includes(bits) || wrong(`${bits}-bit modulus`, KEYS_OF_RSA);
    }
    default:
      report.invalidHere(path, OTHER_KEY);
      return false;
  }
}

/** The public key of a stub request; undefined when it cannot be read. */
export function requestedKey(request: unknown): KeyObject | undefined {
  return parsed(request)?.publicKey;
}

function parsed(request: unknown): ReturnType<typeof signingRequest> | undefined {
  try {
    const found = signingRequest(Buffer.from(String(request), 'base64'));
    const { namedCurve } = found.publicKey.asymmetricKeyDetails ?? {};
    // Go knows no other curves.
    return namedCurve === undefined || Object.hasOwn(CURVES, namedCurve) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing but the key and the signature is looked at. */
export const stubRequest: Check = (value, path, report) => {
  if (Buffer.byteLength(String(value), 'base64') > LARGEST_REQUEST) {
    return report.tooLong(path, LARGEST_REQUEST, 'bytes');
  }
  const request = parsed(value);
  if (request === undefined) return report.invalidHere(path, 'must be a valid PKCS#10 CSR');
  if (!checkKey(request.publicKey, path, report)) return;
  if (request.signatureProblem !== undefined) report.invalidHere(path, 'invalid signature');
};
