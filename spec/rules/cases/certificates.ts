import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

/** Of the organisation `system:masters`. */
const OF_MASTERS =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZ01JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRw' +
  'dFlYTjBaWEp6TVFvd0NBWURWUVFEREFGNApNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVxcFAzVzZRTXVISE5z' +
  'RDVDeEVscVlrSU1OVjd6CmNWMnpLQXkzSlQvYlRpOXd3blJlM3c3em1rVXpWRUdMSWhyV1BDc3h2TU9YU3hZeXRPb2F1WGwwRWFB' +
  'QU1Bb0cKQ0NxR1NNNDlCQU1DQTBnQU1FVUNJRXZtMWFBNlFNNERxYTNsTk1vUzQ1NWw3ZS9oalpJamhmMjZBK0p4ZjljcApBaUVB' +
  'MGNnblpuRC9MUmVsVXRmaHNwM29OaHpqWlJrbXlFZUhwNS9kVko0THlEdz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0t' +
  'LS0tCg==';

const apiVersion = 'certificates.k8s.io/v1';
const collection = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

function pem(type: string, lines: readonly string[]): string {
  const text = [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
  return Buffer.from(text).toString('base64');
}

// prettier-ignore
const REQUEST = [
  'MIHKMHECAQAwDzENMAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEH',
  'A0IABOPLnInWaIiGJ/Y6CYtnXJJw8Vt2Hc2/3BvZIDP/vL87MiXeylOHJJPq2iaY',
  '0tvG+c3EDhJWdBnMhVSV4jfma46gADAKBggqhkjOPQQDAgNJADBGAiEA6TvOM6F9',
  '5QI4jtO5/MDgOtQUN6q2MISn7wVVvExfPQMCIQCE8PUuRuakN4iXCnyWv6S7TnPw',
  'wzngL1jVi2eTIQ9PZA==',
];
// prettier-ignore
const RSA_REQUEST = [
  'MIIBSzCBtQIBADAMMQowCAYDVQQDDAFqMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB',
  'iQKBgQC9ygS/3RH61w3m4lOHm2qp3jbw8t93Z+dQ2PvjvAfSjh5QCi+1nS2XpyU/',
  'i6hzhZPaQQv5E0EmTQPKDuUttqMbWr86jbIMGw3behC66EKgnbJp4JT7UOZvzL4G',
  'YK5IA2RfD0Tux21hcs2VIdu+mnOYp1udKYKJhp/K2jyLMUTGFwIDAQABoAAwDQYJ',
  'KoZIhvcNAQELBQADgYEAShhxLYnu5x8I1wExAA9TeHQY3wS3ZwMQnx+37haXbb6F',
  'Y6po26VpUYUwXfh/dn+88axW5cD7JmnRhtCg5+w9zQ92VXkiLvZHSJTiZgjYIxjw',
  'jVgmOw028/vtk0LhXjhy7KImIj7wRBMTSo2Axd6rjlB8iJ8y2YXyQcHIqVPuAqs=',
];
// prettier-ignore
const CERTIFICATE = [
  'MIIBdjCCARugAwIBAgIUMRTIcHT8Wt94omM2kpVcb4PS8nkwCgYIKoZIzj0EAwIw',
  'DzENMAsGA1UEAwwEamFuZTAgFw0yNjExMjIxNDQ2MTRaGA8yMTI2MTAyOTE0NDYx',
  'NFowDzENMAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOPL',
  'nInWaIiGJ/Y6CYtnXJJw8Vt2Hc2/3BvZIDP/vL87MiXeylOHJJPq2iaY0tvG+c3E',
  'DhJWdBnMhVSV4jfma46jUzBRMB0GA1UdDgQWBBQDLETfqUWREA6ozynFZ2KgyGAC',
  '1zAfBgNVHSMEGDAWgBQDLETfqUWREA6ozynFZ2KgyGAC1zAPBgNVHRMBAf8EBTAD',
  'AQH/MAoGCCqGSM49BAMCA0kAMEYCIQD7P+rMIo9ibsIpjhhCgvzZ++pHkdQpUwpo',
  'ZifB0AQfQAIhAKyneYYefgYwsn2QeUL2SMWXfz9jBZsCTfSHLMqQzzAN',
];

const CSR = 'CERTIFICATE REQUEST';
const time = '2024-01-02T03:04:05Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'a',
  message: 'b',
  lastUpdateTime: time,
  lastTransitionTime: time,
});

