import { inspect } from 'node:util';
import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import { failureOf } from '../support/failure-of.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

const VALUE = 'hunter2 "and" more';
const BASE64 = Buffer.from(VALUE).toString('base64');
const SECRET = { metadata: { name: 'db' }, data: { password: BASE64 }, stringData: { pin: 4711 } };

function refusing(message: string, status: object = {}): Client {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, ...status };
  const transport = new ScriptedTransport(() => ({ status: 422, body: { code: 422, ...body } }));
  return new Client({ transport, logger: silentLogger });
}

/** The refusal of a write of the Secret `db`, with all that it shows. */
async function refused(message: string, status: object = {}, sent: object = SECRET) {
  await using client = refusing(message, status);
  const secrets = client.resource('v1', 'secrets', { namespace: 'shop' });
  const error = await failureOf(secrets.patch('db', sent));
  if (!(error instanceof ApiError)) throw error;
  const shown = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}`;
  return { error, shown };
}

describe('values of Secrets that a server repeats', () => {
  it('are hidden in the causes of a refusal; the reason, the field and the code stay', async () => {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    const cause = (value: string): string => `Invalid value: ${value}: ${rule}`;
    const status = (value: string): object => ({
      reason: 'Invalid',
      details: {
        name: 'db',
        kind: 'Secret',
        causes: [{ reason: 'FieldValueInvalid', field: 'data[password]', message: cause(value) }],
      },
    });
    for (const value of [`"${BASE64}"`, JSON.stringify(VALUE), '4711', '{"password":"old pin"}']) {
      const text = `Secret "db" is invalid: data[password]: ${cause(value)}`;
      const { error, shown } = await refused(text, status(value));
      const hidden = `data[password]: ${cause('[hidden]')}`;
      expect(error.message).to.include(hidden);
      expect(error.status.message).to.equal(`Secret "db" is invalid: ${hidden}`);
      expect(error.causes).to.deep.equal([
        { reason: 'FieldValueInvalid', field: 'data[password]', message: cause('[hidden]') },
      ]);
      expect([error.code, error.reason]).to.deep.equal(['INVALID', 'Invalid']);
      expect(shown).to.not.include(value);
    }
  });

  const TEXTS: readonly (readonly [string, string])[] = [
    [
      '[data[a]: Invalid value: old, b: Required value, type: Invalid value: Some: is immutable]',
      '[data[a]: Invalid value: [hidden], b: Required value, type: Invalid value: [hidden]: is immutable]',
    ],
    [
      `admission webhook "policy.example.com" denied the request: ${VALUE} is weak, and so is ${BASE64}`,
      'admission webhook "policy.example.com" denied the request: [hidden] is weak, and so is [hidden]',
    ],
    ['the number of keys is wrong: 3', 'the number of keys is wrong: 3'],
    ["the key 'old pin' isn't strong, it's weak", "the key [hidden] isn't strong, it's weak"],
    [
      'Secret in version "v1" cannot be handled as a Secret: error found in #10 byte of ...|n":"b2xkIHBpbg==|..., bigger context ...|a":{"p|...',
      'Secret in version "v1" cannot be handled as a Secret: error found in #10 byte of ...|[hidden]',
    ],
    [
      'json parse error: unexpected end of JSON input ({"data":{"p":"b2xkIHBpbg)',
      'json parse error: unexpected end of JSON input ([hidden]',
    ],
    [
      'json: cannot unmarshal number 4711 into Go struct field Secret.data of type []uint8',
      'json: cannot unmarshal number [hidden] into Go struct field Secret.data of type []uint8',
    ],
    ['the last value is "b2xkIHBp', 'the last value is [hidden]'],
    ['strict decoding error: unknown field "dada"', 'strict decoding error: unknown field "dada"'],
    [
      'Operation cannot be fulfilled on secrets "db": the object has been modified',
      'Operation cannot be fulfilled on secrets "db": the object has been modified',
    ],
  ];
  for (const [text, shown] of TEXTS) {
    it(`are hidden in: ${text.slice(0, 60)}`, async () => {
      const { error } = await refused(text);
      expect(error.status.message).to.equal(shown);
    });
  }

  it('are hidden when a JSON patch has sent them', async () => {
    const sent = [{ op: 'replace', path: '/data/password', value: BASE64 }];
    const { shown } = await refused(`no ${VALUE}, no ${BASE64}`, {}, sent);
    expect(shown).to.include('no [hidden], no [hidden]').and.not.include('hunter2');
  });

  it('leave the managers of an apply conflict readable', async () => {
    const message = 'conflict with "kubectl" using v1';
    const causes = [{ reason: 'FieldManagerConflict', field: '.data.password', message }];
    const { error } = await refused('Apply failed', {
      code: 409,
      reason: 'Conflict',
      details: { causes },
    });
    expect(error.conflicts[0]).to.include({ field: '.data.password', manager: 'kubectl' });
  });

  it('are hidden in warnings', async () => {
    const headers = { warning: `299 - "data: \\"old pin\\" and ${BASE64}"` };
    const transport = new ScriptedTransport(() => ({ headers, body: SECRET }));
    const texts: string[] = [];
    await using client = new Client({ transport, onWarning: ({ text }) => texts.push(text) });
    await client.resource('v1', 'secrets', { namespace: 'shop' }).patch('db', SECRET);
    expect(texts).to.deep.equal(['data: [hidden] and [hidden]']);
  });

  it('stay in refusals of other resources', async () => {
    const message = 'data: Invalid value: "a b": no';
    await using client = refusing(message);
    const maps = client.resource('v1', 'configmaps', { namespace: 'shop' });
    const { status } = (await failureOf(maps.patch('db', {}))) as ApiError;
    expect(status.message).to.equal(message);
  });
});
