import { expect } from 'chai';
import { remedyOf } from '../../../../lib/cache/reflector/failure/failure-line.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { failure } from '../../../../lib/meta/failure/api-error.ts';
import { forbidden, notFound } from '../../../../lib/meta/failure/failures.ts';

const coded = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code, ...more });
const things = { group: '', resource: 'things' };

describe('remedyOf', () => {
  it('says what a person can do', () => {
    expect(remedyOf(notFound(things, 'x'))).to.include('CustomResourceDefinition');
    expect(remedyOf(failure('Unauthorized', 'who'))).to.include('credentials');
    expect(remedyOf(new ListwatchError('CERTIFICATE', 'x'))).to.include('certificate-authority');
    expect(remedyOf(coded('ECONNREFUSED'))).to.include('check that the API server runs');
    expect(remedyOf(new ListwatchError('CONNECTION_REFUSED', 'x'))).to.include('API server');
    expect(remedyOf(new Error('x'))).to.equal('');
    expect(remedyOf(undefined)).to.equal('');
  });

  describe('of a refusal', () => {
    it('names namespace and rule as the server said them', () => {
      const reason =
        'User "system:serviceaccount:shop:web" cannot watch resource "deployments" in API group "apps" in the namespace "shop"';
      const error = forbidden({ group: 'apps', resource: 'deployments' }, '', reason);
      expect(remedyOf(error)).to.equal(
        'add {apiGroups: ["apps"], resources: ["deployments"], verbs: ["list","watch"]} ' +
          'to a Role in namespace "shop"',
      );
    });

    it('asks for a ClusterRole at the cluster scope', () => {
      const reason = 'User "eve" cannot list resource "nodes" in API group "" at the cluster scope';
      expect(remedyOf(forbidden({ group: '', resource: 'nodes' }, '', reason))).to.equal(
        'add {apiGroups: [""], resources: ["nodes"], verbs: ["list","watch"]} to a ClusterRole',
      );
    });

    it('takes the resource from the details when the words are others', () => {
      const error = forbidden({ group: 'stable.example.com', resource: 'crontabs' }, '', 'no');
      expect(remedyOf(error)).to.equal(
        'add {apiGroups: ["stable.example.com"], resources: ["crontabs"], verbs: ["list","watch"]} ' +
          'to a Role or ClusterRole',
      );
    });

    it('says which verbs are missing when nothing else is known', () => {
      expect(remedyOf(failure('Forbidden', 'no'))).to.equal(
        'give the user the verbs list and watch on this resource',
      );
    });

    it('lets nothing a server sent reach a terminal as it is', () => {
      const nasty = `\u001B[31m${'x'.repeat(10_000)}`;
      const reason = `User "${nasty}" cannot list resource "${nasty}" in API group "${nasty}" in the namespace "${nasty}"`;
      const text = remedyOf(forbidden({ group: '', resource: '' }, '', reason));
      expect(text).to.not.include('\u001B');
      expect(text.length).to.be.below(2000);
    });
  });

  describe('of a certificate that has expired', () => {
    it('says so, wherever in the causes it stands', () => {
      const cause = new Error('socket', { cause: coded('CERT_HAS_EXPIRED') });
      const words = 'renew the certificate, or set the clock of this machine right';
      expect(remedyOf(new ListwatchError('CERTIFICATE', 'x', { cause }))).to.equal(words);
      expect(remedyOf(cause)).to.equal(words);
    });

    it('says when, if the error or the message of a Go server knows it', () => {
      const cert = { valid_to: 'Jan  1 00:00:00 2024 GMT' };
      expect(remedyOf(coded('CERT_HAS_EXPIRED', { cert }))).to.include(
        'it was valid to Jan  1 00:00:00 2024 GMT',
      );
      const text =
        'x509: certificate has expired or is not yet valid: current time 2026-02-03T04:05:06Z is after 2026-01-01T00:00:00Z';
      expect(remedyOf(failure('ServiceUnavailable', text))).to.include(
        '(it was valid to 2026-01-01T00:00:00Z)',
      );
    });
  });

  it('says that a host name does not resolve, and which', () => {
    expect(remedyOf(coded('ENOTFOUND', { hostname: 'api.example' }))).to.equal(
      'the host name "api.example" does not resolve: check the server address and DNS',
    );
    const cause = coded('EAI_AGAIN');
    expect(remedyOf(new ListwatchError('CONNECTION_FAILED', 'x', { cause }))).to.include(
      'the host name does not resolve',
    );
  });
});
