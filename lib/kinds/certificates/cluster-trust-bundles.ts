import { X509Certificate } from 'node:crypto';
import { textAt } from '../../meta/json-value.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { maskTrailingDash } from '../../server/registry/rules/name-validation.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { immutable } from '../../server/registry/validation/values.ts';
import { pemBlocks, type PemBlock } from '../../kernel/certificates/pem-blocks.ts';
import { bundleName } from './signers/bundle-name.ts';
import { signerName } from './signers/signer-name.ts';

const LARGEST_BUNDLE = 1024 * 1024;
const OMITTED = '<value omitted>';

const name: Check = (bundle, _path, report) => {
  const form = bundleName(textAt(bundle, 'spec', 'signerName'));
  const base = textAt(bundle, 'metadata', 'generateName');
  for (const problem of base === '' ? [] : form(maskTrailingDash(base))) {
    report.invalid('metadata.generateName', base, problem);
  }
  const given = textAt(bundle, 'metadata', 'name');
  for (const problem of form(given)) report.invalid('metadata.name', given, problem);
};

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  try {
    return new X509Certificate(bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}

/** @see pkg/apis/certificates/validation validateTrustBundle @ v1.37.2 */
const trustBundle: Check = (value, path, report, old) => {
  const text = typeof value === 'string' ? value : '';
  if (report.isUpdate && text === (old ?? '')) return;
  if (Buffer.byteLength(text) > LARGEST_BUNDLE) {
    return report.tooLong(path, LARGEST_BUNDLE, 'bytes');
  }
  const wrong = (detail: string): void => report.invalid(path, OMITTED, detail);
  const before = report.causes.length;
  const indices = new Map<string, number[]>();
  for (const [index, block] of pemBlocks(text).entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) wrong(`entry ${index} ${problem}`);
    const key = block.bytes.toString('base64');
    indices.set(key, [...(indices.get(key) ?? []), index]);
  }
  if (report.causes.length > before) return;
  if (indices.size === 0) wrong('at least one trust anchor must be provided');
  for (const same of indices.values()) {
    if (same.length > 1) wrong(`duplicate trust anchor (indices [${same.join(' ')}])`);
  }
};

const given: Check = (value, path, report, old) => {
  if ((value ?? '') !== '') signerName(value, path, report, old);
};

const keptSigner: Check = (value, path, report, old) =>
  immutable(value ?? '', path, report, old ?? '');

const checks = all(
  name,
  fields({ spec: fields({ signerName: given, trustBundle }) }),
  fields({ spec: fields({ signerName: keptSigner }) }),
);

export const clusterTrustBundles: KindRules = {
  group: 'certificates.k8s.io',
  resource: 'clustertrustbundles',
  // The form of a name depends on the signer.
  strategy: { ...checkedBy(checks), nameProblems: () => [] },
  selectableFields: { 'spec.signerName': (bundle) => textAt(bundle, 'spec', 'signerName') },
};
