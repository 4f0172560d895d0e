import { X509Certificate } from 'node:crypto';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { invalidFile, WatchedFiles } from './watched-files.ts';

export interface AuthorityFileOptions {
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';

/**
 * Certificate authorities in a PEM file that is replaced from time to time.
 *
 * Guarantees: the text is at most a second older than the file, and is the same string while the file is unchanged; asked again,
 * it is read again. When the file cannot be used, the last text stays in use and a warning is logged.
 *
 * The function throws a `ListwatchError` with code CONFIG_INVALID if the file cannot be used and there was no earlier text.
 */
export function authorityFile(
  path: string,
  { runtime, logger }: AuthorityFileOptions = {},
): (again?: boolean) => string | Promise<string> {
  const file = new WatchedFiles<string>({
    paths: [path],
    what: `the certificate authority in ${path}`,
    parse: ([text = '']) => {
      checkAuthorities(text, path);
      return text;
    },
    runtime,
    logger,
  });
  return (again) => (again === true ? file.reread() : file.current());
}

/**
 * Checks that a text has certificates that can be read. Other text around them is ignored, as with OpenSSL.
 * @throws {ListwatchError} code CONFIG_INVALID naming the place.
 */
export function checkAuthorities(text: string, place: string): void {
  const [, ...blocks] = text.split(BEGIN);
  if (blocks.length === 0) throw invalidFile(place, `it has no PEM certificate (${BEGIN})`);
  // A file that is being written may end within a certificate.
  const damaged = blocks.findIndex((block) => !isReadable(BEGIN + block));
  if (damaged === -1) return;
  throw invalidFile(place, `certificate ${damaged + 1} of ${blocks.length} is damaged`);
}

function isReadable(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
