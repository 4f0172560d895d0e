import { map, maps, outcome, pod, ruleFor, things, type AdmissionCase } from '../admission-case.ts';
import { patching } from '../webhook-process.ts';

const label = (name: string, value: string): object =>
  patching({ op: 'add', path: `/metadata/labels/${name}`, value });
const labels = { app: 'web' };

/** Webhooks that change objects. */
export const mutating: readonly AdmissionCase[] = [
  {
    title: 'a webhook adds a label to a new object',
    async run(world) {
      await world.mutating({ path: 'label', answer: () => ({ ...label('added', 'yes') }) });
      const made = await outcome(maps(world).create(map('one', { labels })));
      return { made, seen: world.seen('label') };
    },
  },
  {
    title: 'a webhook sees an object with a generated name before it has one',
    async run(world) {
      await world.mutating({ path: 'mutate' });
      await world.validating({ path: 'validate' });
      const made = await maps(world).create({
        ...map('x'),
        metadata: { name: '', generateName: 'some-' },
      });
      const names = (path: string): unknown[] =>
        world.seen(path).map(({ name, object }) => {
          const { metadata } = object as { metadata: Record<string, unknown> };
          return [
            name !== undefined,
            metadata['uid'] !== undefined,
            metadata['name'] !== undefined,
          ];
        });
      return {
        ok: made.metadata?.name?.startsWith('some-'),
        mutate: names('mutate'),
        validate: names('validate'),
      };
    },
  },
  {
    title: 'two webhooks in the order of their configurations, and of their places',
    async run(world) {
      const add = (value: string) => ({
        path: value,
        answer: () => patching({ op: 'add', path: '/data/last', value }),
      });
      await world.mutating(add('first'), add('second'));
      await world.mutating(add('third'));
      const made = await outcome(maps(world).create(map('one')));
      const data = world.seen('third').map(({ object }) => object?.['data']);
      return { made, data };
    },
  },
  {
    title: 'a webhook that is called again after a later one changed the object',
    async run(world) {
      await world.mutating(
        { path: 'again', reinvocationPolicy: 'IfNeeded' },
        { path: 'never' },
        { path: 'change', answer: () => patching({ op: 'add', path: '/data/b', value: '2' }) },
      );
      const made = await outcome(maps(world).create(map('one')));
      const calls = ['again', 'never', 'change'].map((path) => world.seen(path).length);
      return { made, calls, again: world.seen('again').map(({ object }) => object?.['data']) };
    },
  },
  {
    title: 'a webhook that is not called again when nothing changed',
    async run(world) {
      await world.mutating(
        { path: 'again', reinvocationPolicy: 'IfNeeded' },
        { path: 'same', answer: () => patching({ op: 'replace', path: '/data/a', value: '1' }) },
      );
      await maps(world).create(map('one'));
      return ['again', 'same'].map((path) => world.seen(path).length);
    },
  },
  {
    title: 'an update, a merge patch and an apply are changed before they are written',
    async run(world) {
      await maps(world).create(map('one', { labels }));
      await world.mutating({ path: 'label', answer: () => ({ ...label('added', 'yes') }) });
      const updated = await outcome(maps(world).update(map('one', { labels }, { a: '2' })));
      const patched = await outcome(maps(world).patch('one', { data: { b: '1' } }));
      const applied = await outcome(
        maps(world).apply(map('one', { labels: { mine: '1' } }, { c: '3' }), {
          fieldManager: 'me',
          force: true,
        }),
      );
      return { updated, patched, applied, seen: world.seen('label') };
    },
  },
  {
    title: 'an apply that creates',
    async run(world) {
      await world.mutating({ path: 'label', answer: () => ({ ...label('added', 'yes') }) });
      const applied = await outcome(
        maps(world).apply(map('new', { labels }), { fieldManager: 'me' }),
      );
      return { applied, seen: world.seen('label') };
    },
  },
  {
    title: 'the object after a webhook is read as its kind: defaults, unknown fields',
    async run(world) {
      await world.mutating({
        path: 'fields',
        rules: [ruleFor(['services'], ['CREATE'])],
        answer: () =>
          patching(
            { op: 'add', path: '/spec/ports/-', value: { name: 'b', port: 81 } },
            { op: 'add', path: '/spec/unknown', value: 1 },
          ),
      });
      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { ports: [{ name: 'a', port: 80 }], clusterIP: 'None', selector: { app: 'web' } },
      };
      return {
        made: await outcome(things(world, 'v1', 'services').create(service)),
        warnings: [...world.warnings],
      };
    },
  },
  {
    title: 'what a webhook writes is validated',
    async run(world) {
      await world.mutating({
        path: 'bad',
        answer: () =>
          patching({ op: 'add', path: '/metadata/labels', value: { 'bad label': 'x' } }),
      });
      return await outcome(maps(world).create(map('one')));
    },
  },
  {
    title: 'a webhook that changes the name, the kind, the namespace or the uid',
    async run(world) {
      const patch = (path: string, at: string, value: string) => ({
        path,
        objectSelector: { matchLabels: { change: path } },
        answer: () => patching({ op: 'add', path: at, value }),
      });
      await world.mutating(
        patch('name', '/metadata/name', 'other'),
        patch('kind', '/kind', 'ServiceAccount'),
        patch('version', '/apiVersion', 'apps/v1'),
        patch('namespace', '/metadata/namespace', 'default'),
        patch('uid', '/metadata/uid', 'my-uid'),
      );
      const create = async (change: string): Promise<unknown> =>
        await outcome(maps(world).create(map(`c-${change}`, { labels: { change } })));
      const update = async (change: string): Promise<unknown> => {
        await maps(world).create(map(`u-${change}`));
        return await outcome(maps(world).update(map(`u-${change}`, { labels: { change } })));
      };
      const made: Record<string, unknown> = {};
      for (const change of ['name', 'kind', 'version', 'namespace', 'uid']) {
        made[`create ${change}`] = await create(change);
        made[`update ${change}`] = await update(change);
      }
      return made;
    },
  },
  {
    title: 'patches that cannot be applied',
    async run(world) {
      const made: Record<string, unknown> = {};
      const patches: Record<string, object> = {
        missing: { op: 'replace', path: '/spec/foo/bar', value: 1 },
        remove: { op: 'remove', path: '/data/zz' },
        test: { op: 'test', path: '/data/a', value: '9' },
        operation: { op: 'jump', path: '/data/a' },
        type: { op: 'add', path: '/data', value: 'text' },
        document: { op: 'replace', path: '', value: 'text' },
      };
      await world.mutating(
        ...Object.entries(patches).map(([path, operation]) => ({
          path,
          objectSelector: { matchLabels: { change: path } },
          answer: () => patching(operation as Record<string, unknown>),
        })),
      );
      for (const change of Object.keys(patches)) {
        made[change] = await outcome(maps(world).create(map(change, { labels: { change } })));
      }
      return made;
    },
  },
  {
    title: 'a pod, as webhooks see it',
    async run(world) {
      const rules = [ruleFor(['pods'], ['CREATE'])];
      await world.mutating({ path: 'mutate', rules });
      await world.validating({ path: 'validate', rules });
      await things(world, 'v1', 'pods').create(pod('web'));
      return { mutate: world.seen('mutate'), validate: world.seen('validate') };
    },
  },
  {
    title: 'repeated owners after a webhook',
    async run(world) {
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'abc' };
      await world.mutating({
        path: 'owners',
        answer: () =>
          patching({ op: 'add', path: '/metadata/ownerReferences', value: [owner, owner] }),
      });
      const made = await outcome(maps(world).create(map('one')));
      return { made, warnings: [...world.warnings] };
    },
  },
];
