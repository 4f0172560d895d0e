import { expect } from 'chai';
import { conversionCauses } from '../../../../../lib/server/registry/custom/definition/conversion-rules.ts';

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
