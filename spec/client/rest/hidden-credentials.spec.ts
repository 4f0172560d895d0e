import { inspect } from 'node:util';
import { expect } from 'chai';
import { connect, type ConnectOptions } from '../../../lib/client/rest/connect.ts';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../lib/client/transport/contract/credential.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { failureOf } from '../support/failure-of.ts';
import { json, RawServer } from '../support/raw-server.ts';

const SOURCE = 'the credential of the spec';
const PASSWORD = 'pass-word/of=dev';
const PAIR = Buffer.from(`dev:${PASSWORD}`).toString('base64');

/** A server that repeats a header, and what it finds in it, in each answer. */
function echoing(status: number): Promise<RawServer> {
  return RawServer.start(({ headers }, response) => {
    const { authorization = '' } = headers;
    const [, value = ''] = authorization.split(' ');
    const decoded = Buffer.from(value, 'base64').toString('latin1');
    const message = `${authorization}; ${value}; ${decoded}; ${encodeURIComponent(value)}`;
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message };
    const details = { causes: [{ message, [value]: value }], name: message };
    json(response, { ...body, details }, status);
  });
}

async function echoed(
  server: RawServer,
  credentials: CredentialSource,
  options: Partial<ConnectOptions> = {},
): Promise<string> {
  const transport = new AxiosTransport({ server: server.url, credentials });
  const flow = { onRequest: () => {}, logger: silentLogger, ...options };
  await using client = await connect({ transport, ...flow });
  const error = await failureOf(client.resource('v1', 'pods', { namespace: 'shop' }).get('web'));
  const shown = inspect(error, { depth: 9, showHidden: true });
  expect(shown).to.include('[hidden]');
  return `${shown} ${error.message} ${error.stack} ${JSON.stringify(error)}`;
}

function constant(credential: Credential): CredentialSource {
  return { source: SOURCE, current: () => credential };
}

describe('credentials that a server repeats', () => {
  it('are hidden: a bearer token, in each form', async () => {
    await using server = await echoing(500);
    const token = 'token-of-an-exec-plug-in';
    const text = await echoed(server, constant(Credential.bearer(token, SOURCE)));
    expect(text).to.not.include(token);
  });

  it('are hidden: the password of basic authentication', async () => {
    await using server = await echoing(400);
    const basic = new Credential({ authorization: `Basic ${PAIR}`, source: SOURCE });
    const text = await echoed(server, constant(basic), { dryRun: true });
    expect(text).to.not.include(PASSWORD);
    expect(text).to.not.include(PAIR);
  });

  it('are hidden: a token that the server refused, after another one was sent', async () => {
    await using server = await echoing(401);
    const first = Credential.bearer('first-token-of-two', SOURCE);
    const second = Credential.bearer('second-token-of-two', SOURCE);
    const credentials = {
      source: SOURCE,
      current: () => first,
      refresh: () => Promise.resolve(second),
    };
    const text = await echoed(server, credentials);
    expect(server.requests).to.have.length(2);
    expect(text).to.not.match(/(?:first|second)-token-of-two/);
  });

  it('are hidden: the user of a proxy', async () => {
    const proxy = 'http://proxy-user:proxy%2Dpassword@127.0.0.1:3128';
    await using transport = new AxiosTransport({ server: 'https://127.0.0.1:6443', proxy });
    const pair = Buffer.from('proxy-user:proxy-password').toString('base64');
    const texts = ['proxy-user', 'proxy-password', 'proxy-user:proxy-password', pair];
    for (const text of texts) {
      expect(transport.hide(`got ${text}`)).to.match(/^got \[hidden\]\w?=*$/);
    }
    expect(transport.hide('nothing of it')).to.equal('nothing of it');
  });
});
