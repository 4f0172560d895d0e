import { expect } from 'chai';
import { TransportLayer } from '../../../../lib/client/transport/contract/transport-layer.ts';
import type { TransportInspection } from '../../../../lib/client/transport/contract/transport-inspection.ts';
import type {
  Transport,
  TransportResponse,
} from '../../../../lib/client/transport/contract/transport.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';

class Layer extends TransportLayer {
  send(): Promise<TransportResponse> {
    return this.below.send({ method: 'GET', path: '/below' });
  }
}

describe('TransportLayer', () => {
  it('passes all but send on to the transport below', async () => {
    const script = new ScriptedTransport(() => ({}));
    const inspection = { requests: 1 } as TransportInspection;
    const below: Transport = {
      server: 'http://below',
      send: (request) => script.send(request),
      hide: (text) => text.replace('secret', '…'),
      inspect: () => inspection,
      close: () => script.close(),
    };
    const layer = new Layer(below);
    expect(layer.server).to.equal('http://below');
    expect(layer.hide('a secret')).to.equal('a …');
    expect(layer.inspect()).to.equal(inspection);
    await layer.send();
    expect(script.requests.map(({ path }) => path)).to.deep.equal(['/below']);
    await layer.close();
    expect(script.closed).to.equal(true);
  });

  it('hides nothing and has no figures on a transport without these', () => {
    const layer = new Layer(new ScriptedTransport(() => ({})));
    expect(layer.hide('a text')).to.equal('a text');
    expect(layer.inspect()).to.equal(undefined);
  });
});
