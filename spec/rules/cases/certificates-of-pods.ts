import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

// prettier-ignore
const AUTHORITY = [
  'MIIBcDCCARegAwIBAgIUSeiZXq+zlNSMm+c/i287yqSAyAgwCgYIKoZIzj0EAwIw',
  'DTELMAkGA1UEAwwCY2EwIBcNMjYxMTMwMDA0NzMwWhgPMjEyNjExMDYwMDQ3MzBa',
  'MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELnfpEcpv',
  'ZZzJz4yj3XPNKjXfEoLxQ5q3ng86fVx3fC6akkIU7pLqA/b5H+1DQ/WVgPF45Buw',
  'JrkH1WQ7PKQDJaNTMFEwHQYDVR0OBBYEFH14ly9JjmizsonumLykc2nEOjZwMB8G',
  'A1UdIwQYMBaAFH14ly9JjmizsonumLykc2nEOjZwMA8GA1UdEwEB/wQFMAMBAf8w',
  'CgYIKoZIzj0EAwIDRwAwRAIgCHjNkP72/oyltalZ/Cl1b+XbMqJ/n5z/pW1iusQ0',
  'UDYCIEWi5FKldXmSf+eeA3daNfmu0W9ITETh86iCkY4U4hR1',
];
// prettier-ignore
const NO_AUTHORITY = [
  'MIIBcTCCARigAwIBAgIUEjhT6T4borgNnzhZ2lxJZxEy0MIwCgYIKoZIzj0EAwIw',
  'DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMzAwMDQ3MzBaGA8yMTI2MTEwNjAwNDcz',
  'MFowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABON6',
  '8zc0R7IWyVyizPICiSVEOQ1AM47U0pHMocItBix1T4XjjCv81iGJmSIVPpsAOmoI',
  'Lbc3BcvlUn4U/jYog46jUDBOMB0GA1UdDgQWBBSfTlAN/xVlbrPOyWnY5mhYFD+P',
  '5jAfBgNVHSMEGDAWgBSfTlAN/xVlbrPOyWnY5mhYFD+P5jAMBgNVHRMBAf8EAjAA',
  'MAoGCCqGSM49BAMCA0cAMEQCIC+c5/A5f1AfOUC+82rBdGvFz05+Ax/zZ9AdUA7i',
  'pZpEAiB/b5FXYjLsW3JiOc4Ht/D+hJwMdXiVcEqhUjFwL56SDw==',
];
/** Of the key of `ED25519`. */
// prettier-ignore
const ISSUED = [
  'MIIBMDCB46ADAgECAhQPM+V7R6ji73rSPptJyjHIqF8eGDAFBgMrZXAwDjEMMAoG',
  'A1UEAwwDcG9kMB4XDTI2MTEzMDAwNDczMloXDTI2MTIwMTAwNDczMlowDjEMMAoG',
  'A1UEAwwDcG9kMCowBQYDK2VwAyEA/6zOAL/7mHsjXmoiZxbhSIIjgQyNXp3DYxDk',
  'pQMlQXOjUzBRMB0GA1UdDgQWBBSpLp0tjyxHNQOLheYptTzPHEI/lzAfBgNVHSME',
  'GDAWgBSpLp0tjyxHNQOLheYptTzPHEI/lzAPBgNVHRMBAf8EBTADAQH/MAUGAytl',
  'cANBAK42qnxC2r0JxQrPRMzGl/GJI9jLw18yqnx4yJQgTVOObBEsMhKPVtK4kXQZ',
  'Fs4cGSpIepztsdY4U5qY2OTWYAE=',
];
// prettier-ignore
const ED25519 = [
  'MH8wMwIBADAAMCowBQYDK2VwAyEA/6zOAL/7mHsjXmoiZxbhSIIjgQyNXp3DYxDk',
  'pQMlQXOgADAFBgMrZXADQQDIVvftRKCw2THi3VEPSMBwa3F7ICAWilF6fFnfj1kZ',
  'EUOOSls+vkn5ocI7KVBdIRRkZKt8NeFBOWNcxWZnQXAN',
];
// prettier-ignore
const P224 = [
  'MIGoMFcCAQAwADBOMBAGByqGSM49AgEGBSuBBAAhAzoABAne9EKuTWD/lUSJENAp',
  'sPGZfM6RSDNKmA4cZ4/Gf5EXcWbLc2Up9WWfc9VGeUeYpksslOLZWe+3oAAwCgYI',
  'KoZIzj0EAwIDQQAwPgIdAOk46WbIiiaVjMwM515eJG+09mZJ5rKTe4JyrxoCHQDM',
  '0bINJatHtKHDmd186fDwk6vE77P6JZIfRhua',
];
// prettier-ignore
const P384 = [
  'MIH3MH8CAQAwADB2MBAGByqGSM49AgEGBSuBBAAiA2IABGc/7y8W2CjcfVjoxbXz',
  '3eUtwX3ihWBUsgc4tRfpNdFHrv7gIocC75H9YXNWc4Qpbl0Lwt/6rqNfM1D/U9re',
  'oDHQ9Qa5/9uw6FNMuwt3w5Jo0T/yD8baRkgzmOlA8yhRWaAAMAoGCCqGSM49BAMC',
  'A2gAMGUCMEtUFXFANoMBc/DOfejtvu3iUbUgXHV6Z4L3a8I2rLrM9aHyX5NKAn3z',
  'sh3ekNeqowIxAIdi8ZbnucQVxrQXbhvCqjP2hElvLpVX1rxD25U+Znqd2giwQyFU',
  'UEogsLyVKZ0Iiw==',
];
// prettier-ignore
const RSA2048 = [
  'MIICRTCCAS0CAQAwADCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBANAM',
  'hZzicVbuEzPfOvvv0WjtmX9ecM42vR5yBlG3IkDd8KOiCX9nszCXT4zV2lfNWfxC',
  'zDVJXtdlWW8FawE6QqvFj7cwWtcL8CLIi5rRcAQUhdzTaj7YxVn9OqD8G5am/j8l',
  'sJso5thsmMEBFRsGtKC87wgKJAhHEJnmQuYsvi8BReqvPVudv1WnyBpCgSIZsXMf',
  'MbiESu27rwgkX9k/vvhgZSbru0G5t4Vo4eX2bTh/th8ZOOdsouXNXjt6K2C9d9Zx',
  'pOM2IN60Dqd+HJim1uDWNx4es3EGUd2ULnE3ZgqHR3lBgqHR0D3p4RxaYq3rNqcJ',
  'pwPV+5K4dfpsIWcIW/0CAwEAAaAAMA0GCSqGSIb3DQEBCwUAA4IBAQC2r1L4hCEv',
  '9DShO6ZZr/EABF0xIIKozDf4ma70mg9FLfNcHqfn8/ELMpbcLLjmltPIFVbQ7Soz',
  'QuIjQigh5f3nVHXuy+AWOXNRs07kPAbHWEDWvSY89q+ISYg4G7Yxwy2QrtB0lnrb',
  'M4AAvO5F1OX7mx19QAPgH5BEINxZWXMgNMxJAx00Gx//dIUBEaf00HwOKTDOj5Gx',
  '01ji5hVkbjagqMR3LswSOK/e3oVrWuh5kBfYuvs8ydYRQLBJYoBBWDWP1GtxFgBH',
  'S9IwZ6qxeCQtifIjmYdTs8n9hdSVRxg4NMMhiuW+hbyXPVBDlu8q4jtl4cBxqggR',
  'mDmldm6q68gi',
];

