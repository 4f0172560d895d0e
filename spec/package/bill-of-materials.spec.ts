import { expect } from 'chai';
import { billOf } from './bill-of-materials.ts';

const component = (name: string) => ({
  name,
  'bom-ref': `${name}@1.0.0`,
  externalReferences: [{ type: 'website', url: 'https://example.com' }],
  properties: [],
});
const self = component('listwatch');
const file = { type: 'distribution', url: 'file:/somewhere/listwatch.tgz' };
const developed = { properties: [{ name: 'cdx:npm:package:development', value: 'true' }] };
const project = {
  metadata: { component: component('project') },
  components: [
    component('axios'),
    { ...self, externalReferences: [file, ...self.externalReferences] },
  ],
  dependencies: [
    { ref: 'project@1.0.0', dependsOn: ['listwatch@1.0.0'] },
    { ref: 'listwatch@1.0.0', dependsOn: ['axios@1.0.0'] },
    { ref: 'axios@1.0.0', dependsOn: [] },
  ],
};
const checkout = {
  ...project,
  components: [component('mocha'), { ...component('yaml'), ...developed }],
};

describe('the bill of materials', () => {
  it('is that of the package: what an install brings, and what is in its bundle', () => {
    expect(billOf(project, checkout)).to.deep.equal({
      metadata: { component: self },
      components: [component('axios'), component('yaml')],
      dependencies: [
        { ref: 'listwatch@1.0.0', dependsOn: ['axios@1.0.0', 'yaml@1.0.0'] },
        { ref: 'axios@1.0.0', dependsOn: [] },
        { ref: 'yaml@1.0.0', dependsOn: [] },
      ],
    });
  });

  it('is not made without the package', () => {
    const without = { ...project, components: [component('axios')] };
    expect(() => billOf(without, checkout)).to.throw('does not have the package');
  });
});
