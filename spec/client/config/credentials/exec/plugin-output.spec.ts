import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import {
  OutputProblem,
  readPluginOutput,
  type PluginOutput,
} from '../../../../../lib/client/config/credentials/exec/plugin-output.ts';
import {
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from '../../../support/certificates.ts';
import { V1, V1BETA1 } from './plugin-script.ts';

function read(text: string, apiVersion: string = V1): PluginOutput {
  return readPluginOutput(Buffer.from(text), apiVersion);
}

function readStatus(status: unknown, more: object = {}): PluginOutput {
  return read(JSON.stringify({ kind: 'ExecCredential', apiVersion: V1, status, ...more }));
}

function problemOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (!(error instanceof OutputProblem)) throw error;
    expect(JSON.stringify(error), 'nothing of the output is quoted').to.not.contain('canary');
    expect(error.cause).to.equal(undefined);
    return `${error.problem}; ${error.remedy}`;
  }
  throw new Error('expected a problem');
}

const PAIR = { clientCertificateData: CLIENT_CERTIFICATE, clientKeyData: CLIENT_KEY };
const RUN_IT = 'run it in a terminal to see what it prints';
const LOG_IN = 'log in with its tool, or run it in a terminal to see why';
const END_OF_CERTIFICATE = Date.UTC(2126, 9, 28, 1, 53, 53);

