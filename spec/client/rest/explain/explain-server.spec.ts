import { expect } from 'chai';
import type { RefusedAnswer } from '../../../../lib/client/rest/explain/refused-answer.ts';
import {
  explainForeign,
  explainInternal,
  explainUnavailable,
  isAggregated,
} from '../../../../lib/client/rest/explain/explain-server.ts';

const BEHIND = 'check that the API server behind this proxy runs';
const ELSEWHERE = 'check the server address, and the proxy in front of it';

function answer(code: number, words: string): RefusedAnswer {
  return {
    status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code },
    words,
    request: { method: 'GET', server: 'https://a', path: '/apis/metrics.k8s.io/v1beta1/nodes' },
    credential: undefined,
    foreign: false,
    html: false,
    sender: '',
  };
}

const METRICS = {
  verb: 'list',
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'nodes',
} as const;

describe('the explanation of a webhook that the API server could not call', () => {
  const post = 'Post "https://shop-operator.shop.svc:443/check?timeout=10s": tls: failed to verify';
  const admission = `Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: ${post}`;
  const conversion = `conversion webhook for example.com/v1, Kind=Shop failed: ${post}`;
  for (const [title, message, remedy] of [
    [
      'names caBundle for an unknown authority',
      `${admission} certificate: x509: certificate signed by unknown authority`,
      'set clientConfig.caBundle of the webhook check.example.com to the authority of its certificate, PEM in base64',
    ],
    [
      'names caBundle of a conversion too',
      `${conversion} certificate: x509: certificate signed by unknown authority (possibly because of "x509: invalid signature")`,
      'set clientConfig.caBundle of the conversion webhook of example.com/v1, Kind=Shop to the authority of its certificate, PEM in base64',
    ],
    [
      'says to renew a certificate that has expired',
      `${admission} certificate: x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after 2025-01-01T00:00:00Z`,
      'renew the certificate of the webhook check.example.com, and its caBundle if the authority is new',
    ],
    [
      'says which name a certificate needs',
      `${admission} certificate: x509: certificate is valid for localhost, not shop-operator.shop.svc`,
      'the webhook check.example.com needs a certificate for SERVICE.NAMESPACE.svc as an alternative name, signed by the authority in its caBundle',
    ],
    [
      'names the function that failed',
      `${admission.slice(0, admission.indexOf(' Post'))} the function of check.example.com failed: no database`,
      'correct the function of the webhook check.example.com',
    ],
    [
      'names the service for all else',
      admission.replace(post, 'EOF'),
      'check the service of the webhook check.example.com',
    ],
  ] as const) {
    it(title, () => {
      const refused = answer(500, 'the words may be cut …');
      const status = { ...refused.status, message };
      expect(explainInternal({ ...refused, status }).remedy).to.equal(remedy);
    });
  }

  it('is found in a time that grows with the length of the message', () => {
    const refused = answer(500, 'the words');
    const status = { ...refused.status, message: 'conversion webhook for '.repeat(400_000) };
    expect(explainInternal({ ...refused, status }).problem).to.equal('the words');
  });
});

describe('the explanation of an answer that the API server did not give itself', () => {
  for (const [code, remedy] of [
    [500, ELSEWHERE],
    [502, BEHIND],
    [503, BEHIND],
    [504, BEHIND],
    [505, ELSEWHERE],
  ] as const) {
    it(`with HTTP ${code} says: ${remedy}`, () => {
      expect(explainForeign(answer(code, 'down'))).to.deep.equal({
        problem: `an answer with HTTP ${code}, not from an API server: down`,
        remedy,
      });
    });
  }

  it('takes a 503 with the words of the aggregator for an API server that cannot be reached', () => {
    for (const words of ['service unavailable', 'Error trying to reach service: EOF']) {
      expect(isAggregated(answer(503, words)), words).to.equal(true);
      expect(isAggregated(answer(500, words)), words).to.equal(false);
      expect(explainUnavailable(answer(503, words), METRICS).remedy).to.equal(
        'look at kubectl get apiservice v1beta1.metrics.k8s.io',
      );
    }
    expect(isAggregated(answer(503, 'the service unavailable'))).to.equal(false);
    expect(explainUnavailable(answer(503, 'starting'), METRICS).remedy).to.equal('try again later');
  });
});

describe('the explanation of HTTP 500', () => {
  it('names the field of an applied object that the schema does not have', () => {
    const words =
      'failed to create typed patch object (shop/web; example.com/v1, Kind=Site): .spec.greetings: field not declared in schema';
    expect(explainInternal(answer(500, words))).to.deep.equal({
      problem: '.spec.greetings: field not declared in schema',
      remedy: 'correct this field',
    });
  });
});
