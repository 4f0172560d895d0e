import { fromProbing, fromReadingVersion, fromListing } from './list-step.ts';
import type { ReflectorInput, ReflectorState, ReflectorStep } from './reflector-state.ts';
import { backOff, CLOSE, impossible, move, REPORT, startRound, startWatch } from './step-moves.ts';
import { fromStreamingList } from './streaming-list-step.ts';
import { fromWatching } from './watch-step.ts';

/**
 * The reflector as a state table: a pure function from a state and an input to the next state and its effects. The driver
 * executes the effects and the wait of the next state.
 *
 * @throws {ListwatchError} code ASSERTION for an input that cannot occur in the state.
 * @see client-go tools/cache/reflector.go ListAndWatch, list, watchList, watch @ 32ce75a7
 */
export function step(state: ReflectorState, input: ReflectorInput): ReflectorStep {
  if (input.type === 'abort') {
    return move({ name: 'stopped', memory: state.memory }, 'aborted', CLOSE);
  }
  if (input.type === 'sink-failed') {
    const reason = `the sink failed: ${input.failure.message}`;
    return backOff(startRound(state.memory), 0, reason, CLOSE, REPORT);
  }
  switch (state.name) {
    case 'idle':
      if (input.type !== 'start') break;
      return state.memory.resourceVersion === ''
        ? move(startRound(state.memory), 'started')
        : move(startWatch(state.memory), 'started where an earlier run has ended');
    case 'stopped':
    case 'failed':
      if (input.type === 'start') return move(startRound(state.memory), 'started');
      break;
    case 'listing':
      return fromListing(state, input);
    case 'reading-version':
      return fromReadingVersion(state, input);
    case 'probing':
      return fromProbing(state, input);
    case 'streaming-list':
      return fromStreamingList(state, input);
    case 'watching':
      return fromWatching(state, input);
    case 'backing-off':
      if (input.type === 'waited') return move(state.next, 'waited');
      break;
  }
  return impossible(state, input);
}
