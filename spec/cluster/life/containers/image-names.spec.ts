import { expect } from 'chai';
import { ImageNames } from '../../../../lib/cluster/life/containers/image-names.ts';

describe('the name of an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const rows = [
    ['nginx', 'docker.io/library/nginx:latest', /^docker.io\/library\/nginx@sha256:[0-9a-f]{64}$/],
    ['nginx:1.29', 'docker.io/library/nginx:1.29', /^docker.io\/library\/nginx@sha256:/],
    ['shop/api:v1', 'docker.io/shop/api:v1', /^docker.io\/shop\/api@sha256:/],
    ['registry.k8s.io/pause:3.10', 'registry.k8s.io/pause:3.10', /^registry.k8s.io\/pause@sha256:/],
    ['localhost:5000/a', 'localhost:5000/a:latest', /^localhost:5000\/a@sha256:/],
    [`nginx@${digest}`, `docker.io/library/nginx@${digest}`, /@sha256:a{64}$/],
  ] as const;
  for (const [image, name, id] of rows) {
    it(`${image} is whole as ${name}`, () => {
      const pulled = new ImageNames().of(image);
      expect(pulled.name).to.equal(name);
      expect(pulled.id).to.match(id);
    });
  }
});
