import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { CommandHost } from '../contract/command.ts';
import { TOKEN_VARIABLE, type ServeOptions } from './serve-options.ts';

/**
 * The token from the option, its file or the environment; undefined: the server makes one.
 * @throws {UsageError} naming its source, and never the token.
 */
export async function serverToken(
  { token, tokenFile }: Pick<ServeOptions, 'token' | 'tokenFile'>,
  env: CommandHost['env'],
): Promise<string | undefined> {
  if (token !== undefined) return checked(token, '--token');
  if (tokenFile !== undefined) {
    return checked((await textOf(tokenFile)).trim(), `--token-file ${tokenFile}`);
  }
  const given = env[TOKEN_VARIABLE];
  return given ? checked(given, TOKEN_VARIABLE) : undefined;
}

/** The rule of the server, with the name of the source. */
function checked(token: string, source: string): string {
  if (token.length >= 16 && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    `${source} must have at least 16 characters, all of them printable ASCII without spaces`,
  );
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--token-file ${file} cannot be read: ${errorMessage(error)}`);
  }
}
