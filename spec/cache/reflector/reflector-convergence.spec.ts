import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import { expired, internalError, tooManyRequests } from '../../../lib/meta/failure/failures.ts';
import { compareResourceVersions } from '../../../lib/meta/versions/resource-version.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import type { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { RecordingSink, rig, thing, type Rig, type Thing, type View } from './reflector-support.ts';
import { RelistSink } from './list/relist-support.ts';

const SEEDS = 150;
const STEPS = 60;

type Source = ScriptedListerWatcher<Thing>;
type Move = (source: Source, draw: (below: number) => number) => void;

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

const write: Move = (source, draw) => {
  const name = NAMES[draw(NAMES.length)] as string;
  const exists = source.objects.some((object) => object.metadata.name === name);
  if (!exists) source.add(thing(name, 'new'));
  else if (draw(2) === 0) source.delete({ name });
  else source.modify(thing(name, `changed ${draw(1000)}`));
};

const KINDS = ['list', 'page', 'watch', 'watch-list', 'piece'] as const;

const MOVES: readonly Move[] = [
  write,
  write,
  write,
  write,
  (source) => {
    source.bookmark();
  },
  (source) => {
    source.closeWatches();
  },
  (source) => {
    source.compact();
  },
  (source) => {
    source.dropConnections();
  },
  (source) => {
    source.dropConnections(expired('too old'));
  },
  (source, draw) => {
    source.failNext(KINDS[draw(KINDS.length)] as 'list', tooManyRequests('busy', draw(3)));
  },
  (source, draw) => {
    source.failNext(KINDS[draw(KINDS.length)] as 'list', internalError('boom'));
  },
  (source, draw) => {
    const details = { retryAfterSeconds: draw(3) };
    source.failNext(
      KINDS[draw(KINDS.length)] as 'list',
      failure('ServiceUnavailable', 'busy', { details }),
    );
  },
  (source, draw) => {
    source.failNext('watch', expired('too old'), draw(4));
  },
  (source, draw) => {
    source.failNext(
      KINDS[draw(KINDS.length)] as 'list',
      new ListwatchError('CONNECTION_REFUSED', 'missing'),
    );
  },
  (source, draw) => {
    source.hangNext(KINDS[draw(KINDS.length)] as 'list');
  },
  (source, draw) => {
    source.latencyMs = draw(4) * 20;
  },
  (source) => {
    source.pause();
  },
  (source) => {
    source.resume();
  },
  (source, draw) => {
    source.refuseWatchList = draw(4) === 0;
  },
  (source, draw) => {
    source.withholdInitialEventsEnd = draw(4) === 0;
  },
];

class ThrowingSink extends RecordingSink {
  draw: () => number = () => 1;

  override apply(events: Parameters<RecordingSink['apply']>[0]): void {
    if (this.draw() < 0.02) throw new Error('the sink is out of order');
    super.apply(events);
  }

  override replace(...list: Parameters<RecordingSink['replace']>): void {
    if (this.draw() < 0.02) throw new Error('the sink is out of order');
    super.replace(...list);
  }
}

class ThrowingRelistSink extends RelistSink {
  draw: () => number = () => 1;

  constructor() {
    super();
    this.onBegin = this.onAdd = this.onCommit = () => this.#maybeThrow();
  }

  override apply(events: Parameters<RecordingSink['apply']>[0]): void {
    this.#maybeThrow();
    super.apply(events);
  }

  #maybeThrow(): void {
    if (this.draw() < 0.02) throw new Error('the sink is out of order');
  }
}

/** A proxy in front of the source that now and then sends again what it has sent. */
function replaying(source: Source, random: () => number): void {
  const watch = source.watch.bind(source);
  source.watch = async (request): ReturnType<Source['watch']> => {
    const stream = await watch(request);
    return (async function* (): AsyncGenerator<readonly WatchEvent<View>[]> {
      const past: WatchEvent<View>[] = [];
      for await (const batch of stream) {
        yield batch;
        past.push(...batch);
        if (random() < 0.2) yield past.slice(Math.floor(random() * past.length));
      }
    })();
  };
}

async function play(seed: number): Promise<Rig> {
  const random = seededRandom(seed);
  const draw = (below: number): number => Math.floor(random() * below);
  const sink = draw(2) === 0 ? new ThrowingSink() : new ThrowingRelistSink();
  const test = rig({
    seed,
    sink,
    source: { pieceSize: draw(3) },
    watchList: draw(2) === 0,
    ...(draw(2) === 0 ? { pageSize: 2 } : {}),
    minWatchTimeoutMs: 5000,
    watchListTimeoutMs: 3000,
    listTimeoutMs: 3000,
    silenceProbeMs: draw(2) * 1000,
    internalErrorRetryMs: draw(2) * 4000,
    ...(draw(2) === 0 ? { prepare: (source) => replaying(source, random) } : {}),
  });
  sink.draw = random;
  const { runtime, source } = test;
  for (let count = 0; count < STEPS; count += 1) {
    (MOVES[draw(MOVES.length)] as Move)(source, draw);
    await runtime.advance(draw(3) * draw(1500));
  }
  sink.draw = () => 1;
  source.heal();
  return test;
}

/** The versions that the sink gets between two replaces only rise. */
function expectForward(calls: readonly string[]): void {
  let last = '0';
  for (const call of calls) {
    const version = call.slice(call.lastIndexOf('@') + 1);
    if (call.startsWith('replace')) last = version;
    expect(compareResourceVersions(version, last), call).to.be.at.least(0);
    last = version;
  }
}

describe('Reflector under a storm of faults', () => {
  it(`ends with exactly the objects of the source, on each of ${SEEDS} seeds`, async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { runtime, source, sink, errors, stop } = await play(seed);
      await runtime.advance(120_000);
      const expected = Object.fromEntries(source.objects.map((one) => [one.metadata.name, one]));
      expect(Object.fromEntries(sink.objects), `seed ${seed}`).to.deep.equal(expected);
      expectForward(sink.calls);
      for (const { context } of errors) expect(context.message).to.match(/; it [a-z]/);
      await stop();
      expect(runtime.pending, `seed ${seed}`).to.equal(0);
      expect(source.openWatches, `seed ${seed}`).to.equal(0);
      if (sink instanceof RelistSink) expect(sink.open, `seed ${seed}`).to.equal(0);
    }
  });

  it('does exactly the same again on the same seed', async () => {
    const record = async (): Promise<string> => {
      const { source, sink, transitions, stop } = await play(7);
      await stop();
      return JSON.stringify([source.requests, sink.calls, transitions]);
    };
    expect(await record()).to.equal(await record());
  });
});
