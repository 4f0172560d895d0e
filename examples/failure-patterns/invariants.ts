import { compareResourceVersions, controllerOf, type KubernetesObject } from 'listwatch';
import type { Trial } from './trial.ts';

/** A rule that must hold: returns a sentence for each violation. */
export type Invariant = (trial: Trial) => Promise<readonly string[]>;

/** A database has one secret, and its status names it. */
export const oneSecret: Invariant = async ({ databases, secrets }) => {
  const broken: string[] = [];
  const all = (await secrets.list()).items;
  for (const { metadata, status } of (await databases.list()).items) {
    const own = all.filter((secret) => controllerOf(secret)?.uid === metadata.uid);
    const names = own.map((secret) => secret.metadata.name);
    if (names.length !== 1) broken.push(`${metadata.name} has ${names.length} secrets, not one`);
    else if (names[0] !== status?.secret) broken.push(`${metadata.name} does not name its secret`);
  }
  return broken;
};

/** The secret of a database is never deleted while the database exists and is not being deleted. */
export const keptSecrets: Invariant = async ({ changes }) => {
  const broken: string[] = [];
  for (const { type, object } of changes) {
    const owner = type === 'DELETED' ? controllerOf(object)?.uid : undefined;
    const states = changes.filter(
      (one) => uidOf(one.object) === owner && isOlder(one.object, object),
    );
    const last = owner === undefined ? undefined : states.at(-1);
    if (last === undefined || last.type === 'DELETED') continue;
    const { name, deletionTimestamp } = last.object.metadata ?? {};
    if (deletionTimestamp === undefined)
      broken.push(`the secret of ${name} was deleted, and ${name} was at work`);
  }
  return broken;
};

/** Each version up to the current one has its job; a deleted database has no job left. */
export const allJobs: Invariant = async ({ databases, jobs }) => {
  const broken: string[] = [];
  const { items } = await databases.list();
  const left = new Set((await jobs.list()).items.map(({ metadata }) => metadata.name));
  for (const { metadata, spec } of items) {
    for (let version = 1; version <= spec.version; version += 1) {
      const isThere = left.delete(`migrate-${metadata.uid}-${version}`);
      if (!isThere) broken.push(`${metadata.name} was not migrated to version ${version}`);
    }
  }
  if (left.size > 0) broken.push(`jobs that are left of databases that are gone: ${left.size}`);
  return broken;
};

function uidOf({ metadata }: KubernetesObject): string | undefined {
  return metadata?.uid;
}

function isOlder(one: KubernetesObject, other: KubernetesObject): boolean {
  const [version = '', than = ''] = [one, other].map(({ metadata }) => metadata?.resourceVersion);
  return (compareResourceVersions(version, than) ?? 0) < 0;
}
