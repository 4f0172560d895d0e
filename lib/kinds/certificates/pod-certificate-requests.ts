import { jsonEqual, textAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { userAnnotations } from './signers/user-annotations.ts';
import { longestLifeSeconds, SHORTEST_LIFE_SECONDS, signerName } from './signers/signer-name.ts';
import { podCertificateStatus } from './pod-certificate-status.ts';
import { stubRequest } from './stub-request.ts';

const LONGEST_UID = 128;

const uid: Check = (value = '', path, report) => {
  if (value === '') report.invalid(path, '', 'must not be empty');
  if (String(value).length > LONGEST_UID) report.tooLong(path, LONGEST_UID, 'bytes');
};

const form = format(dnsSubdomain);
const name: Check = (value = '', path, report) => form(value, path, report);

const references = fields({
  signerName,
  unverifiedUserAnnotations: userAnnotations,
  podName: name,
  podUID: uid,
  serviceAccountName: name,
  serviceAccountUID: uid,
  nodeName: name,
  nodeUID: uid,
});

const ONE_KEY =
  'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';

/** @see pkg/apis/certificates/validation ValidatePodCertificateRequestCreate @ v1.37.2 */
const created: Check = (spec, path, report) => {
  references(spec ?? {}, path, report);
  const seconds = valueAt(spec, 'maxExpirationSeconds');
  if (typeof seconds !== 'number') {
    return report.required(`${path}.maxExpirationSeconds`, 'must be set');
  }
  const most = longestLifeSeconds(textAt(spec, 'signerName'));
  if (seconds < SHORTEST_LIFE_SECONDS || seconds > most) {
    const range = `must be in the range [${SHORTEST_LIFE_SECONDS}, ${most}]`;
    report.invalid(`${path}.maxExpirationSeconds`, seconds, range);
  }
  const stub = textAt(spec, 'stubPKCS10Request');
  if (stub === '') report.invalidHere(path, ONE_KEY);
  else stubRequest(stub, `${path}.stubPKCS10Request`, report);
};

const kept: Check = (spec, path, report, old) => {
  if (jsonEqual(spec, old)) return;
  const shownForm = goForm('certificates.PodCertificateRequestSpec', spec) as JsonRecord;
  const { StubPKCS10Request, UnverifiedUserAnnotations, ...others } = shownForm;
  // Those of a version before this one.
  const earlier = { PKIXPublicKey: null, ProofOfPossession: null };
  const shown = { ...others, ...earlier, StubPKCS10Request, UnverifiedUserAnnotations };
  report.immutable(path, shown);
};

/** Requests of the kubelet for certificates of pods. */
export const podCertificateRequests: KindRules = {
  group: 'certificates.k8s.io',
  resource: 'podcertificaterequests',
  strategy: {
    validate: (object, policy) => causesOf(fields({ spec: created }), object, undefined, policy),
    validateUpdate: (object, existing, policy) =>
      causesOf(fields({ spec: kept }), object, existing, policy),
  },
  statusStrategy: newStatusStrategy({
    keepMetadata: true,
    validateUpdate: (object, existing, policy) =>
      causesOf(fields({ status: podCertificateStatus }), object, existing, policy),
  }),
  selectableFields: {
    'spec.signerName': (request) => textAt(request, 'spec', 'signerName'),
    'spec.podName': (request) => textAt(request, 'spec', 'podName'),
    'spec.nodeName': (request) => textAt(request, 'spec', 'nodeName'),
  },
};
