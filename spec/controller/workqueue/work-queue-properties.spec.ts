import { expect } from 'chai';
import { randomInteger } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { WorkQueue } from '../../../lib/controller/workqueue/work-queue.ts';

const SEEDS = 200;

/** One key as an observer outside the queue sees it. */
interface Model {
  /** Adds that no hand-out has answered yet: at most one hand-out is due. */
  due: boolean;
  inWork: boolean;
}

/** Producers, workers and impatient takers on one queue; the model is checked at each hand-out and at the end. */
class Scenario {
  readonly runtime: VirtualRuntime;
  readonly queue: WorkQueue<number>;
  readonly models = new Map<number, Model>();
  handOuts = 0;
  closing = false;

  constructor(seed: number) {
    this.runtime = new VirtualRuntime({ seed, order: 'random' });
    this.queue = new WorkQueue<number>({ runtime: this.runtime });
  }

  async run(): Promise<void> {
    const { runtime, queue } = this;
    const workers = Array.from({ length: randomInteger(runtime, 1, 4) }, () => this.#work());
    const producers = Array.from({ length: 3 }, () => this.#produce());
    await Promise.all([...producers, this.#takeAndGiveUp()]);
    this.closing = true;
    await queue.close();
    const left = [...this.models].filter(([, { due, inWork }]) => due || inWork);
    expect(left, 'close came back before the work was done').to.deep.equal([]);
    await Promise.all(workers);
  }

  async #produce(): Promise<void> {
    const { runtime, queue } = this;
    for (let count = randomInteger(runtime, 5, 40); count > 0; count -= 1) {
      const key = randomInteger(runtime, 0, 5);
      this.#model(key).due = true;
      queue.add(key);
      if (runtime.random() < 0.6) await sleep(runtime, randomInteger(runtime, 0, 4));
    }
  }

  async #work(): Promise<void> {
    const { runtime, queue } = this;
    for (;;) {
      using item = await queue.take();
      if (item === undefined) {
        expect(this.closing, 'a worker is sent home only after close').to.equal(true);
        return;
      }
      const model = this.#model(item.key);
      expect(model.inWork, `key ${item.key} is given to two workers`).to.equal(false);
      expect(model.due, `key ${item.key} is handed out without an add`).to.equal(true);
      model.due = false;
      model.inWork = true;
      this.handOuts += 1;
      await sleep(runtime, randomInteger(runtime, 0, 6));
      model.inWork = false;
    }
  }

  async #takeAndGiveUp(): Promise<void> {
    const { runtime, queue } = this;
    for (let round = 0; round < 10; round += 1) {
      const controller = new AbortController();
      const taken = queue.take({ signal: controller.signal }).then(
        (item) => {
          // Taken all the same: the key is put back by adding it while it is in work.
          if (item === undefined) return;
          queue.add(item.key);
          item.done();
        },
        () => {},
      );
      await sleep(runtime, randomInteger(runtime, 0, 3));
      controller.abort();
      await taken;
    }
  }

  #model(key: number): Model {
    const known = this.models.get(key);
    if (known !== undefined) return known;
    const model = { due: false, inWork: false };
    this.models.set(key, model);
    return model;
  }
}

describe('WorkQueue, in every interleaving', () => {
  it(`keeps its promises on ${SEEDS} seeds: one worker a key, adds collapse, no key is lost`, async () => {
    let handOuts = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const scenario = new Scenario(seed);
      await scenario.runtime.run(scenario.run()).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
      });
      for (const [key, model] of scenario.models) {
        expect(model, `seed ${seed}, key ${key}`).to.deep.equal({ due: false, inWork: false });
      }
      expect([scenario.queue.size, scenario.queue.processing]).to.deep.equal([0, 0]);
      handOuts += scenario.handOuts;
    }
    expect(handOuts).to.be.greaterThan(SEEDS * 6);
  });
});