const base = {
  apiVersion,
  kind: 'CertificateSigningRequest',
  metadata: { name: '{ns}-base' },
  spec: {
    request: pem(CSR, REQUEST),
    signerName: 'example.com/signer',
    usages: ['client auth'],
  },
};

const decisions: readonly Change[] = [
  { 'status.conditions': [condition('Approved')] },
  { 'status.conditions': [condition('Denied')] },
  { 'status.conditions': [condition('Failed')] },
  { 'status.conditions': [condition('Other', 'False')] },
  { 'status.conditions': [condition('Other', '')] },
  { 'status.conditions': [condition('Other', 'Maybe')] },
  { 'status.conditions': [condition('')] },
  { 'status.conditions': [condition('Approved', 'False')] },
  { 'status.conditions': [condition('Failed', 'Unknown')] },
  { 'status.conditions': [condition('Other'), condition('Other')] },
  { 'status.conditions': [condition('Approved'), condition('Denied')] },
  { 'status.certificate': pem('CERTIFICATE', CERTIFICATE) },
  { 'metadata.labels': { a: 'b' } },
  { 'spec.usages': ['server auth'] },
];

export const cases: readonly RuleCases[] = [
  {
    title: `${apiVersion} CertificateSigningRequest`,
    collection,
    base,
    creates: [
      { spec: undefined },
      { 'spec.request': undefined },
      { 'spec.request': 'bm90IGEgcmVxdWVzdA==' },
      { 'spec.request': pem('CERTIFICATE', REQUEST) },
      { 'spec.request': pem(CSR, RSA_REQUEST) },
      {
        'spec.request': pem(
          CSR,
          REQUEST.with(0, 'MIHKMHECAQAwDzENMAsGA1UEAwwEamFuYTBZMBMGByqGSM49AgEGCCqGSM49AwEH'),
        ),
      },
      { 'spec.signerName': undefined },
      { 'spec.signerName': 'a' },
      { 'spec.signerName': 'a/b' },
      { 'spec.request': OF_MASTERS },
      {
        'spec.request': OF_MASTERS,
        'spec.signerName': 'kubernetes.io/kube-apiserver-client',
        'spec.usages': ['client auth'],
      },
      { 'spec.signerName': 'example.com/a/b' },
      { 'spec.signerName': 'Example.com/b' },
      { 'spec.signerName': 'example.com/B' },
      { 'spec.signerName': 'kubernetes.io/legacy-unknown' },
      { 'spec.signerName': 'kubernetes.io/kube-apiserver-client' },
      { 'spec.usages': undefined },
      { 'spec.usages': ['other'] },
      { 'spec.usages': ['client auth', 'client auth'] },
      { 'spec.usages': ['digital signature', 'any'] },
      { 'spec.expirationSeconds': 599 },
      { 'spec.expirationSeconds': 600 },
      { 'spec.username': 'somebody' },
      { 'status.conditions': [condition('Approved')] },
    ],
    updates: [
      { 'spec.usages': ['server auth'] },
      { 'metadata.labels': { a: 'b' } },
      { 'status.conditions': [condition('Approved')] },
    ],
    statuses: [
      ...decisions,
      { 'status.certificate': 'bm90aGluZw==' },
      { 'status.certificate': '' },
      { 'status.certificate': pem(CSR, REQUEST) },
      { 'status.conditions': [{ type: 'Other', status: 'True' }] },
    ],
  },
  {
    title: `${apiVersion} CertificateSigningRequest, approval`,
    collection,
    base: { ...base, metadata: { name: '{ns}-approved' } },
    subresource: 'approval',
    statuses: decisions,
  },
];