const apiVersion = 'certificates.k8s.io/v1';
const group = `/apis/${apiVersion}`;

function pem(
  lines: readonly string[],
  type = 'CERTIFICATE',
  headers: readonly string[] = [],
): string {
  return [`-----BEGIN ${type}-----`, ...headers, ...lines, `-----END ${type}-----`, ''].join('\n');
}

const BUNDLE = pem(AUTHORITY);

const bundles: Omit<RuleCases, 'title' | 'base'> = {
  since: 37,
  collection: `${group}/clustertrustbundles`,
  creates: [
    { spec: undefined },
    { 'spec.trustBundle': undefined },
    { 'spec.trustBundle': '' },
    { 'spec.trustBundle': 'nothing' },
    { 'spec.trustBundle': `text\n${BUNDLE}more text\n` },
    { 'spec.trustBundle': pem(NO_AUTHORITY) },
    { 'spec.trustBundle': pem(AUTHORITY, 'CERTIFICATE REQUEST') },
    { 'spec.trustBundle': pem(AUTHORITY, 'CERTIFICATE', ['Comment: a', '']) },
    { 'spec.trustBundle': pem(AUTHORITY.slice(1)) },
    { 'spec.trustBundle': BUNDLE + BUNDLE },
    { 'spec.trustBundle': BUNDLE + pem(NO_AUTHORITY) },
    { 'spec.trustBundle': 'a'.repeat(1024 * 1024 + 1) },
    { 'spec.signerName': 'example.com/other' },
    { 'spec.signerName': 'a' },
    { 'spec.signerName': '' },
    { 'metadata.name': '{ns}:bundle' },
    { 'metadata.name': 'example.com:{ns}:bundle' },
    { 'metadata.name': 'example.com:{ns}:Bundle' },
    { 'metadata.name': '{ns}-Bundle' },
    { 'metadata.labels': { a: '-' } },
  ],
  updates: [
    { 'metadata.labels': { a: 'b' } },
    { 'metadata.labels': { a: '-' } },
    { 'metadata.finalizers': ['a'] },
    { 'spec.trustBundle': 'nothing' },
    { 'spec.trustBundle': pem(NO_AUTHORITY) },
    { 'spec.signerName': 'example.com/other' },
    { 'spec.signerName': '' },
    { 'metadata.resourceVersion': undefined },
  ],
};

