import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  repackedSubsets,
  truncatedSubsets,
} from '../../../lib/cluster/endpoints/endpoint-subsets.ts';
import { fnv128a } from '../../../lib/cluster/endpoints/go-hash.ts';
import type { EndpointSubset } from '../../../lib/types/built-in/core-v1-kinds.ts';

interface Recorded {
  readonly given: readonly EndpointSubset[];
  readonly packed: readonly EndpointSubset[];
}

/** Recorded from `RepackSubsets` of k8s.io/kubernetes v1.37.2 for random subsets. */
const recorded = readFileSync(new URL('./recorded/repacked-subsets.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

function addresses(count: number, from = 0): { ip: string }[] {
  return Array.from({ length: count }, (_, at) => ({ ip: `10.0.0.${from + at}` }));
}

describe('fnv128a', () => {
  for (const [text, hash] of [
    ['', '6c62272e07bb014262b821756295c58d'],
    ['a', 'd228cb696f1a8caf78912b704e4a8964'],
    [
      '(v1.EndpointPort){Name:(string)http Port:(int32)80 Protocol:(v1.Protocol)TCP AppProtocol:(*string)<nil>}',
      '754b003f50f133a539c60d18cfb30a55',
    ],
  ] as const) {
    it(`is ${hash} for ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(fnv128a(text)).to.equal(hash);
    });
  }
});

describe('repackedSubsets', () => {
  for (const [at, { given, packed }] of recorded.entries()) {
    it(`packs the recorded subsets ${at} as Kubernetes does`, () => {
      expect(repackedSubsets(given)).to.deep.equal(packed ?? []);
    });
  }

  it('has an address that is ready and not ready for a port as not ready', () => {
    const [ready, notReady] = [{ addresses: addresses(1) }, { notReadyAddresses: addresses(1) }];
    for (const given of [
      [ready, notReady],
      [notReady, ready],
    ]) {
      expect(repackedSubsets(given)).to.deep.equal([notReady]);
    }
  });

  it('leaves packed subsets as they are', () => {
    for (const { packed } of recorded) {
      expect(repackedSubsets(packed ?? [])).to.deep.equal(packed ?? []);
    }
  });
});

describe('truncatedSubsets', () => {
  const sizes = (subsets: readonly EndpointSubset[] | undefined): number[][] | undefined =>
    subsets?.map((one) => [one.addresses?.length ?? 0, one.notReadyAddresses?.length ?? 0]);

  it('is undefined up to the limit', () => {
    expect(
      truncatedSubsets([{ addresses: addresses(6), notReadyAddresses: addresses(4) }], 10),
    ).to.equal(undefined);
  });

  it('cuts addresses that are not ready first', () => {
    const subsets = [
      { addresses: addresses(3), notReadyAddresses: addresses(6) },
      { addresses: addresses(3), notReadyAddresses: addresses(2) },
    ];
    expect(sizes(truncatedSubsets(subsets, 10))).to.deep.equal([
      [3, 3],
      [3, 1],
    ]);
  });

  it('keeps ready addresses in proportion and no others when there are too many ready ones', () => {
    const subsets = [
      { addresses: addresses(12), notReadyAddresses: addresses(1) },
      { addresses: addresses(6) },
    ];
    expect(sizes(truncatedSubsets(subsets, 10))).to.deep.equal([
      [7, 0],
      [3, 0],
    ]);
  });
});
