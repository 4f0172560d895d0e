import { ListwatchError } from '../../../kernel/failure/errors.ts';

export interface ServerAddress {
  /** Scheme, host, port and path, without a slash at the end. */
  readonly text: string;
  /** Whether it is https. */
  readonly secure: boolean;
  readonly host: string;
}

/**
 * Checks a server address, such as `https://10.0.0.1:6443` or `https://rancher.example/k8s/clusters/c-1`.
 * @throws {ListwatchError} code INVALID_OPTION; the message does not repeat credentials.
 */
export function parseServerAddress(text: string): ServerAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid('it is not a URL; expected https://HOST:PORT');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid(`it starts with ${url.protocol}// instead of https:// or http://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('it carries credentials; give a token or a client certificate instead');
  }
  if (url.search !== '' || url.hash !== '') throw invalid('it has a query or a fragment');
  return {
    text: url.origin + url.pathname.replace(/\/+$/, ''),
    secure: url.protocol === 'https:',
    host: url.hostname,
  };
}

/** Whether the host is always this machine. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}

function invalid(problem: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `the server address cannot be used: ${problem}`);
}