const time = '2024-01-02T03:04:05Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'Why',
  message: 'b',
  lastTransitionTime: time,
});
const issued: Change = {
  'status.conditions': [condition('Issued')],
  'status.certificateChain': pem(ISSUED),
  'status.notBefore': '2026-11-30T00:47:32Z',
  'status.notAfter': '2026-12-01T00:47:32Z',
  'status.beginRefreshAt': '2026-11-30T12:00:00Z',
};

const podRequest: RuleCases = {
  title: `${apiVersion} PodCertificateRequest`,
  since: 37,
  collection: `${group}/namespaces/{ns}/podcertificaterequests`,
  base: {
    apiVersion,
    kind: 'PodCertificateRequest',
    metadata: { name: 'base' },
    spec: {
      signerName: 'example.com/signer',
      podName: 'pod',
      podUID: '11111111-1111-4111-8111-111111111111',
      serviceAccountName: 'default',
      serviceAccountUID: '22222222-2222-4222-8222-222222222222',
      nodeName: 'node',
      nodeUID: '33333333-3333-4333-8333-333333333333',
      stubPKCS10Request: ED25519.join(''),
    },
  },
  creates: [
    { spec: undefined },
    { 'spec.signerName': undefined },
    { 'spec.signerName': 'a' },
    { 'spec.podName': undefined },
    { 'spec.podName': 'A' },
    { 'spec.podUID': undefined },
    { 'spec.podUID': 'a'.repeat(129) },
    { 'spec.serviceAccountName': undefined },
    { 'spec.serviceAccountName': 'A' },
    { 'spec.serviceAccountUID': undefined },
    { 'spec.serviceAccountUID': 'a'.repeat(129) },
    { 'spec.nodeName': undefined },
    { 'spec.nodeName': 'A' },
    { 'spec.nodeUID': undefined },
    { 'spec.nodeUID': 'a'.repeat(129) },
    { 'spec.maxExpirationSeconds': 3600 },
    { 'spec.maxExpirationSeconds': 3599 },
    { 'spec.maxExpirationSeconds': 7862400 },
    { 'spec.maxExpirationSeconds': 7862401 },
    { 'spec.maxExpirationSeconds': 86401, 'spec.signerName': 'kubernetes.io/a' },
    { 'spec.maxExpirationSeconds': 86401, 'spec.signerName': 'a.kubernetes.io/a' },
    { 'spec.maxExpirationSeconds': 86401, 'spec.signerName': 'akubernetes.io/a' },
    { 'spec.stubPKCS10Request': undefined },
    { 'spec.stubPKCS10Request': 'bm90aGluZw==' },
    { 'spec.stubPKCS10Request': P224.join('') },
    { 'spec.stubPKCS10Request': P384.join('') },
    { 'spec.stubPKCS10Request': RSA2048.join('') },
    { 'spec.stubPKCS10Request': ED25519.join('').replace('Rfphb', 'Sfphb').replace('WiZ', 'WiY') },
    { 'spec.stubPKCS10Request': Buffer.alloc(10241).toString('base64') },
    { 'spec.unverifiedUserAnnotations': { 'a.com/B': 'x' } },
    { 'spec.unverifiedUserAnnotations': { a: 'x' } },
    { 'spec.unverifiedUserAnnotations': { 'a.com/-': 'x' } },
    { 'spec.unverifiedUserAnnotations': { 'a.com/b/c': 'x' } },
    { 'spec.unverifiedUserAnnotations': { '': 'x' } },
    { 'spec.unverifiedUserAnnotations': { 'a.com/b': 'x'.repeat(256 * 1024) } },
    { 'spec.pkixPublicKey': 'bm90aGluZw==' },
    { 'status.conditions': [condition('Denied')] },
  ],
  updates: [
    { 'metadata.labels': { a: 'b' } },
    { 'metadata.labels': { a: '-' } },
    { 'spec.podName': 'other' },
    { 'spec.maxExpirationSeconds': 3600 },
    { 'status.conditions': [condition('Denied')] },
    { 'metadata.resourceVersion': undefined },
  ],
  statuses: [
    { 'metadata.labels': { a: 'b' } },
    { 'spec.podName': 'other' },
    { 'status.conditions': [condition('Denied')] },
    { 'status.conditions': [condition('Failed')] },
    { 'status.conditions': [condition('Denied', 'False')] },
    { 'status.conditions': [condition('Denied', '')] },
    { 'status.conditions': [condition('Denied'), condition('Failed')] },
    { 'status.conditions': [condition('Denied'), condition('Denied')] },
    { 'status.conditions': [condition('Other')] },
    { 'status.conditions': [condition('')] },
    { 'status.conditions': [{ type: 'Denied', status: 'True' }] },
    { 'status.conditions': [condition('Denied')], 'status.certificateChain': pem(ISSUED) },
    { 'status.certificateChain': pem(ISSUED) },
    { 'status.notBefore': time },
    { 'status.conditions': [condition('Issued')] },
    { ...issued, 'status.certificateChain': 'nothing' },
    { ...issued, 'status.certificateChain': pem(ISSUED, 'OTHER') },
    { ...issued, 'status.certificateChain': pem(ISSUED.slice(1)) },
    { ...issued, 'status.certificateChain': pem(NO_AUTHORITY) },
    { ...issued, 'status.certificateChain': 'a'.repeat(100 * 1024 + 1) },
    { 'status.conditions': [condition('Issued')], 'status.certificateChain': pem(ISSUED) },
    { ...issued, 'status.notBefore': time },
  ],
};

const decided: RuleCases = {
  title: `${apiVersion} PodCertificateRequest, without a status`,
  since: 37,
  collection: podRequest.collection,
  base: { ...podRequest.base, metadata: { name: 'other' }, status: { notBefore: time } },
  statuses: [{ 'metadata.finalizers': ['a.com/b'] }, { 'status.conditions': [] }],
};

export const cases: readonly RuleCases[] = [
  {
    ...bundles,
    title: `${apiVersion} ClusterTrustBundle`,
    base: {
      apiVersion,
      kind: 'ClusterTrustBundle',
      metadata: { name: '{ns}-base' },
      spec: { trustBundle: BUNDLE },
    },
  },
  {
    ...bundles,
    title: `${apiVersion} ClusterTrustBundle, of a signer`,
    base: {
      apiVersion,
      kind: 'ClusterTrustBundle',
      metadata: { name: 'example.com:signer:{ns}-base' },
      spec: { trustBundle: BUNDLE, signerName: 'example.com/signer' },
    },
  },
  podRequest,
  decided,
];
