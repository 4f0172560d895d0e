import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type { Client } from '../../lib/client/rest/client.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../lib/meta/failure/failures.ts';
import { SeededRandom } from '../bench/workload/random.ts';
import { canonical } from '../compare/normalise.ts';
import { until } from '../support/until.ts';
import { AddressBook } from './address-book.ts';
import { contentsOf, differencesOf, listedResources } from './contents.ts';
import { createAt, fill, placeOf, servicePlace, SWAP_KINDS, type ObjectPlace } from './fill.ts';

const MOST_SERVICES = 500;
/** Writers on each server. */
const WRITERS = 6;

export interface BothOptions {
  /** By the name of its server. */
  readonly clients: ReadonlyMap<string, Client>;
  readonly objects: number;
  readonly durationMs: number;
  readonly seed: number;
  readonly progress: (line: string) => void;
}

export interface BothResult {
  readonly writes: number;
  /** Writes that found that another one was first. */
  readonly lost: number;
  /** The first refusals that no other writer explains. */
  readonly refused: readonly string[];
  readonly addressesInUse: number;
  readonly addressesTwice: readonly string[];
  /** Between the two servers, and between each and its informers. */
  readonly differences: readonly string[];
}

/** Writers on both servers over one etcd, informers of all kinds on both; then all four have to agree. */
export async function bothAtOnce(options: BothOptions): Promise<BothResult> {
  const { clients, objects, durationMs, seed, progress } = options;
  const [[leftName, left], [rightName, right]] = [...clients] as [
    [string, Client],
    [string, Client],
  ];
  await fill(left, objects);
  const informers = await Promise.all([...clients].map(([name, client]) => follow(name, client)));
  await using book = new AddressBook();
  await book.start(right);
  const endMs = performance.now() + durationMs;
  const counts = { writes: 0, lost: 0, refused: new Map<string, number>() };
  const writers = [left, right].flatMap((client, side) =>
    Array.from({ length: WRITERS }, (_, index) =>
      write(client, new SeededRandom(seed + side * 100 + index), endMs, objects, counts),
    ),
  );
  const ticker = setInterval(() => {
    progress(`${counts.writes} writes, ${counts.lost} lost to others, ${book.most} addresses`);
  }, 15_000);
  await Promise.all(writers);
  clearInterval(ticker);
  const contents = [await contentsOf(left), await contentsOf(right)] as const;
  const differences = [...differencesOf(...contents, [leftName, rightName])];
  for (const one of informers) differences.push(...(await one.differencesWhenQuiet()));
  await Promise.all(informers.map((one) => one.close()));
  return {
    writes: counts.writes,
    lost: counts.lost,
    refused: [...counts.refused].map(([message, times]) => `${times} × ${message}`),
    addressesInUse: book.most,
    addressesTwice: book.twice,
    differences,
  };
}

interface Counts {
  writes: number;
  lost: number;
  readonly refused: Map<string, number>;
}

async function write(
  client: Client,
  random: SeededRandom,
  endMs: number,
  objects: number,
  counts: Counts,
): Promise<void> {
  while (performance.now() < endMs) {
    // Addresses are given by both servers, so services change more often than others.
    const place = random.chance(25)
      ? servicePlace(random.below(MOST_SERVICES))
      : placeOf(random.below(objects));
    try {
      await change(client, place, random);
      counts.writes += 1;
    } catch (error) {
      if (isNotFound(error) || isConflict(error) || isAlreadyExists(error)) counts.lost += 1;
      else note(counts.refused, `${place.kind.resource}: ${String(error)}`);
    }
  }
}

function note(refused: Map<string, number>, message: string): void {
  const short = message.replaceAll(/-\d+/g, '-N').slice(0, 200);
  if (refused.size < 20 || refused.has(short)) refused.set(short, (refused.get(short) ?? 0) + 1);
}

async function change(client: Client, place: ObjectPlace, random: SeededRandom): Promise<void> {
  const { kind, apiVersion, name, namespace } = place;
  const resource = client.resource(apiVersion, kind.resource, { namespace });
  const dice = random.below(100);
  if (dice < 15) await resource.delete(name, { gracePeriodSeconds: 0 });
  else if (dice < 40) await createAt(client, place);
  else if (kind.resource === 'services' && dice < 70) {
    await resource.patch(name, { spec: { type: random.pick(['NodePort', 'ClusterIP']) } });
  } else {
    await resource.patch(name, { metadata: { labels: { turn: `t${random.below(1000)}` } } });
  }
}

interface Followed {
  differencesWhenQuiet(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Informers of every kind that is written. */
async function follow(name: string, client: Client): Promise<Followed> {
  const wanted = new Set(SWAP_KINDS.map(({ resource }) => resource));
  const resources = (await listedResources(client)).filter(({ resource }) => wanted.has(resource));
  const informers = resources.map(({ apiVersion, resource, fullName }) => {
    const listerWatcher = client.listerWatcher<KubernetesObject>({ apiVersion, resource });
    const informer = new SharedIndexInformer<KubernetesObject>({
      listerWatcher,
      name: `${fullName} of ${name}`,
    });
    const running = informer.run();
    return { informer, running, apiVersion, resource, fullName };
  });
  await Promise.all(informers.map(({ informer }) => informer.whenSynced({ timeoutMs: 120_000 })));
  return {
    differencesWhenQuiet: async () => {
      const lines: string[] = [];
      for (const { informer, apiVersion, resource, fullName } of informers) {
        const listed = await allOf(client, apiVersion, resource);
        const cached = (): Map<string, string> =>
          new Map(informer.indexer.list().map((one) => [keyOf(one), canonical(one)]));
        const agree = (): boolean =>
          differencesOf(listed, cached(), ['the list', 'the informer']).length === 0;
        await until(`the informer of ${fullName} of ${name} to agree`, agree).catch(() => {});
        const found = differencesOf(listed, cached(), ['the list', 'the informer']);
        lines.push(...found.map((line) => `${name}, ${fullName}: ${line}`));
      }
      return lines;
    },
    close: async () => {
      await Promise.all(informers.map(({ informer }) => informer.close()));
      await Promise.all(informers.map(({ running }) => running));
    },
  };
}

async function allOf(
  client: Client,
  apiVersion: string,
  resource: string,
): Promise<Map<string, string>> {
  const { items } = await client.resource(apiVersion, resource).listAll();
  return new Map(items.map((one) => [keyOf(one), canonical(one)]));
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
