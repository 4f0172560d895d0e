import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import type { KeyValueStore } from '../../lib/server/mvcc/contract/key-value-store.ts';
import type { EtcdCluster, EtcdMember } from '../support/etcd.ts';
import { until } from '../support/until.ts';

export interface NemesisOptions {
  readonly cluster: EtcdCluster;
  readonly kills: number;
  readonly random: () => number;
  /** For compactions. */
  readonly store: KeyValueStore;
}

type Attack = 'one' | 'leader' | 'again' | 'two' | 'all' | 'freeze' | 'compact';

/** How often each is drawn, out of the sum. */
const WEIGHTS: Readonly<Record<Attack, number>> = {
  one: 30,
  leader: 22,
  again: 8,
  two: 12,
  all: 6,
  freeze: 14,
  compact: 8,
};

/** Kills, freezes and restarts members, one attack after the other, and lets the cluster recover in between. */
export class Nemesis {
  readonly attacks: Record<Attack, number> = {
    one: 0,
    leader: 0,
    again: 0,
    two: 0,
    all: 0,
    freeze: 0,
    compact: 0,
  };
  kills = 0;
  /** Longest time from the last restart of an attack to a cluster with a leader, milliseconds. */
  slowestRecoveryMs = 0;
  readonly #options: NemesisOptions;

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    while (this.kills < this.#options.kills) {
      const attack = this.#draw();
      this.attacks[attack] += 1;
      await this.#carryOut(attack);
      const startedAtMs = performance.now();
      await until(
        'the cluster has a leader again',
        async () => (await this.#options.cluster.leader()) !== undefined,
      );
      this.slowestRecoveryMs = Math.max(this.slowestRecoveryMs, performance.now() - startedAtMs);
      await this.#pause(200, 700);
    }
  }

  async #carryOut(attack: Attack): Promise<void> {
    const { cluster } = this.#options;
    const [first, second, third] = this.#shuffled();
    switch (attack) {
      case 'one':
        return await this.#down([first], 200, 900);
      case 'leader':
        return await this.#down([(await cluster.leader()) ?? first], 200, 900);
      case 'again': {
        await this.#kill(first);
        const starting = first.restart().catch(() => {});
        await this.#pause(20, 200);
        await this.#kill(first);
        await starting;
        return await first.restart();
      }
      case 'two':
        return await this.#down([first, second], 100, 700);
      case 'all':
        return await this.#down([first, second, third], 50, 500);
      case 'freeze': {
        const member = this.#chance(0.5) ? ((await cluster.leader()) ?? first) : first;
        await member.freeze();
        await this.#pause(300, 2500);
        member.thaw();
        return;
      }
      case 'compact':
        return await this.#compact();
    }
  }

  /** Kills members one after the other, and starts all of them again. */
  async #down(members: readonly EtcdMember[], fromMs: number, toMs: number): Promise<void> {
    for (const member of members) {
      await this.#kill(member);
      if (members.length > 1) await this.#pause(20, 300);
    }
    await this.#pause(fromMs, toMs);
    await Promise.all(members.map((member) => member.restart()));
  }

  async #kill(member: EtcdMember): Promise<void> {
    await member.kill();
    this.kills += 1;
  }

  /** Drops all history: watches that lag have to begin anew. */
  async #compact(): Promise<void> {
    const { store } = this.#options;
    try {
      const { revision } = await store.range({ key: '/' });
      await store.compact(revision);
    } catch {
      // Another client compacted further, or the cluster is not well; both are fine.
    }
  }

  #draw(): Attack {
    const sum = Object.values(WEIGHTS).reduce((left, right) => left + right, 0);
    let left = this.#options.random() * sum;
    for (const [attack, weight] of Object.entries(WEIGHTS)) {
      left -= weight;
      if (left < 0) return attack as Attack;
    }
    return 'one';
  }

  #shuffled(): [EtcdMember, EtcdMember, EtcdMember] {
    const drawn = this.#options.cluster.members.map((member) => ({
      member,
      order: this.#options.random(),
    }));
    drawn.sort((left, right) => left.order - right.order);
    return drawn.map(({ member }) => member) as [EtcdMember, EtcdMember, EtcdMember];
  }

  #chance(share: number): boolean {
    return this.#options.random() < share;
  }

  async #pause(fromMs: number, toMs: number): Promise<void> {
    await sleep(realRuntime, fromMs + this.#options.random() * (toMs - fromMs));
  }
}
