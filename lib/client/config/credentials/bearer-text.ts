import type { CredentialSource } from '../../transport/contract/credential.ts';

/** The token of a source of bearer tokens, for a transport that takes a token alone. */
export function bearerText(source: CredentialSource): () => Promise<string> {
  return async () => {
    const { authorization = '' } = await source.current();
    return authorization.replace(/^Bearer /, '');
  };
}
