/** The claims of a JSON web token that say whose it is and how long it is valid. */
export interface TokenClaims {
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  /** Wall-clock milliseconds. */
  readonly notBeforeMs?: number | undefined;
  readonly expiresMs?: number | undefined;
}

/** A longer token is not read. */
const LONGEST = 64 * 1024;

/** Reads the claims without a verification, which only the server can do. Undefined for a token of another form. */
export function tokenClaims(token: string): TokenClaims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || token.length > LONGEST) return undefined;
  try {
    const text = Buffer.from(parts[1] ?? '', 'base64url').toString('utf8');
    const claims: unknown = JSON.parse(text);
    if (typeof claims !== 'object' || claims === null) return undefined;
    const { iss, sub, nbf, exp } = claims as Readonly<Record<string, unknown>>;
    return {
      issuer: typeof iss === 'string' ? iss : undefined,
      subject: typeof sub === 'string' ? sub : undefined,
      notBeforeMs: typeof nbf === 'number' ? nbf * 1000 : undefined,
      expiresMs: typeof exp === 'number' ? exp * 1000 : undefined,
    };
  } catch {
    return undefined;
  }
}
