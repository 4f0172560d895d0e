import { expect } from 'chai';
import { qosClassOf } from '../../../lib/kinds/pods/pod-qos.ts';

const both = { cpu: '1', memory: '1Gi' };
const podWith = (...resources: object[]): object => ({
  containers: resources.map((one) => ({ name: 'main', resources: one })),
});

describe('qosClassOf', () => {
  it('is BestEffort where nothing, or zero, is asked for', () => {
    expect(qosClassOf(podWith({}))).to.equal('BestEffort');
    expect(qosClassOf(podWith({ requests: { cpu: '0' } }))).to.equal('BestEffort');
  });

  it('is Guaranteed where all containers limit both, and ask for as much', () => {
    const whole = { requests: both, limits: both };
    expect(qosClassOf(podWith(whole))).to.equal('Guaranteed');
    expect(qosClassOf(podWith(whole, whole))).to.equal('Guaranteed');
    expect(qosClassOf({ ...podWith({}), resources: whole })).to.equal('Guaranteed');
  });

  it('is Burstable where one limit is missing, of one container, or higher than what is asked', () => {
    const cpu = { cpu: '1' };
    expect(qosClassOf(podWith({ requests: cpu, limits: cpu }))).to.equal('Burstable');
    expect(qosClassOf(podWith({ requests: both, limits: both }, {}))).to.equal('Burstable');
    expect(qosClassOf(podWith({ requests: cpu, limits: both }))).to.equal('Burstable');
  });
});
