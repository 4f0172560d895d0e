import type { Client } from '../../../client/rest/client.ts';
import type { Certificate } from '../../../kernel/certificates/certificate-authority.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { isAlreadyExists, isNotFound } from '../../../meta/failure/failures.ts';
import type { CertificateSecret } from './certificate-options.ts';

const CERTIFICATE = 'ca.crt';
const KEY = 'ca.key';

type Data = Readonly<Record<string, string>>;

/**
 * The authority in a secret; it is made by `create` if there is none. Of several replicas at once, all get the one that was stored first.
 * @throws {ListwatchError} code INVALID_OPTION for a secret of something else; the error of the request.
 */
export async function authorityIn(
  client: Client,
  { secret: name, namespace }: CertificateSecret,
  { create, signal }: { readonly create: () => Certificate; readonly signal: AbortSignal },
): Promise<Certificate> {
  const secrets = client.resource('v1', 'secrets', { namespace, signal });
  try {
    return readAuthority((await secrets.get(name)).data, `${namespace}/${name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const made = create();
  const data = { [CERTIFICATE]: base64(made.certificate), [KEY]: base64(made.privateKey) };
  try {
    await secrets.create({ metadata: { name }, type: 'Opaque', data });
    return made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return readAuthority((await secrets.get(name)).data, `${namespace}/${name}`);
  }
}

function readAuthority(data: Data | undefined, place: string): Certificate {
  const [certificate, privateKey] = [data?.[CERTIFICATE], data?.[KEY]];
  if (certificate !== undefined && privateKey !== undefined) {
    return { certificate: text(certificate), privateKey: text(privateKey) };
  }
  throw new ListwatchError(
    'INVALID_OPTION',
    `the secret ${place} has no ${CERTIFICATE} and ${KEY}, so it is no authority of webhooks; name another secret, or delete this one`,
  );
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64');
}

function text(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
