import type { RuleCases } from '../rule-cases.ts';

const HEX = '0123456789abcdef'.repeat(4);

/** Which tag an image has decides when it is pulled. */
export const cases: readonly RuleCases[] = [
  {
    title: 'v1 PodTemplate, images',
    collection: '/api/v1/namespaces/{ns}/podtemplates',
    base: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'base' },
      template: { spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    },
    creates: [
      'i',
      'i:latest',
      'a/i',
      'host:5000/i',
      'host:5000/i:latest',
      'localhost/i',
      'localhost/I',
      'Host/i',
      '[::1]:5000/i',
      '[::x]/i',
      'Image',
      'a/Image',
      'example.com/Image',
      'a..b',
      'a__b',
      'a___b',
      'a-',
      'a--b',
      'a//b',
      '-a/b',
      'i:',
      'i:-a',
      'i:a:b',
      `i:${'t'.repeat(128)}`,
      `i@sha256:${HEX}`,
      `i:latest@sha256:${HEX}`,
      `i@sha256:${HEX.slice(1)}`,
      `i@md5:${HEX}`,
      'i@latest',
      HEX,
      'i i',
      'x'.repeat(247),
      'x'.repeat(248),
      `example.com/${'x'.repeat(255)}`,
      `example.com/${'x'.repeat(256)}`,
    ].map((image) => ({ 'template.spec.containers[0].image': image })),
  },
];
