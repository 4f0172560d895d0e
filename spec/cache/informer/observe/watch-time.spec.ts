import { expect } from 'chai';
import { WatchTime } from '../../../../lib/cache/informer/observe/informer-journal.ts';
import type { ReflectorTransition } from '../../../../lib/cache/reflector/options/reflector-report.ts';

type State = ReflectorTransition['to'];

const step = (from: State, to: State, durationMs: number): ReflectorTransition => ({
  name: 'pods',
  from,
  to,
  reason: '',
  resourceVersion: '1',
  durationMs,
});

describe('WatchTime', () => {
  it('is 0 before the informer is started', () => {
    expect(new WatchTime().inspect(100, false)).to.deep.equal({ watchingShare: 0 });
  });

  it('is 0 in an informer that has started, and has had no watch', () => {
    const time = new WatchTime();
    time.start(100);
    expect(time.inspect(400, false)).to.deep.equal({ watchingShare: 0 });
  });

  it('is the part of the time with a watch, and the age of the present one', () => {
    const time = new WatchTime();
    time.start(0);
    const clock = time.clock();
    clock.note(step('listing', 'watching', 100), 100);
    expect(time.inspect(400, true)).to.deep.equal({ watchAgeMs: 300, watchingShare: 0.75 });
    clock.note(step('watching', 'backing-off', 300), 400);
    expect(time.inspect(600, false)).to.deep.equal({ watchingShare: 0.5 });
    clock.note(step('backing-off', 'watching', 200), 600);
    expect(time.inspect(600, false), 'a watch that is being opened').to.not.have.property(
      'watchAgeMs',
    );
    expect(time.inspect(1200, true)).to.deep.equal({ watchAgeMs: 600, watchingShare: 0.75 });
    clock.note(step('watching', 'watching', 600), 1200);
    expect(time.inspect(1200, true).watchAgeMs).to.equal(0);
  });

  it('counts from the start of an informer that joins a running watch', () => {
    const time = new WatchTime();
    time.start(1000);
    expect(time.inspect(1500, true)).to.deep.equal({ watchAgeMs: 500, watchingShare: 1 });
    time.clock().note(step('watching', 'backing-off', 90_000), 2000);
    expect(time.inspect(2000, false)).to.deep.equal({ watchingShare: 1 });
    expect(time.inspect(3000, false)).to.deep.equal({ watchingShare: 0.5 });
  });

  it('is that of all namespaces, and of none that was left', () => {
    const time = new WatchTime();
    time.start(0);
    const [one, other] = [time.clock(), time.clock()];
    one.note(step('listing', 'watching', 0), 0);
    other.note(step('listing', 'watching', 50), 50);
    expect(time.inspect(100, true)).to.deep.equal({ watchAgeMs: 50, watchingShare: 0.75 });
    other.note(step('watching', 'stopped', 50), 100);
    expect(time.inspect(200, true)).to.deep.equal({ watchAgeMs: 200, watchingShare: 1 });
  });
});
