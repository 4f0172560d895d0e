import { expect } from 'chai';
import { CORE_DEFAULTS, POD_DEFAULTS } from '../../../lib/kinds/defaults/core-defaults.ts';
import type { JsonRecord } from '../../../lib/meta/json-value.ts';
import { Answers } from '../../server/registry/support/answers.ts';

function defaulted(type: string, given: JsonRecord): JsonRecord {
  const setDefaults = CORE_DEFAULTS[type] ?? POD_DEFAULTS[type];
  expect(setDefaults, type).to.be.a('function');
  setDefaults?.(given);
  return given;
}

describe('the label of a namespace', () => {
  it('is its name, which a namespace with a prefix has not yet', () => {
    const label = { 'kubernetes.io/metadata.name': 'a' };
    expect(defaulted('core.Namespace', { metadata: { name: 'a' } })).to.deep.equal({
      metadata: { name: 'a', labels: label },
    });
    expect(
      defaulted('core.Namespace', { metadata: { name: 'a', labels: { b: 'c' } } }),
    ).to.deep.equal({ metadata: { name: 'a', labels: { b: 'c', ...label } } });
    for (const namespace of [{}, { metadata: {} }, { metadata: { generateName: 'a-' } }]) {
      expect(defaulted('core.Namespace', structuredClone(namespace))).to.deep.equal(namespace);
    }
  });
});

describe('an address that is given singly and as a list', () => {
  it('is the single one of a pod where both differ', () => {
    const status = (podIP: string, ...ips: readonly string[]): JsonRecord => ({
      ...(podIP === '' ? {} : { podIP }),
      ...(ips.length === 0 ? {} : { podIPs: ips.map((ip) => ({ ip })) }),
    });
    const rows: readonly (readonly [JsonRecord, JsonRecord])[] = [
      [status(''), status('')],
      [status('10.0.0.2'), status('10.0.0.2', '10.0.0.2')],
      [status('', '10.0.0.2', 'fd00::2'), status('10.0.0.2', '10.0.0.2', 'fd00::2')],
      [status('10.0.0.2', '10.0.0.2', 'fd00::2'), status('10.0.0.2', '10.0.0.2', 'fd00::2')],
      [status('10.0.0.3', '10.0.0.2', 'fd00::2'), status('10.0.0.3', '10.0.0.3')],
    ];
    for (const [given, filled] of rows) {
      expect(defaulted('core.PodStatus', given)).to.deep.equal(filled);
    }
  });

  it('is the single one of a node where both differ', () => {
    const rows: readonly (readonly [JsonRecord, JsonRecord])[] = [
      [{}, {}],
      [{ podCIDR: 'a' }, { podCIDR: 'a', podCIDRs: ['a'] }],
      [{ podCIDRs: ['a', 'b'] }, { podCIDR: 'a', podCIDRs: ['a', 'b'] }],
      [
        { podCIDR: 'a', podCIDRs: ['a', 'b'] },
        { podCIDR: 'a', podCIDRs: ['a', 'b'] },
      ],
      [
        { podCIDR: 'c', podCIDRs: ['a', 'b'] },
        { podCIDR: 'c', podCIDRs: ['c'] },
      ],
    ];
    for (const [given, filled] of rows) {
      expect(defaulted('core.NodeSpec', given)).to.deep.equal(filled);
    }
  });
});

describe('the texts of a secret', () => {
  const SECRETS = '/api/v1/namespaces/default/secrets';
  const secret = (name: string, fields: object): object => ({ metadata: { name }, ...fields });
  const field = (what: string, type: string): string =>
    `Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal ${what} of type ${type}`;

  it('are data, and win over data of their names', async () => {
    await using api = new Answers();
    const stringData = { a: 'x', b: null, c: '' };
    const { body } = await api.post(
      SECRETS,
      secret('one', { stringData, data: { a: 'eQ==', d: 'eg==' } }),
    );
    expect(body['data']).to.deep.equal({ a: 'eA==', b: '', c: '', d: 'eg==' });
    expect(body).not.to.have.property('stringData');
  });

  // Each as kube-apiserver 1.36.3 answers it.
  for (const [fields, problem] of [
    [{ stringData: { a: 1 } }, field('number into Go struct field Secret.stringData', 'string')],
    [
      { stringData: { a: 'x', b: {} } },
      field('object into Go struct field Secret.stringData', 'string'),
    ],
    [
      { stringData: [1] },
      field('array into Go struct field Secret.stringData', 'map[string]string'),
    ],
    [
      { stringData: { a: 'x' }, data: 5 },
      field('number into Go struct field Secret.data', 'map[string][]uint8'),
    ],
  ] as const) {
    it(`are refused as ${JSON.stringify(fields)}`, async () => {
      await using api = new Answers();
      const { status, body } = await api.post(SECRETS, secret('one', fields));
      expect([status, body['message']]).to.deep.equal([400, problem]);
    });
  }
});
