import { isRecord, type JsonRecord } from '../../../meta/json-value.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { fields } from '../../../server/registry/validation/combine.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';
import { labelSelector } from '../../../server/registry/validation/label-selector-checks.ts';
import { bundleName } from '../../certificates/signers/bundle-name.ts';
import {
  longestLifeSeconds,
  SHORTEST_LIFE_SECONDS,
  signerName,
} from '../../certificates/signers/signer-name.ts';
import { userAnnotations } from '../../certificates/signers/user-annotations.ts';
import { oneOfTexts, requiredText } from '../report/small-checks.ts';
import { unreservedPath } from './local-path.ts';

const selector = labelSelector();
const bundlePath = requiredText(unreservedPath);

/** A file of the certificates of bundles: of one by its name, or of all of a signer. @see validateProjectionSources @ v1.37.2 */
export const bundleSource: Check = (bundle, path, report) => {
  if (!isRecord(bundle)) return;
  const { name, signerName: signer, labelSelector: chosen } = bundle;
  if (name !== undefined && signer !== undefined) {
    const shown = goForm('core.ClusterTrustBundleProjection', bundle);
    report.invalid(path, shown, 'only one of name and signerName may be used');
  } else if (name !== undefined) checkName(bundle, path, report);
  else if (signer === undefined) {
    report.required(path, 'either name or signerName must be specified');
  } else {
    if (signer === '') report.required(`${path}.signerName`, 'must be a valid signer name');
    signerName(signer, `${path}.signerName`, report);
    selector(chosen, `${path}.labelSelector`, report);
  }
  bundlePath(bundle['path'], `${path}.path`, report);
};

function checkName(bundle: JsonRecord, path: string, report: Report): void {
  const name = String(bundle['name']);
  const place = `${path}.name`;
  if (name === '') report.required(place, 'must be a valid object name');
  const signer = name.slice(0, Math.max(0, name.lastIndexOf(':'))).replaceAll(':', '/');
  for (const problem of bundleName(signer)(name)) {
    report.invalid(place, name, `not a valid clustertrustbundlename: ${problem}`);
  }
  const { labelSelector: chosen } = bundle;
  if (chosen === undefined) return;
  const rule = 'labelSelector must be unset if name is specified';
  report.invalid(`${path}.labelSelector`, chosen, rule);
}

/** The files of a certificate of a pod; there is at least one. */
export const CERTIFICATE_FILES = [
  'credentialBundlePath',
  'keyPath',
  'certificateChainPath',
] as const;

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

const signed = fields({ signerName, userAnnotations, keyType: oneOfTexts(...KEY_TYPES) });

/** A certificate that is issued for the pod, without its files. */
export const certificateSource: Check = (certificate, path, report) => {
  signed(certificate, path, report);
  if (!isRecord(certificate)) return;
  const { maxExpirationSeconds: seconds, signerName: signer = '' } = certificate;
  if (typeof seconds !== 'number') return;
  const wrong = (detail: string): void =>
    report.invalid(`${path}.maxExpirationSeconds`, seconds, `if provided, ${detail}`);
  const most = longestLifeSeconds(String(signer));
  if (seconds < SHORTEST_LIFE_SECONDS) {
    wrong(`maxExpirationSeconds must be >= ${SHORTEST_LIFE_SECONDS}`);
  }
  if (seconds > most) wrong(`maxExpirationSeconds must be <= ${most}`);
};
