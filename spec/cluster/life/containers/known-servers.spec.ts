import { expect } from 'chai';
import { knownServer } from '../../../../lib/cluster/life/containers/known-servers.ts';
import type { Container } from '../../../../lib/types/built-in/core-v1-kinds.ts';

const AGNHOST = 'registry.k8s.io/e2e-test-images/agnhost:2.63.0';
const PORTER: Omit<Container, 'name'> = {
  image: AGNHOST,
  command: ['/agnhost', 'porter'],
  env: [
    { name: 'SERVE_PORT_80', value: '<a href="/rewriteme">test</a>' },
    { name: 'SERVE_TCP_PORT_162', value: 'bar' },
    { name: 'SERVE_TLS_PORT_443', value: 'tls baz' },
    { name: 'SERVE_UDP_PORT_53', value: 'no' },
  ],
};

function serverOf(container: Omit<Container, 'name'>): ReturnType<typeof knownServer> {
  const pod = { metadata: { name: 'web-1' }, spec: { containers: [] } };
  return knownServer(pod, { name: 'c', ...container });
}

async function answer(
  container: Omit<Container, 'name'>,
  port: number,
  method = 'GET',
): Promise<readonly [ports: readonly number[], type: string | null, text: string]> {
  const { http, httpPorts = [] } = serverOf(container) ?? {};
  const request = new Request('http://10.1.2.3/data.json', { method });
  const pod = { apiVersion: 'v1', kind: 'Pod' };
  const response = await http!(request, { pod, container: 'c', port });
  return [httpPorts, response.headers.get('content-type'), await response.text()];
}

describe('the small servers of Kubernetes’ tests', () => {
  it('answer with the name of the pod (agnhost serve-hostname)', async () => {
    const container = { image: AGNHOST, args: ['serve-hostname'] };
    const [ports, , text] = await answer(container, 9376);
    expect([ports, text]).to.deep.equal([[9376], 'web-1']);
    const other = { image: AGNHOST, args: ['serve-hostname', '--port', '8080'] };
    expect(serverOf(other)?.httpPorts).to.deep.equal([8080]);
    const udp = { image: AGNHOST, args: ['serve-hostname', '--udp', '--http=false'] };
    expect(serverOf(udp)).to.equal(undefined);
  });

  it('answer at each port with its variable (agnhost porter)', async () => {
    const ports = [80, 162, 443];
    const [, html, link] = await answer(PORTER, 80);
    expect([html, link]).to.deep.equal([
      'text/html; charset=utf-8',
      '<a href="/rewriteme">test</a>',
    ]);
    const plain = 'text/plain; charset=utf-8';
    expect(await answer(PORTER, 162)).to.deep.equal([ports, plain, 'bar']);
    expect(await answer(PORTER, 443)).to.deep.equal([ports, plain, 'tls baz']);
    const json = { ...PORTER, command: ['/agnhost', 'porter', '--json-response'] };
    const [, , body] = await answer(json, 162, 'PUT');
    expect(JSON.parse(body)).to.deep.equal({ Method: 'PUT', Body: 'bar' });
  });

  it('answer with the name of a picture (nautilus)', async () => {
    const container = { image: 'registry.k8s.io/e2e-test-images/nautilus:1.7' };
    const [ports, , text] = await answer(container, 80);
    expect([ports, JSON.parse(text)]).to.deep.equal([[80], { image: 'nautilus.jpg' }]);
  });

  it('are not taken for other programs of these images, nor for other images', () => {
    for (const container of [
      { image: AGNHOST },
      { image: AGNHOST, args: ['pause'] },
      { image: AGNHOST, command: ['sh', '-c', 'porter'] },
      { image: 'agnhostile', args: ['porter'] },
      { image: 'nginx' },
    ]) {
      expect(serverOf(container), JSON.stringify(container)).to.equal(undefined);
    }
  });
});
