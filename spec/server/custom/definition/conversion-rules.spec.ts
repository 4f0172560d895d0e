import { expect } from 'chai';
import { CertificateAuthority } from '../../../../lib/kernel/certificates/certificate-authority.ts';
import {
  bundleProblem,
  conversionCauses,
} from '../../../../lib/server/custom/definition/conversion-rules.ts';

const OPTIONS = { requiresKnownReview: true, allowsWrongBundle: false };

function messagesOf(url: string): string[] {
  const webhook = { clientConfig: { url }, conversionReviewVersions: ['v1'] };
  const causes = conversionCauses({ strategy: 'Webhook', webhook }, OPTIONS);
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('the URL of a conversion webhook', () => {
  it('may have percent-encoding', () => {
    expect(messagesOf('https://a.example.com/%2F')).to.deep.equal([]);
  });

  it('has no wrong percent-encoding', () => {
    expect(messagesOf('https://a.example.com/%zz')).to.deep.equal([
      'spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: parse "https://a.example.com/%zz": invalid URL escape "%zz"; desired format: https://host[/path]',
    ]);
  });

  it('is an HTTPS address with a host', () => {
    expect(messagesOf('http:///x').map((text) => text.split(': ')[2])).to.deep.equal([
      '"http"',
      '""',
    ]);
  });
});

describe('the bundle of a conversion webhook', () => {
  it('is empty, or certificates that can be read', () => {
    const { certificate } = new CertificateAuthority({ name: 'a', nowMs: 0 });
    const broken = certificate.replace(/\n[^-].*\n/, '\nAAAA\n');
    const problemOf = (text: string): string | undefined =>
      bundleProblem(Buffer.from(text).toString('base64'));
    const problem = 'unable to load root certificates: unable to parse bytes as PEM block';
    expect(problemOf('')).to.equal(undefined);
    expect(problemOf(certificate)).to.equal(undefined);
    expect(problemOf(certificate + certificate)).to.equal(undefined);
    expect(problemOf('none')).to.equal(problem);
    expect(problemOf(broken)).to.equal(problem);
    expect(problemOf(certificate + broken)).to.equal(problem);
  });
});
