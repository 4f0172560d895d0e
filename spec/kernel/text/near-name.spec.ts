import { expect } from 'chai';
import { nearName } from '../../../lib/kernel/text/near-name.ts';

const RESOURCES = ['deployments', 'daemonsets', 'pods', 'jobs', 'nodes', 'statefulsets'];

describe('nearName', () => {
  const FOUND: readonly (readonly [string, string])[] = [
    ['deploymnets', 'deployments'],
    ['deployment', 'deployments'],
    ['Deployments', 'deployments'],
    ['deploiments', 'deployments'],
    ['deplyments', 'deployments'],
    ['statefullset', 'statefulsets'],
    ['node', 'nodes'],
    ['pdos', 'pods'],
    ['Pods', 'pods'],
  ];
  for (const [asked, meant] of FOUND) {
    it(`takes "${asked}" for "${meant}"`, () => {
      expect(nearName(asked, RESOURCES)).to.equal(meant);
    });
  }

  it('finds nothing for another word, and for a short one', () => {
    for (const asked of ['ingresses', 'po', 'job', '', 'depl', 'x'.repeat(100_000)]) {
      expect(nearName(asked, RESOURCES), asked.slice(0, 20)).to.equal(undefined);
    }
    expect(nearName('pods', [])).to.equal(undefined);
  });

  it('takes the nearest of several', () => {
    expect(nearName('services', ['servicess', 'services', 'service'])).to.equal('services');
  });
});
