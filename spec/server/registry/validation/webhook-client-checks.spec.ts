import { expect } from 'chai';
import type { MutableObject } from '../../../../lib/server/registry/rules/mutable-object.ts';
import { causesOf } from '../../../../lib/server/registry/validation/check.ts';
import { fields } from '../../../../lib/server/registry/validation/combine.ts';
import { webhookService } from '../../../../lib/server/registry/validation/webhook-client-checks.ts';

function linesOf(service: object): string[] {
  const object = { metadata: {}, service } as unknown as MutableObject;
  const causes = causesOf(fields({ service: webhookService }), object);
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const named = { name: 's', namespace: 'n' };

describe('the service of a webhook', () => {
  it('has a port from 1 to 65535', () => {
    for (const port of [undefined, 1, 2, 443, 65_534, 65_535]) {
      expect(linesOf({ ...named, port }), String(port)).to.deep.equal([]);
    }
    for (const port of [-1, 0, 65_536]) {
      expect(linesOf({ ...named, port })).to.deep.equal([
        `service.port: Invalid value: ${port}: port is not valid: must be between 1 and 65535, inclusive`,
      ]);
    }
  });

  // As kube-apiserver 1.36.3 answers it.
  it('has a name and a namespace, each of which is reported when the other is missing', () => {
    const [name, namespace] = ['service.name: Required value', 'service.namespace: Required value'];
    expect(linesOf({ name: 's' })).to.deep.equal([name]);
    expect(linesOf({ namespace: 'n' })).to.deep.equal([namespace]);
    expect(linesOf({})).to.deep.equal([name, namespace]);
  });
});