describe('readPluginOutput', () => {
  it('reads a token with its expiry', () => {
    expect(readStatus({ token: 'one', expirationTimestamp: '2030-01-01T00:00:00Z' })).to.deep.equal(
      {
        token: 'one',
        cert: undefined,
        key: undefined,
        expiresAtMs: Date.UTC(2030, 0, 1),
      },
    );
  });

  it('reads a token without an expiry, and takes empty fields and null for left out', () => {
    const status = {
      token: 'one',
      expirationTimestamp: null,
      clientCertificateData: '',
      clientKeyData: '',
    };
    expect(readStatus(status).expiresAtMs).to.equal(undefined);
  });

  it('reads a certificate with its key and its end', () => {
    expect(readStatus(PAIR)).to.deep.equal({
      token: undefined,
      cert: CLIENT_CERTIFICATE,
      key: CLIENT_KEY,
      expiresAtMs: END_OF_CERTIFICATE,
    });
  });

  it('reads a certificate with its chain', () => {
    const chain = CLIENT_CERTIFICATE + SERVER_CERTIFICATE;
    expect(readStatus({ ...PAIR, clientCertificateData: chain }).cert).to.equal(chain);
  });

  it('takes the earlier one of the timestamp and the end of the certificate', () => {
    const expiryWith = (expirationTimestamp: string): number | undefined =>
      readStatus({ ...PAIR, expirationTimestamp }).expiresAtMs;
    expect(expiryWith('2030-01-01T00:00:00Z')).to.equal(Date.UTC(2030, 0, 1));
    expect(expiryWith('2200-01-01T00:00:00Z')).to.equal(END_OF_CERTIFICATE);
  });

  it('reads times of RFC 3339, with fractions and offsets, in both cases', () => {
    const times = ['2030-01-01T01:00:00.123456789+01:00', '2030-01-01t00:00:00.123z'];
    for (const expirationTimestamp of times) {
      expect(readStatus({ token: 'one', expirationTimestamp }).expiresAtMs).to.equal(
        Date.UTC(2030, 0, 1) + 123,
      );
    }
  });

  it('accepts spaces around the object and fields that it does not know', () => {
    const text = JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: V1,
      status: { token: 'a', x: 1 },
      y: 2,
    });
    expect(read(`\n ${text}\n`).token).to.equal('a');
  });

  it('refuses what is not JSON', () => {
    expect(problemOf(() => read('<html>canary'))).to.equal(
      `printed 12 bytes that are not JSON; ${RUN_IT}`,
    );
    expect(problemOf(() => read('{"canary": "cut'))).to.equal(
      `printed 15 bytes that are not JSON; ${RUN_IT}`,
    );
  });

  it('refuses two objects', () => {
    expect(problemOf(() => read('{}{}'))).to.contain('not JSON');
  });

  it('refuses empty output', () => {
    expect(problemOf(() => read(' \n'))).to.equal(
      `ended without an error but printed nothing; ${LOG_IN}`,
    );
  });

  it('refuses JSON that is not an object', () => {
    for (const text of ['"canary"', '[]', 'null', '7']) {
      expect(problemOf(() => read(text))).to.equal(`printed JSON that is not an object; ${RUN_IT}`);
    }
  });

  it('refuses another kind, and names it if it looks like one', () => {
    const withKind = (kind: unknown): string => problemOf(() => readStatus({}, { kind }));
    expect(withKind('Config')).to.equal(
      `printed an object of another kind (Config) than ExecCredential; ${RUN_IT}`,
    );
    expect(withKind('canary-1')).to.equal(
      `printed an object of another kind than ExecCredential; ${RUN_IT}`,
    );
    expect(withKind(undefined)).to.contain('an object without a kind instead of an ExecCredential');
  });

  it('refuses another version than the configured one, and names what to set', () => {
    const text = JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: V1BETA1,
      status: { token: 'canary' },
    });
    expect(problemOf(() => read(text, V1))).to.equal(
      `printed an ExecCredential of ${V1BETA1}, but the configuration says ${V1}; ` +
        `set exec.apiVersion to ${V1BETA1}, or update the plug-in`,
    );
  });

  it('names no remedy that would not work for v1alpha1, and quotes no other text', () => {
    const withVersion = (apiVersion: unknown): string =>
      problemOf(() => readStatus({ token: 'canary' }, { apiVersion }));
    expect(withVersion('client.authentication.k8s.io/v1alpha1')).to.equal(
      `printed an ExecCredential of client.authentication.k8s.io/v1alpha1, but the configuration says ${V1}; update the plug-in`,
    );
    for (const other of ['canary', 'v1', 7, undefined]) {
      expect(withVersion(other)).to.equal(
        `printed an ExecCredential of no version of client.authentication.k8s.io, but the configuration says ${V1}; update the plug-in`,
      );
    }
  });

  it('refuses an object without a status', () => {
    for (const status of [undefined, null, 'canary', []]) {
      expect(problemOf(() => readStatus(status))).to.equal(
        `printed an ExecCredential without a status; ${LOG_IN}`,
      );
    }
  });

  it('refuses a status without a credential', () => {
    expect(problemOf(() => readStatus({ token: '' }))).to.equal(
      `printed a status with neither a token nor a client certificate; ${LOG_IN}`,
    );
  });

  it('refuses fields that are not texts', () => {
    expect(problemOf(() => readStatus({ token: 7 }))).to.equal(
      'printed a status.token that is not a text; update the plug-in',
    );
  });

  it('refuses a token that cannot stand in a header', () => {
    for (const token of ['canary\n', 'two words', 'canary\u0000', 'canäry']) {
      expect(problemOf(() => readStatus({ token }))).to.contain('cannot stand in a header');
    }
  });

  it('refuses times of other formats', () => {
    const times = [
      'tomorrow',
      '2030-01-01',
      '1893456000',
      '2030-13-01T00:00:00Z',
      '2030-01-01T00:00:00',
    ];
    for (const expirationTimestamp of times) {
      expect(problemOf(() => readStatus({ token: 'canary', expirationTimestamp }))).to.equal(
        'printed a status.expirationTimestamp that is not a time such as 2030-01-31T12:00:00Z; update the plug-in',
      );
    }
  });

  it('refuses half a pair', () => {
    expect(problemOf(() => readStatus({ token: 'a', clientCertificateData: 'canary' }))).to.contain(
      'a status.clientCertificateData without a status.clientKeyData',
    );
    expect(problemOf(() => readStatus({ token: 'a', clientKeyData: 'canary' }))).to.contain(
      'a status.clientKeyData without a status.clientCertificateData',
    );
  });

  it('refuses a key that does not belong to the certificate', () => {
    expect(problemOf(() => readStatus({ ...PAIR, clientKeyData: SERVER_KEY }))).to.equal(
      'printed a client key that does not belong to its certificate; update the plug-in',
    );
  });

  it('refuses a certificate that is no PEM', () => {
    const base64 = Buffer.from(CLIENT_CERTIFICATE).toString('base64');
    const damaged = CLIENT_CERTIFICATE.replace('MIIB', 'AAAA');
    for (const clientCertificateData of ['canary', base64, damaged, CLIENT_KEY]) {
      expect(problemOf(() => readStatus({ ...PAIR, clientCertificateData }))).to.contain(
        'that is not a certificate in PEM',
      );
    }
  });

  it('refuses a key that is no PEM, or encrypted', () => {
    const { privateKey } = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: {
        type: 'pkcs8',
        format: 'pem',
        cipher: 'aes-128-cbc',
        passphrase: 'canary',
      },
    });
    for (const clientKeyData of ['canary', CLIENT_CERTIFICATE, privateKey]) {
      expect(problemOf(() => readStatus({ ...PAIR, clientKeyData }))).to.contain(
        'that is not an unencrypted private key in PEM',
      );
    }
  });
});
