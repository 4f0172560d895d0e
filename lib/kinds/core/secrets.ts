import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { KubernetesObject } from '../../meta/object.ts';
import { pemBlocks } from '../../kernel/certificates/pem-blocks.ts';
import { jsonSyntaxError } from '../../kernel/text/go-json-syntax.ts';
import { isRecord, jsonEqual, textAt, recordsAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, entries, fields, when } from '../../server/registry/validation/combine.ts';
import { configMapKey } from '../../server/registry/validation/formats.ts';
import { format, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { serviceAccountToken } from '../subresources/service-account-token.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

/** Only the names of secrets are kept. @see pkg/registry/core/serviceaccount/strategy.go @ v1.36.3 */
function keepNames(account: MutableObject): void {
  if (account['secrets'] === undefined) return;
  account['secrets'] = recordsAt(account, 'secrets').map((secret) => {
    const name = textAt(secret, 'name');
    return name === '' ? {} : { name };
  });
}

export const serviceAccounts: KindRules = {
  resource: 'serviceaccounts',
  newSubresources: (parts) => ({ token: serviceAccountToken(parts) }),
  strategy: {
    prepareForCreate: keepNames,
    prepareForUpdate: keepNames,
    warnings(account, existing) {
      const has = (object: typeof existing): boolean =>
        object?.metadata?.annotations !== undefined &&
        Object.hasOwn(object.metadata.annotations, ENFORCE);
      if (!has(account) || has(existing)) return [];
      return [
        `metadata.annotations[${ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ];
    },
  },
};

/** Maximum size of all values. See pkg/apis/core/types.go MaxSecretSize @ v1.36.3. */
const LARGEST_DATA_BYTES = 1024 * 1024;

const REDACTED = '<secret contents redacted>';
const FROZEN = 'field is immutable when `immutable` is set';
const ACCOUNT = 'kubernetes.io/service-account.name';

const totalSize: Check = (data, path, report) => {
  let bytes = 0;
  for (const text of Object.values(isRecord(data) ? data : {})) {
    if (typeof text === 'string') bytes += Buffer.byteLength(text, 'base64');
  }
  if (bytes > LARGEST_DATA_BYTES) report.tooLong(path, LARGEST_DATA_BYTES, 'bytes');
};

/** Refuses data without these keys. */
function withKeys(...keys: readonly string[]): Check {
  return (data, path, report) => {
    for (const key of keys) {
      const isThere = isRecord(data) && Object.hasOwn(data, key);
      if (!isThere) report.required(`${path}[${key}]`);
    }
  };
}

/** The data under the key is a JSON object. Messages do not show it. */
function jsonAt(key: string): Check {
  return (data, path, report) => {
    const problem = jsonProblem(Buffer.from(textAt(data, key), 'base64'));
    if (!isRecord(data) || !Object.hasOwn(data, key)) {
      report.required(`${path}[${key}]`);
    } else if (problem !== undefined) report.invalid(`${path}[${key}]`, REDACTED, problem);
  };
}

/** In the words of Go, which reads it as a map. */
function jsonProblem(text: Buffer): string | undefined {
  const syntax = jsonSyntaxError(text);
  if (syntax !== undefined) return syntax;
  const value: unknown = JSON.parse(text.toString());
  if (value === null || isRecord(value)) return undefined;
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

const oneCredential: Check = (data, path, report) => {
  const has = (key: string): boolean => isRecord(data) && Object.hasOwn(data, key);
  if (!has('username') && !has('password')) withKeys('username', 'password')(data, path, report);
};

const privateKey: Check = (data, path, report) => {
  const key = 'ssh-privatekey';
  if (textAt(data, key) === '') report.required(`${path}[${key}]`);
};

const DATA_BY_TYPE: ReadonlyMap<unknown, Check> = new Map([
  ['kubernetes.io/dockercfg', jsonAt('.dockercfg')],
  ['kubernetes.io/dockerconfigjson', jsonAt('.dockerconfigjson')],
  ['kubernetes.io/basic-auth', oneCredential],
  ['kubernetes.io/ssh-auth', privateKey],
  ['kubernetes.io/tls', withKeys('tls.crt', 'tls.key')],
]);

const dataOfType: Check = (data, path, report) => {
  DATA_BY_TYPE.get(report.object['type'])?.(data, path, report);
};

const namesAccount: Check = (metadata, path, report) => {
  if (report.object['type'] !== 'kubernetes.io/service-account-token') return;
  if (textAt(metadata, 'annotations', ACCOUNT) === '') {
    report.required(`${path}.annotations[${ACCOUNT}]`);
  }
};

const frozen: Check = (value, path, report, old) => {
  if (!jsonEqual(value ?? {}, old ?? {})) report.forbidden(path, FROZEN);
};

const staysImmutable: Check = (value, path, report) => {
  if (value !== true) report.forbidden(path, FROZEN);
};

/** @see pkg/apis/core/validation/validation.go ValidateSecret @ v1.36.3 */
const secretChecks: Check = all(
  fields({ type: immutable }),
  when(
    (_object, { existing }) => existing?.['immutable'] === true,
    fields({ immutable: staysImmutable, data: frozen }),
  ),
  fields({
    data: all(entries({ key: format(configMapKey) }), totalSize, dataOfType),
    metadata: namesAccount,
  }),
);

function typesOf(pem: string): readonly string[] {
  return pemBlocks(pem).map(({ type }) => type);
}

/** Why a certificate and its key cannot be used, in the words of Go's `tls.X509KeyPair`. */
function keyPairProblem(certificate: string, key: string): string | undefined {
  const blocks = typesOf(certificate);
  if (blocks.length === 0) return 'failed to find any PEM data in certificate input';
  if (!blocks.includes('CERTIFICATE')) {
    return blocks.length === 1 && blocks[0]?.endsWith('PRIVATE KEY') === true
      ? 'failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
      : `failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${blocks.join(' ')}]`;
  }
  const keyBlocks = typesOf(key);
  if (keyBlocks.length === 0) return 'failed to find any PEM data in key input';
  if (!keyBlocks.some((type) => type.endsWith('PRIVATE KEY'))) {
    return keyBlocks.length === 1 && keyBlocks[0] === 'CERTIFICATE'
      ? 'found a certificate rather than a key in the PEM for the private key'
      : `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${keyBlocks.join(' ')}]`;
  }
  try {
    const matches = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return matches ? undefined : 'private key does not match public key';
  } catch {
    return 'failed to parse private key';
  }
}

function warnings(secret: KubernetesObject): readonly string[] {
  const { type, data } = secret as { type?: unknown; data?: unknown };
  if (type !== 'kubernetes.io/tls') return [];
  const text = (key: string): string => Buffer.from(textAt(data, key), 'base64').toString();
  const problem = keyPairProblem(text('tls.crt'), text('tls.key'));
  return problem === undefined ? [] : [`tls: ${problem}`];
}

export const secrets: KindRules = {
  resource: 'secrets',
  strategy: {
    ...checkedBy(secretChecks),
    prepareForUpdate(secret, existing) {
      if (textAt(secret, 'type') === '') secret['type'] = existing['type'];
    },
    warnings: (secret) => warnings(secret),
  },
  selectableFields: { type: (object) => textAt(object, 'type') },
};
