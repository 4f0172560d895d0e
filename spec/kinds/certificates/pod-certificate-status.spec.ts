import { expect } from 'chai';
import { podCertificateStatus } from '../../../lib/kinds/certificates/pod-certificate-status.ts';
import { causesOf } from '../../../lib/server/registry/validation/check.ts';
import { fields } from '../../../lib/server/registry/validation/combine.ts';

/** Issued for the key of the request below. */
// prettier-ignore
const CERTIFICATE = [
  'MIIBMDCB46ADAgECAhQPM+V7R6ji73rSPptJyjHIqF8eGDAFBgMrZXAwDjEMMAoG',
  'A1UEAwwDcG9kMB4XDTI2MTEzMDAwNDczMloXDTI2MTIwMTAwNDczMlowDjEMMAoG',
  'A1UEAwwDcG9kMCowBQYDK2VwAyEA/6zOAL/7mHsjXmoiZxbhSIIjgQyNXp3DYxDk',
  'pQMlQXOjUzBRMB0GA1UdDgQWBBSpLp0tjyxHNQOLheYptTzPHEI/lzAfBgNVHSME',
  'GDAWgBSpLp0tjyxHNQOLheYptTzPHEI/lzAPBgNVHRMBAf8EBTADAQH/MAUGAytl',
  'cANBAK42qnxC2r0JxQrPRMzGl/GJI9jLw18yqnx4yJQgTVOObBEsMhKPVtK4kXQZ',
  'Fs4cGSpIepztsdY4U5qY2OTWYAE=',
];
// prettier-ignore
const REQUEST = [
  'MH8wMwIBADAAMCowBQYDK2VwAyEA/6zOAL/7mHsjXmoiZxbhSIIjgQyNXp3DYxDk',
  'pQMlQXOgADAFBgMrZXADQQDIVvftRKCw2THi3VEPSMBwa3F7ICAWilF6fFnfj1kZ',
  'EUOOSls+vkn5ocI7KVBdIRRkZKt8NeFBOWNcxWZnQXAN',
];

const chain = ['-----BEGIN CERTIFICATE-----', ...CERTIFICATE, '-----END CERTIFICATE-----', ''].join(
  '\n',
);
const ISSUED_MS = Date.parse('2026-11-30T00:47:32Z');
const MINUTE_MS = 60_000;
const status = {
  conditions: [
    { type: 'Issued', status: 'True', reason: 'A', lastTransitionTime: '2026-11-30T00:47:32Z' },
  ],
  certificateChain: chain,
  notBefore: '2026-11-30T00:47:32Z',
  notAfter: '2026-12-01T00:47:32Z',
  beginRefreshAt: '2026-11-30T12:00:00Z',
};

/** The faults of an update of the status. */
function faults(
  change: object,
  { nowMs = ISSUED_MS, seconds = 86_400 }: { nowMs?: number; seconds?: number } = {},
): string[] {
  const spec = { stubPKCS10Request: REQUEST.join(''), maxExpirationSeconds: seconds };
  const object = { spec, status: { ...status, ...change } };
  const check = fields({ status: podCertificateStatus });
  return causesOf(check, object, { spec, status: {} }, { nowMs }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

describe('the status of a request for the certificate of a pod', () => {
  it('is a certificate for its key whose times are those of the status', () => {
    expect(faults({})).to.deep.equal([]);
    expect(faults({}, { nowMs: ISSUED_MS + 5 * MINUTE_MS - 1 })).to.deep.equal([]);
  });

  for (const [how, change, fault, more] of [
    [
      'without its times',
      { notBefore: undefined, notAfter: undefined, beginRefreshAt: undefined },
      [
        'status.notBefore: Required value: must be present and consistent with the issued certificate',
        'status.notAfter: Required value: must be present and consistent with the issued certificate',
        'status.beginRefreshAt: Required value: must be present and in the range [notbefore+10min, notafter-10min]',
      ],
    ],
    [
      'with another begin',
      { notBefore: '2026-11-30T00:47:33Z' },
      [
        'status.notBefore: Invalid value: "2026-11-30T00:47:33Z": must be set to the NotBefore time encoded in the leaf certificate',
      ],
    ],
    [
      'from another time',
      {},
      [
        `status.notBefore: Invalid value: "2026-11-30T00:47:32Z": must be set to within 5 minutes of kube-apiserver's current time`,
      ],
      { nowMs: ISSUED_MS - 5 * MINUTE_MS },
    ],
    [
      'with another end',
      { notAfter: '2026-12-01T00:47:31Z' },
      [
        'status.notAfter: Invalid value: "2026-12-01T00:47:31Z": must be set to the NotAfter time encoded in the leaf certificate',
      ],
    ],
    [
      'that lives longer than asked for',
      {},
      [
        'status.certificateChain: Invalid value: 86400000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (86399)',
      ],
      { seconds: 86_399 },
    ],
    [
      'that is refreshed too early',
      { beginRefreshAt: '2026-11-30T00:57:31Z' },
      [
        'status.beginRefreshAt: Invalid value: "2026-11-30T00:57:31Z": must be at least 10 minutes after status.notBefore',
      ],
    ],
    [
      'that is refreshed too late',
      { beginRefreshAt: '2026-12-01T00:37:33Z' },
      [
        'status.beginRefreshAt: Invalid value: "2026-12-01T00:37:33Z": must be at least 10 minutes before status.notAfter',
      ],
    ],
  ] as const) {
    it(`is refused for a certificate ${how}`, () => {
      expect(faults(change, more)).to.deep.equal(fault);
    });
  }

  it('may have more certificates behind the first, and nothing else', () => {
    expect(faults({ certificateChain: chain + chain })).to.deep.equal([]);
    const other = chain.replaceAll('CERTIFICATE', 'KEY');
    expect(faults({ certificateChain: chain + other })[0]).to.match(/entirely of CERTFICATE PEM/);
  });
});
