import { appliedBy } from '../../../../lib/client/rest/helpers/applied-by.ts';
import { deployment, deployments, map, maps, outcome, type VerbCase } from '../verb-case.ts';

const shop = { fieldManager: 'shop' };
const type = { apiVersion: 'apps/v1', kind: 'Deployment' };

export const applying: readonly VerbCase[] = [
  {
    title: 'apply, conflict, force',
    run: async (world) => {
      const made = await deployments(world).apply(deployment('apply'), shop);
      const part = { ...type, metadata: { name: 'apply' }, spec: { replicas: 5 } };
      const scaler = { fieldManager: 'scaler' };
      const conflict = await outcome(deployments(world).apply(part, scaler));
      const dry = await deployments(world).apply(part, { ...scaler, force: true, dryRun: true });
      const forced = await deployments(world).apply(part, { ...scaler, force: true });
      const spec = { ...(deployment('apply')['spec'] as object), replicas: undefined };
      const less = await deployments(world).apply({ ...deployment('apply'), spec }, shop);
      return [made, conflict, dry, forced, less];
    },
  },
  {
    title: 'what a manager has applied',
    run: async (world) => {
      const labels = { tier: 'front' };
      await deployments(world).apply(deployment('extract'), shop);
      const part = { ...type, metadata: { name: 'extract', labels } };
      const stored = await deployments(world).apply(part, { fieldManager: 'other' });
      const mine = appliedBy(stored, 'shop');
      const again = mine === undefined ? undefined : await deployments(world).apply(mine, shop);
      const same = again?.metadata.resourceVersion === stored.metadata.resourceVersion;
      return [mine, appliedBy(stored, 'other'), appliedBy(stored, 'missing') ?? 'nothing', same];
    },
  },
  {
    title: 'apply of the status',
    run: async (world) => {
      await deployments(world).apply(deployment('apply-status'), shop);
      const status = { replicas: 2 };
      const part = { ...type, metadata: { name: 'apply-status' }, status };
      return await deployments(world).applyStatus(part, { fieldManager: 'kubelet' });
    },
  },
  {
    title: 'apply: what is refused',
    run: async (world) => [
      await outcome(maps(world).apply({ ...map('a'), metadata: { name: '' } }, shop)),
      await outcome(maps(world).apply(map('a'))),
      await outcome(maps(world).apply({ ...map('a'), kind: 'Pod' }, shop)),
      await outcome(maps(world).apply(map('a', { a: 7 }), shop)),
      await outcome(
        maps(world).apply({ ...map('a'), dta: {} }, { ...shop, fieldValidation: 'Strict' }),
      ),
      await outcome(maps(world).apply(map('A', {}), shop)),
    ],
  },
  {
    title: 'migration from client-side apply',
    run: async (world) => {
      const kubectl = { fieldManager: 'kubectl-client-side-apply' };
      const made = await maps(world).create(map('migrate', { a: '1', b: '2' }), kubectl);
      await maps(world).update(
        { ...made, data: { a: '1', b: '2', c: '3' } },
        { fieldManager: 'kubectl-edit' },
      );
      const from = ['kubectl-client-side-apply', 'kubectl-edit', 'kubectl-never'];
      const migrated = await maps(world).migrateToServerSideApply('migrate', { ...shop, from });
      const again = await maps(world).migrateToServerSideApply('migrate', { ...shop, from });
      // The field that is applied no more goes, as it would have gone by client-side apply.
      const applied = await maps(world).apply(map('migrate', { a: '1' }), shop);
      return [
        migrated,
        again.metadata.resourceVersion === migrated.metadata.resourceVersion,
        applied,
        await outcome(maps(world).migrateToServerSideApply('never', { ...shop, from })),
        await outcome(maps(world).migrateToServerSideApply('migrate', { ...shop, from: [] })),
        await outcome(maps(world).migrateToServerSideApply('migrate', { from })),
      ];
    },
  },
  {
    title: 'migration after the first apply, and of the status',
    run: async (world) => {
      const update = { fieldManager: 'operator' };
      const made = await deployments(world).create(deployment('later'), update);
      await deployments(world).updateStatus({ ...made, status: { replicas: 1 } }, update);
      const part = { ...type, metadata: { name: 'later', labels: { a: 'b' } } };
      await deployments(world).apply(part, shop);
      const options = { ...shop, from: ['operator'] };
      const spec = await deployments(world).migrateToServerSideApply('later', options);
      const status = { ...options, subresource: 'status' };
      return [spec, await deployments(world).migrateToServerSideApply('later', status)];
    },
  },
];
