import { expect } from 'chai';
import { execInfo } from '../../../../../lib/client/config/credentials/exec/run-plugin.ts';
import { V1, V1BETA1 } from './plugin-script.ts';

describe('execInfo', () => {
  it('has every field of the cluster under the name of the API', () => {
    const info = execInfo(V1BETA1, true, {
      server: 'https://api.test',
      tlsServerName: 'other.test',
      insecureSkipTlsVerify: true,
      certificateAuthorityData: 'PEM',
      proxyUrl: 'http://proxy.test',
      disableCompression: true,
      config: { audience: 'one' },
    });
    expect(JSON.parse(info)).to.deep.equal({
      kind: 'ExecCredential',
      apiVersion: V1BETA1,
      spec: {
        interactive: true,
        cluster: {
          server: 'https://api.test',
          'tls-server-name': 'other.test',
          'insecure-skip-tls-verify': true,
          'certificate-authority-data': 'UEVN',
          'proxy-url': 'http://proxy.test',
          'disable-compression': true,
          config: { audience: 'one' },
        },
      },
    });
  });

  it('leaves out fields without a value, but config is null', () => {
    const info = execInfo(V1, false, {
      server: 'https://api.test',
      tlsServerName: '',
      insecureSkipTlsVerify: false,
      certificateAuthorityData: new Uint8Array(),
    });
    expect(JSON.parse(info).spec).to.deep.equal({
      interactive: false,
      cluster: { server: 'https://api.test', config: null },
    });
  });
});
