import { resolve } from 'node:path';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';

export interface DataAndFile {
  /** The field `NAME-data`, base64. */
  readonly data: KubeconfigField | undefined;
  /** The field `NAME`, a path; undefined if there is data, which takes precedence. */
  readonly file: KubeconfigField | undefined;
}

/** The two fields for a certificate or a key, of which at most one counts. */
export function dataAndFile(entry: KubeconfigField, name: string, logger: Logger): DataAndFile {
  const data = entry.field(`${name}-data`);
  const file = entry.field(name);
  const hasFile = file.optionalText() !== undefined;
  if (data.optionalText() === undefined) {
    return { data: undefined, file: hasFile ? file : undefined };
  }
  if (hasFile) {
    logger.warn('a file is ignored, because the data beside it take precedence', {
      field: name,
      file: file.place,
      remedy: 'remove one of them; kubectl refuses both',
    });
  }
  return { data, file: undefined };
}

/** The text of a field in base64. */
export function decodedPem(field: KubeconfigField): string {
  const compact = field.text().replaceAll(/\s+/g, '');
  if (compact.startsWith('-----BEGIN')) {
    field.fail('it is PEM and not base64; encode it with "base64 -w0"');
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) {
    field.fail('it is not base64; encode the PEM text with "base64 -w0"');
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}

/** The path in a field. A relative one is resolved against the directory of the file that has it. */
export function pathBeside(field: KubeconfigField): string {
  const { directory } = field.origin;
  return directory === undefined ? field.text() : resolve(directory, field.text());
}
