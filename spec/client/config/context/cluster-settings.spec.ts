import { expect } from 'chai';
import {
  clusterSettings,
  type ClusterSettings,
} from '../../../../lib/client/config/context/cluster-settings.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { AUTHORITY } from '../../support/certificates.ts';
import { failureOf } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { base64, FILE, parsed } from '../support/kubeconfig-text.ts';

interface Situation {
  readonly logger?: RecordedLog;
  readonly runtime?: VirtualRuntime;
  readonly file?: string;
}

/** The settings of a cluster whose fields are a flow mapping. */
async function settingsOf(
  fields: string,
  { logger = new RecordedLog(), runtime, file = FILE }: Situation = {},
): Promise<ClusterSettings> {
  const text = `clusters:\n- name: one\n  cluster: { ${fields} }\n`;
  const entry = (await parsed(text, file)).clusters.get('one');
  if (entry === undefined) throw new Error('no cluster');
  return await clusterSettings(entry.field('cluster'), {
    runtime: runtime ?? realRuntime,
    logger,
  });
}

const SERVER = 'server: "https://10.0.0.1:6443"';
const DATA = `certificate-authority-data: ${base64(AUTHORITY)}`;

describe('clusterSettings', () => {
  it('gives address, authority, server name and compression', async () => {
    const settings = await settingsOf(
      `server: "https://a/k8s/c-1/", ${DATA}, tls-server-name: api.test, disable-compression: true`,
    );
    expect(settings.server).to.equal('https://a/k8s/c-1');
    expect(settings.tls).to.deep.equal({
      ca: AUTHORITY,
      serverName: 'api.test',
      insecureSkipVerify: false,
    });
    expect(settings.disableCompression).to.equal(true);
  });

  it('trusts the authorities of Node without an authority', async () => {
    const { tls, disableCompression } = await settingsOf(SERVER);
    expect(tls.ca).to.equal(undefined);
    expect(disableCompression).to.equal(undefined);
  });

  it('takes the data and not the file, with a warning', async () => {
    const logger = new RecordedLog();
    const fields = `${SERVER}, ${DATA}, certificate-authority: /no/such`;
    expect((await settingsOf(fields, { logger })).tls.ca).to.equal(AUTHORITY);
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0])
      .to.contain('a file is ignored, because the data beside it take precedence')
      .and.to.contain(`${FILE}:3: clusters[0].cluster.certificate-authority`);
  });

  it('follows the file of an authority that is replaced', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const next = new TestAuthority().certificate;
    await scratch.write('ca.crt', AUTHORITY);
    const file = `${scratch.path}/config`;
    const settings = await settingsOf(`${SERVER}, certificate-authority: ca.crt`, {
      runtime,
      file,
    });
    const { ca } = settings.tls;
    if (typeof ca !== 'function') throw new Error('the authority does not rotate');
    expect(await ca()).to.equal(AUTHORITY);
    await scratch.replace('ca.crt', next);
    await runtime.advance(1_000);
    expect(await ca()).to.equal(next);
  });

  it('warns once when the certificate of the server is not verified', async () => {
    const logger = new RecordedLog();
    const { tls } = await settingsOf(`${SERVER}, insecure-skip-tls-verify: true`, { logger });
    expect(tls.insecureSkipVerify).to.equal(true);
    expect(logger.warnings).to.deep.equal([
      `the certificate of the server is not verified {"because":"${FILE}:3: clusters[0].cluster.insecure-skip-tls-verify"}`,
    ]);
  });

  const proxies: [title: string, fields: string, expected: string | undefined][] = [
    ['that the cluster names', 'proxy-url: "http://own:3128"', 'http://own:3128'],
    ['of SOCKS that the cluster names', 'proxy-url: "socks5://own:1080"', 'socks5://own:1080'],
    ['of none otherwise', 'tls-server-name: x', undefined],
    ['of none for an empty proxy-url', 'proxy-url: ""', undefined],
  ];
  for (const [title, fields, expected] of proxies) {
    it(`takes the proxy ${title}`, async () => {
      expect((await settingsOf(`${SERVER}, ${fields}`)).proxy).to.equal(expected);
    });
  }

  it('has the cluster for exec plug-ins, with their extension', async () => {
    const extension = `{ name: client.authentication.k8s.io/exec, extension: { arn: [1, x] } }`;
    const settings = await settingsOf(
      `${SERVER}, ${DATA}, tls-server-name: api.test, proxy-url: "http://p", disable-compression: true, extensions: [{ name: x }, ${extension}]`,
    );
    expect(settings.forPlugins).to.deep.equal({
      server: 'https://10.0.0.1:6443',
      tlsServerName: 'api.test',
      insecureSkipTlsVerify: false,
      certificateAuthorityData: AUTHORITY,
      proxyUrl: 'http://p',
      disableCompression: true,
      config: { arn: [1, 'x'] },
    });
  });

  it('gives exec plug-ins the text of the file of an authority', async () => {
    await using scratch = await ScratchDirectory.make();
    await scratch.write('ca.crt', AUTHORITY);
    const file = `${scratch.path}/config`;
    const { forPlugins } = await settingsOf(`${SERVER}, certificate-authority: ca.crt`, { file });
    expect(forPlugins.certificateAuthorityData).to.equal(AUTHORITY);
  });

  const CLUSTER = `${FILE}:3: clusters[0].cluster`;
  const cases: [title: string, fields: string, expected: string][] = [
    ['no server', 'x: y', `${CLUSTER}.server: it is missing`],
    ['an empty server', 'server: ""', `${CLUSTER}.server: it is missing`],
    [
      'an address without a scheme',
      'server: 10.0.0.1',
      `${CLUSTER}.server: the server address cannot be used`,
    ],
    [
      'an address with a password',
      'server: "https://me:canary@a"',
      `${CLUSTER}.server: the server address cannot be used`,
    ],
    [
      'a number for a server',
      'server: 7',
      `${CLUSTER}.server: expected a text, found a number; put it in quotes`,
    ],
    [
      'a text for a flag',
      `${SERVER}, insecure-skip-tls-verify: "yes"`,
      `${CLUSTER}.insecure-skip-tls-verify: expected true or false, found a text`,
    ],
    [
      'a text for the compression',
      `${SERVER}, disable-compression: "no"`,
      `${CLUSTER}.disable-compression: expected true or false, found a text`,
    ],
    [
      'no base64',
      `${SERVER}, certificate-authority-data: "***"`,
      `${CLUSTER}.certificate-authority-data: it is not base64; encode the PEM text with "base64 -w0"`,
    ],
    [
      'PEM that is not encoded',
      `${SERVER}, certificate-authority-data: "-----BEGIN CERTIFICATE-----"`,
      `${CLUSTER}.certificate-authority-data: it is PEM and not base64; encode it with "base64 -w0"`,
    ],
    [
      'base64 of something else',
      `${SERVER}, certificate-authority-data: ${base64('hello')}`,
      `${CLUSTER}.certificate-authority-data: it has no PEM certificate`,
    ],
    [
      'a damaged certificate',
      `${SERVER}, certificate-authority-data: ${base64(AUTHORITY.replace('MIIB', 'AAAA'))}`,
      `${CLUSTER}.certificate-authority-data: certificate 1 of 1 is damaged`,
    ],
    [
      'a missing file',
      `${SERVER}, certificate-authority: nowhere.crt`,
      `${CLUSTER}.certificate-authority: /home/me/.kube/nowhere.crt: there is no such file`,
    ],
    [
      'an authority that is to be ignored',
      `${SERVER}, insecure-skip-tls-verify: true, ${DATA}`,
      `${CLUSTER}.insecure-skip-tls-verify: it contradicts the certificate-authority beside it; remove one of them`,
    ],
    [
      'a proxy without a scheme',
      `${SERVER}, proxy-url: "proxy:3128"`,
      `${CLUSTER}.proxy-url: the proxy URL cannot be used`,
    ],
    [
      'a proxy of another scheme',
      `${SERVER}, proxy-url: "ftp://me:canary@proxy"`,
      `${CLUSTER}.proxy-url: the proxy URL cannot be used: its scheme is none of`,
    ],
    [
      'a mapping for extensions',
      `${SERVER}, extensions: {}`,
      `${CLUSTER}.extensions: expected a list, found a mapping of fields`,
    ],
  ];
  for (const [title, fields, expected] of cases) {
    it(`refuses ${title}`, async () => {
      const error = await failureOf(settingsOf(fields));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message.startsWith(expected), error.message).to.equal(true);
      expect(error.message).not.to.contain('canary');
    });
  }

  it('refuses a directory for an authority', async () => {
    await using scratch = await ScratchDirectory.make();
    await scratch.write('ca/x', '');
    const file = `${scratch.path}/config`;
    const error = await failureOf(settingsOf(`${SERVER}, certificate-authority: ca`, { file }));
    expect(error.message).to.equal(
      `${file}:3: clusters[0].cluster.certificate-authority: ${scratch.path}/ca: it is a directory; name a file`,
    );
  });
});
