import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { TokenSigner } from '../../registry/contract/access-parts.ts';
import { SECRET_TOKEN_ISSUER } from './secret-tokens.ts';
import { isRecord, textsAt, type JsonRecord } from '../../../meta/json-value.ts';

export interface ServiceAccountTokensOptions {
  readonly runtime: Pick<Runtime, 'wallMs'>;
  /** The name of the server in its tokens. @defaultValue 'https://kubernetes.default.svc' */
  readonly issuer?: string | undefined;
  /** A private key of the curve P-256, PEM. @defaultValue a new one, made when it is first needed */
  readonly privateKey?: string | undefined;
}

const DEFAULT_ISSUER = 'https://kubernetes.default.svc';
const SECOND_MS = 1000;
/** Clocks may differ by this much. See go-jose jwt DefaultLeeway. */
const LEEWAY_SECONDS = 60;
/** Longer texts are no tokens of ours; they are not decoded. */
const LONGEST_TOKEN = 16_384;

interface Key {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The result of a check: the claims, or why the token is refused. Undefined: it was not signed by this server. */
export type CheckedToken = { readonly claims: JsonRecord } | { readonly problem: string };

/**
 * Signs and checks the tokens of service accounts: JSON web tokens of the algorithm ES256.
 *
 * Guarantees:
 * - A token that was changed in any character, or signed with another key or algorithm, is not accepted.
 * - The key is not made before the first token.
 */
export class ServiceAccountTokens implements TokenSigner {
  readonly issuer: string;
  readonly #options: ServiceAccountTokensOptions;
  #key: Key | undefined;

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
    this.issuer = options.issuer ?? DEFAULT_ISSUER;
    if (options.privateKey !== undefined) this.#key = newKey(options.privateKey);
  }

  get audiences(): readonly string[] {
    return [this.issuer];
  }

  sign(claims: Readonly<Record<string, unknown>>): string {
    const { id, privateKey } = this.#ownKey();
    const head = encoded({ alg: 'ES256', kid: id });
    const signed = `${head}.${encoded({ iss: this.issuer, ...claims })}`;
    const signature = sign('sha256', Buffer.from(signed), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** Undefined for a text that is no token of this server. */
  check(token: string): CheckedToken | undefined {
    const claims = this.#signedClaims(token);
    if (claims === undefined) return undefined;
    if (claims['iss'] === SECRET_TOKEN_ISSUER) return { claims };
    if (claims['iss'] !== this.issuer) return undefined;
    const now = Math.floor(this.#options.runtime.wallMs() / SECOND_MS);
    if (secondsOf(claims, 'exp') < now - LEEWAY_SECONDS) {
      return { problem: 'service account token has expired' };
    }
    if (secondsOf(claims, 'nbf') > now + LEEWAY_SECONDS) {
      return { problem: 'service account token is not valid yet' };
    }
    return { claims };
  }

  /** The public key as a JSON web key set, for `/openid/v1/jwks`. */
  keySet(): object {
    const { id, publicKey } = this.#ownKey();
    return {
      keys: [{ use: 'sig', ...publicKey.export({ format: 'jwk' }), kid: id, alg: 'ES256' }],
    };
  }

  #signedClaims(token: string): JsonRecord | undefined {
    if (this.#key === undefined && this.#options.privateKey === undefined) return undefined;
    const [head, body, signature, ...rest] = token.slice(0, LONGEST_TOKEN + 1).split('.');
    if (head === undefined || body === undefined || signature === undefined) return undefined;
    if (rest.length > 0 || token.length > LONGEST_TOKEN) return undefined;
    const { id, publicKey } = this.#ownKey();
    const header = decoded(head);
    if (header?.['alg'] !== 'ES256' || header['kid'] !== id) return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    // Another text of the same bytes is refused: every token has one form.
    if (bytes.toString('base64url') !== signature) return undefined;
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    return verify('sha256', Buffer.from(`${head}.${body}`), key, bytes) ? decoded(body) : undefined;
  }

  #ownKey(): Key {
    this.#key ??= newKey(this.#options.privateKey);
    return this.#key;
  }
}

function newKey(pem: string | undefined): Key {
  const privateKey =
    pem === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : keyOf(pem);
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(spki).digest('base64url'), privateKey, publicKey };
}

/** @throws {ListwatchError} INVALID_OPTION. */
function keyOf(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The message of the library may show a part of the key.
  }
  if (key?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new ListwatchError(
    'INVALID_OPTION',
    'ApiServer: serviceAccountKey is no private key of the curve P-256 in PEM; leave it out to get a new one',
  );
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(part: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function secondsOf(claims: JsonRecord, name: string): number {
  const value = claims[name];
  return typeof value === 'number' ? value : 0;
}

/** The audiences of a token; a single one may be a text. */
export function audiencesOf(claims: JsonRecord): readonly string[] {
  const { aud } = claims;
  return typeof aud === 'string' ? [aud] : textsAt(claims, 'aud');
}
