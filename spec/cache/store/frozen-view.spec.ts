import { expect } from 'chai';
import { FrozenView } from '../../../lib/cache/store/frozen-view.ts';
import { DecodedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import { pod, type Pod } from '../support/objects.ts';

describe('FrozenView', () => {
  it('hands out an object that cannot be modified', () => {
    const object = pod('a', { labels: { app: 'web' } });
    const view = new FrozenView(new DecodedView(object, 120));
    expect(view.object).to.equal(object);
    expect(view.sizeBytes).to.equal(120);
    expect(() => Object.assign(view.object.metadata.labels!, { app: 'db' })).to.throw(TypeError);
    expect(() => Object.assign(view.metadata, { name: 'b' })).to.throw(TypeError);
    expect(view.metadata).to.equal(object.metadata);
  });

  it('decodes when the object is read, and not for its metadata', () => {
    let decoded = 0;
    const source: ObjectView<Pod> = {
      metadata: { name: 'a' },
      get object(): Pod {
        decoded += 1;
        return pod('a');
      },
    };
    const view = new FrozenView(source);
    expect(Object.isFrozen(view.metadata)).to.equal(true);
    expect(decoded).to.equal(0);
    expect(Object.isFrozen(view.object)).to.equal(true);
    expect(decoded).to.equal(1);
  });
});
