import { expect } from 'chai';
import { ContainerBehaviours } from '../../../../lib/cluster/life/containers/container-rules.ts';
import { missingImage } from '../../../../lib/cluster/life/containers/missing-images.ts';

describe('an image that no registry has', () => {
  it('is one of a registry below .invalid, and one with the tag 404', () => {
    for (const image of ['registry.invalid/web:1', 'a.b.invalid:5000/web', 'webserver:404']) {
      expect(missingImage(image)?.pullError, image).to.include(`"${image}": not found`);
    }
    for (const image of ['web', 'registry.example.com/web:1', 'invalid/web', 'web:4040']) {
      expect(missingImage(image), image).to.equal(undefined);
    }
  });

  it('can be pulled where a rule says so', () => {
    const container = { name: 'main', image: 'webserver:404' };
    const facts = { container, pod: { spec: { containers: [container] } } };
    expect(new ContainerBehaviours([]).of(facts)).to.have.property('pullError');
    expect(new ContainerBehaviours([{ pullError: undefined }]).of(facts).pullError).to.equal(
      undefined,
    );
  });
});
