import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';

export interface CredentialFields {
  /** The value of the `authorization` header, e.g. `Bearer …`. */
  readonly authorization?: string | undefined;
  /** The client's certificate with its chain, PEM. It needs `key`. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the certificate, PEM. */
  readonly key?: string | Uint8Array | undefined;
  /** Its kind and source, for messages, e.g. `the token in /run/token`. Never a secret. */
  readonly source: string;
}

/**
 * The credential that a request presents to the server: a header, a client certificate, or both. It never changes; a rotated one is another
 * object. Printing or serialising it shows only its source.
 */
export class Credential {
  readonly source: string;
  // `inspect` and `JSON.stringify` do not show private fields.
  readonly #authorization: string | undefined;
  readonly #cert: string | Buffer | undefined;
  readonly #key: string | Buffer | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION for a text that cannot stand in a header; the text is not shown. */
  constructor({ authorization, cert, key, source }: CredentialFields) {
    if (authorization !== undefined && !/^[\x20-\x7e]+$/.test(authorization)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${source} has characters that cannot stand in a header; check for line breaks and quotes`,
      );
    }
    this.source = source;
    this.#authorization = authorization;
    this.#cert = pem(cert);
    this.#key = pem(key);
  }

  /**
   * The credential of a bearer token.
   * @throws {ListwatchError} code INVALID_OPTION for a token that is no string, or has spaces or control characters.
   */
  static bearer(token: string, source: string): Credential {
    const given: unknown = token;
    if (typeof given !== 'string') {
      const what = given === null ? 'null' : typeof given;
      const problem = `must be a string, not ${what}; check where the program takes it from`;
      throw new ListwatchError('INVALID_OPTION', `${source} ${problem}`);
    }
    if (!/^[\x21-\x7e]+$/.test(token)) {
      const problem =
        token === ''
          ? 'is empty'
          : 'has spaces or characters that cannot stand in a header; check for line breaks and quotes';
      throw new ListwatchError('INVALID_OPTION', `${source} ${problem}`);
    }
    return new Credential({ authorization: `Bearer ${token}`, source });
  }

  get authorization(): string | undefined {
    return this.#authorization;
  }

  get cert(): string | Buffer | undefined {
    return this.#cert;
  }

  get key(): string | Buffer | undefined {
    return this.#key;
  }

  /** Whether both present the same to a server. */
  equals(other: Credential): boolean {
    return (
      this.#authorization === other.#authorization &&
      samePem(this.#cert, other.#cert) &&
      samePem(this.#key, other.#key)
    );
  }
}

/**
 * Where credentials come from: a constant, a file that is replaced from time to time, a plug-in, an identity provider.
 *
 * Guarantees to the transport: `current` is cheap when nothing has changed; many calls at a time cause one read, run or
 * request; each wait ends by a deadline or by the signal.
 */
export interface CredentialSource {
  /** Its kind and source, for messages, e.g. `the exec plug-in aws of user dev in /home/me/.kube/config`. */
  readonly source: string;
  /** Asked before each request. */
  current(signal?: AbortSignal): Credential | Promise<Credential>;
  /**
   * The server answered 401 to `rejected`. Looks for another credential: reads the file again, runs the plug-in again.
   * Undefined: there is none, and the caller gets the 401. The request is sent again once with the new one.
   */
  refresh?(rejected: Credential, signal?: AbortSignal): Promise<Credential | undefined>;
}

function pem(value: string | Uint8Array | undefined): string | Buffer | undefined {
  return value === undefined || typeof value === 'string' ? value : asBuffer(value);
}

/** Whether two PEM texts, given as text or as bytes, are equal. */
export function samePem(
  one: string | Buffer | undefined,
  other: string | Buffer | undefined,
): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return Buffer.from(one).equals(Buffer.from(other));
}
