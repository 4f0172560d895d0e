import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { Credential, type CredentialSource } from '../../transport/contract/credential.ts';
import { constantCredential } from './constant.ts';

export interface BasicCredentialsOptions {
  /** The user; it has no colon. */
  readonly username: string;
  /** It may have any character but control characters. */
  readonly password: string;
  /** What it is and where it was found, for messages; without the password. */
  readonly source: string;
}

/**
 * User and password, sent as UTF-8. API servers since 1.19 accept them only through a proxy or a webhook.
 * @throws {ListwatchError} code INVALID_OPTION for a user with a colon, and for control characters; the password is not shown.
 * @see RFC 7617
 */
export function basicCredentials({
  username,
  password,
  source,
}: BasicCredentialsOptions): CredentialSource {
  if (username === '') throw invalid(source, 'the user name is empty');
  if (username.includes(':'))
    throw invalid(source, 'the user name has a colon; it cannot have one');
  if (/\p{Cc}/u.test(username)) throw invalid(source, 'the user name has control characters');
  if (/\p{Cc}/u.test(password)) {
    throw invalid(source, 'the password has control characters; check for a line break at its end');
  }
  const pair = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  return constantCredential(new Credential({ authorization: `Basic ${pair}`, source }));
}

function invalid(source: string, problem: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `${source}: ${problem}`);
}
