import {
  outcome,
  pod,
  things,
  type AdmissionCase,
  type Thing,
  type World,
} from '../admission-case.ts';
import type { Json } from '../webhook-process.ts';

async function limitRange(world: World, name: string, ...limits: readonly Json[]): Promise<void> {
  await things(world, 'v1', 'limitranges').create({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name },
    spec: { limits },
  });
}

function claim(name: string, storage: string): Thing {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
}

const containers = (...resources: readonly Json[]): Json => ({
  containers: resources.map((one, index) => ({ name: `c${index}`, image: 'a:1', resources: one })),
});

/** The answers to pods of one container, each with other resources. */
async function pods(world: World, ...resources: readonly Json[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [index, one] of resources.entries()) {
    const asked = pod(`p${index}`, containers(one));
    answers.push(await outcome(things(world, 'v1', 'pods').create(asked, { dryRun: true })));
  }
  return answers;
}

const cpu = (request: string, limit?: string): Json => ({
  requests: { cpu: request },
  ...(limit === undefined ? {} : { limits: { cpu: limit } }),
});

/** LimitRanges: defaults and bounds. */
export const limits: readonly AdmissionCase[] = [
  {
    title: 'containers and init containers get default requests and limits, with an annotation',
    async run(world) {
      await limitRange(world, 'one', {
        type: 'Container',
        default: { cpu: '500m', memory: '512Mi' },
        defaultRequest: { cpu: '200m' },
      });
      const spec = {
        ...containers({}, cpu('100m'), { limits: { memory: '1Gi' } }),
        initContainers: [{ name: 'init', image: 'a:1' }],
      };
      return await outcome(things(world, 'v1', 'pods').create(pod('one', spec)));
    },
  },
  {
    title: 'containers below a minimum',
    async run(world) {
      await limitRange(world, 'one', { type: 'Container', min: { cpu: '100m' } });
      return await pods(world, cpu('50m'), cpu('0'), cpu('100m'), {}, cpu('50m', '80m'));
    },
  },
  {
    title: 'containers above a maximum',
    async run(world) {
      await limitRange(world, 'one', { type: 'Container', max: { cpu: '1' } });
      return await pods(world, cpu('500m', '1500m'), cpu('1', '1'), cpu('2'), {});
    },
  },
  {
    title: 'limits too far above requests',
    async run(world) {
      const ratio = { maxLimitRequestRatio: { cpu: '1500m' } };
      await limitRange(world, 'one', { type: 'Container', ...ratio });
      const bounded = [cpu('100m', '150m'), cpu('100m', '151m'), cpu('300m', '1')];
      return await pods(world, ...bounded, cpu('0', '1'), cpu('100m'), {});
    },
  },
  {
    title: 'the sum of the containers of a pod, beside its init containers',
    async run(world) {
      await limitRange(world, 'one', { type: 'Pod', max: { cpu: '1' }, min: { cpu: '200m' } });
      const api = things(world, 'v1', 'pods');
      const of = async (name: string, spec: Json): Promise<unknown> =>
        await outcome(api.create(pod(name, spec)));
      const init = (amounts: Json, more: Json = {}): Json => ({
        ...containers(cpu('300m', '400m'), cpu('300m', '400m')),
        initContainers: [{ name: 'init', image: 'a:1', resources: amounts, ...more }],
      });
      return {
        fits: await of('fits', init(cpu('500m', '1'))),
        longInit: await of('long', init(cpu('500m', '1100m'))),
        sidecar: await of('sidecar', init(cpu('100m', '500m'), { restartPolicy: 'Always' })),
        tooLittle: await of('little', containers(cpu('50m', '50m'), cpu('60m', '60m'))),
        nothing: await of('nothing', containers({})),
        half: await of('half', containers(cpu('300m', '400m'), {})),
        whole: await of('whole', {
          ...containers(cpu('300m')),
          resources: { limits: { cpu: '2' } },
        }),
      };
    },
  },
  {
    title: 'several faults of one LimitRange, and only those of the first one that has some',
    async run(world) {
      await limitRange(
        world,
        'one',
        { type: 'Container', min: { cpu: '100m' }, maxLimitRequestRatio: { cpu: '2' } },
        { type: 'Pod', max: { memory: '1Gi' } },
      );
      return await pods(world, { ...cpu('50m', '1') }, cpu('50m', '75m'));
    },
  },
  {
    title: 'the storage of claims, also of a claim that grows',
    async run(world) {
      const bounds = { min: { storage: '1Gi' }, max: { storage: '5Gi' } };
      await limitRange(world, 'one', { type: 'PersistentVolumeClaim', ...bounds });
      const api = things(world, 'v1', 'persistentvolumeclaims');
      return [
        await outcome(api.create(claim('small', '1Mi'))),
        await outcome(api.create(claim('large', '6Gi'))),
        await outcome(api.create(claim('fits', '5120Mi'))),
        await outcome(
          api.patch('fits', { spec: { resources: { requests: { storage: '10Gi' } } } }),
        ),
        await outcome(api.patch('fits', { metadata: { labels: { a: 'b' } } })),
      ];
    },
  },
  {
    title: 'a pod below a minimum whose name is generated',
    async run(world) {
      await limitRange(world, 'one', { type: 'Container', min: { cpu: '100m' } });
      const asked = pod('', containers(cpu('50m')), { generateName: 'some-' });
      const answer = await outcome(things(world, 'v1', 'pods').create(asked));
      const text = JSON.stringify(answer).replaceAll(/some-[a-z0-9]{5}/g, 'some-{made}');
      return JSON.parse(text) as unknown;
    },
  },
  {
    title: 'an update of a pod gets no defaults, and its bounds are not checked',
    async run(world) {
      const api = things(world, 'v1', 'pods');
      const template = pod('one', containers({}));
      await api.create(template);
      await limitRange(world, 'one', {
        type: 'Container',
        default: { cpu: '1' },
        min: { cpu: '1' },
      });
      return await outcome(api.patch('one', { metadata: { labels: { a: 'b' } } }));
    },
  },
];
