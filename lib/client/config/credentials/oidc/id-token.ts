/** A longer token could not be sent: servers accept headers of some kilobytes. */
export const LONGEST_ID_TOKEN = 65_536;

/**
 * When a JSON Web Token expires, milliseconds since 1970; `Infinity` if it does not say so. Undefined: it is not a JSON Web Token.
 * The signature is not verified: that is the task of the server.
 */
export function expiryOf(idToken: string): number | undefined {
  if (idToken.length > LONGEST_ID_TOKEN) return undefined;
  const parts = idToken.split('.');
  const [, payload = ''] = parts;
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
    const { exp } = claims as { readonly exp?: unknown };
    if (exp === undefined) return Infinity;
    return typeof exp === 'number' ? exp * 1_000 : undefined;
  } catch {
    return undefined;
  }
}
