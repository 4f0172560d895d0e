import type { KubernetesObject } from '../../lib/meta/object.ts';
import { decodeObject, encodeObject } from '../../lib/meta/protobuf/object-codec.ts';
import { each, sized, timed, type Bench, type Figure } from './bench.ts';
import { podJson } from './workload/pods.ts';

const PODS = 200;
/** Of several rounds the fastest counts: the others were interrupted. */
const ROUNDS = 10;

interface Way {
  readonly name: string;
  readonly contestant: string;
  readonly work: () => void;
}

function ways(pods: number): Way[] {
  const json = Array.from({ length: pods }, (_, index) => Buffer.from(podJson(index)));
  const objects = json.map((bytes) => JSON.parse(bytes.toString()) as KubernetesObject);
  const protobuf = objects.map((object) => encodeObject(object));
  const all = (work: (index: number) => unknown) => (): void => {
    for (let index = 0; index < pods; index += 1) work(index);
  };
  return [
    {
      name: 'a pod from bytes',
      contestant: 'ours, protobuf',
      work: all((index) => decodeObject(protobuf[index] as Buffer)),
    },
    {
      name: 'a pod from bytes',
      contestant: 'JSON.parse',
      work: all((index) => JSON.parse((json[index] as Buffer).toString())),
    },
    {
      name: 'a pod to bytes',
      contestant: 'ours, protobuf',
      work: all((index) => encodeObject(objects[index] as KubernetesObject)),
    },
    {
      name: 'a pod to bytes',
      contestant: 'JSON.stringify',
      work: all((index) => Buffer.from(JSON.stringify(objects[index]))),
    },
  ];
}

export const bench: Bench = {
  id: 'P1',
  title: 'pods with managed fields, decoded and encoded as protobuf and as JSON',
  quickRepeats: 1,
  run: async (size) => {
    const pods = sized(size, { tiny: 5, quick: PODS, full: PODS });
    const turns = sized(size, { tiny: 1, quick: 20, full: 50 });
    const fastest = new Map<Way, number>();
    const all = ways(pods);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const way of all) {
        const took = await timed(async () => {
          for (let turn = 0; turn < turns; turn += 1) way.work();
        });
        fastest.set(way, Math.min(fastest.get(way) ?? Number.POSITIVE_INFINITY, took));
      }
    }
    return [...fastest].map(([{ name, contestant }, took]): Figure => {
      const figure = each(name, pods * turns, took);
      return { ...figure, contestant, compared: true };
    });
  },
};
