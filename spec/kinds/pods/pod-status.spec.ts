import { expect } from 'chai';
import { numberAt, recordsAt } from '../../../lib/meta/json-value.ts';
import { pod, RegistryHarness, rejection } from '../../server/registry/support/registry-harness.ts';

const STATUS = '/v1/pods/status';
const ended = (exitCode: number): object => ({ terminated: { exitCode } });
const running = { running: {} };

describe('the status of a pod', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  function set(state: object, list = 'containerStatuses'): Promise<unknown> {
    return harness.update(STATUS, 'p', (existing) => ({
      ...existing,
      status: { phase: 'Running', [list]: [{ name: 'main', state }] },
    }));
  }

  const spec = { containers: [{ name: 'main', image: 'nginx' }] };

  it('does not let an ended container run again that does not restart', async () => {
    await harness.create('pods', pod('p', { ...spec, restartPolicy: 'Never' }));
    await set(ended(1));
    const { causes } = await rejection(set(running));
    expect(causes.map(({ field }) => field)).to.deep.equal(['status.containerStatuses[0].state']);
    expect(causes[0]?.message).to.contain('may not be transitioned to non-terminated state');
  });

  it('does not let an ended init container run again either', async () => {
    const init = [{ name: 'main', image: 'nginx' }];
    const containers = [{ name: 'other', image: 'nginx' }];
    await harness.create(
      'pods',
      pod('p', { initContainers: init, containers, restartPolicy: 'Never' }),
    );
    await set(ended(1), 'initContainerStatuses');
    const { causes } = await rejection(set(running, 'initContainerStatuses'));
    expect(causes.map(({ field }) => field)).to.deep.equal([
      'status.initContainerStatuses[0].state',
    ]);
  });

  // Each as kube-apiserver 1.37.2 answers it.
  it('names each address that is none, and that families cannot be compared', async () => {
    await harness.create('pods', pod('p', spec));
    const problems = async (...ips: readonly string[]): Promise<readonly string[]> => {
      const podIPs = ips.map((ip) => ({ ip }));
      const update = harness.update(STATUS, 'p', (existing) => ({
        ...existing,
        status: { podIPs },
      }));
      const { causes } = await rejection(update);
      return causes.map(({ field, message }) => `${field}: ${message?.split(', (e.g.', 1)[0]}`);
    };
    const none = (at: number, ip: string): string =>
      `status.podIPs[${at}]: Invalid value: "${ip}": must be a valid IP address`;
    const unread = (at: number, ip: string): string =>
      `status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[${at}]: ${ip}`;
    const families = (...ips: readonly string[]): string =>
      `status.podIPs: Invalid value: ${JSON.stringify(ips.map((IP) => ({ IP })))}: may specify no more than one IP for each IP family`;
    expect(await problems('x')).to.deep.equal([none(0, 'x')]);
    expect(await problems('10.0.0.2', '10.0.0.3')).to.deep.equal([
      families('10.0.0.2', '10.0.0.3'),
    ]);
    expect(await problems('10.0.0.2', 'x')).to.deep.equal([
      none(1, 'x'),
      unread(1, 'x'),
      families('10.0.0.2', 'x'),
    ]);
    expect(await problems('x', 'y')).to.deep.equal([
      none(0, 'x'),
      none(1, 'y'),
      unread(0, 'x'),
      families('x', 'y'),
    ]);
  });

  it('keeps the generations that a client leaves out, in each condition of its type', async () => {
    await harness.create('pods', pod('p', spec));
    const conditions = (...generations: (number | undefined)[]): object[] =>
      generations.map((observedGeneration, at) => ({
        type: at === 1 ? 'B' : 'A',
        status: 'True',
        ...(observedGeneration === undefined ? {} : { observedGeneration }),
      }));
    const update = (status: object): Promise<unknown> =>
      harness.update(STATUS, 'p', (existing) => ({ ...existing, status }));
    await update({ observedGeneration: 3, conditions: conditions(1, 2) });
    await update({ conditions: conditions(undefined, 5) });
    const { status } = await harness.get('pods', 'p');
    expect(numberAt(status, 'observedGeneration')).to.equal(3);
    const generations = recordsAt(status, 'conditions').map((one) =>
      numberAt(one, 'observedGeneration'),
    );
    expect(generations).to.deep.equal([1, 5]);
  });

  it('lets a container run again by the policy of its pod', async () => {
    await harness.create('pods', pod('p', { ...spec, restartPolicy: 'OnFailure' }));
    await set(ended(1));
    await set(running);
    await set(ended(0));
    await rejection(set(running));
  });

  it('lets a container run again by a rule of its own', async () => {
    const exitCodes = { operator: 'In', values: [3] };
    const rules = {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes }],
    };
    const own = { containers: [{ name: 'main', image: 'nginx', ...rules }] };
    await harness.create('pods', pod('p', { ...own, restartPolicy: 'Never' }));
    await set(ended(3));
    await set(running);
    await set(ended(4));
    await rejection(set(running));
  });

  it('never lets an ephemeral container run again', async () => {
    await harness.create('pods', pod('p', spec));
    await set(ended(1), 'ephemeralContainerStatuses');
    await rejection(set(running, 'ephemeralContainerStatuses'));
  });
});
