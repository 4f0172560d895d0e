import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { HandledStates } from '../../../lib/controller/helpers/handled-state.ts';

const metadata = { name: 'a', uid: 'u1', resourceVersion: '1', creationTimestamp: '' };
const object = { apiVersion: 'v1', kind: 'Thing', metadata, spec: { size: 1, list: [1, 2] } };

describe('HandledStates', () => {
  it('knows nothing of another object of the same name, and of a forgotten one', () => {
    const states = new HandledStates({});
    states.handled('a', object);
    expect(states.of('a', object)).to.deep.equal({ before: true, changes: [] });
    const other = { ...object, metadata: { ...metadata, uid: 'u2' } };
    expect(states.of('a', other).before).to.equal(false);
    states.forget('a');
    expect(states.of('a', object).before).to.equal(false);
  });

  it('names a list as one field, and fields that are added and removed', () => {
    const states = new HandledStates({});
    states.handled('a', object);
    const next = { ...object, spec: { list: [1], more: { deep: true } } };
    expect(states.of('a', next).changes).to.deep.equal([
      { path: 'spec.size', old: 1, new: undefined },
      { path: 'spec.list', old: [1, 2], new: [1] },
      { path: 'spec.more.deep', old: undefined, new: true },
    ]);
  });

  it('leaves out its own annotation and that of kubectl apply, and no other', () => {
    const states = new HandledStates({ annotation: 'example.com/last' });
    const patch = states.handled('a', object) as {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    };
    const { annotations } = patch.metadata;
    const kubectl = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    const handled = { ...object, metadata: { ...metadata, annotations } };
    expect(states.of('a', handled)).to.deep.equal({ before: true, changes: [] });
    const applied = {
      ...object,
      metadata: { ...metadata, annotations: { ...annotations, ...kubectl } },
    };
    expect(states.of('a', applied).changes).to.deep.equal([]);
    const noted = {
      ...object,
      metadata: { ...metadata, annotations: { ...annotations, note: 'x' } },
    };
    expect(states.of('a', noted).changes).to.deep.equal([
      { path: 'metadata.annotations.note', old: undefined, new: 'x' },
    ]);
  });

  it('has nothing to write into an annotation that says it already', () => {
    const states = new HandledStates({ annotation: 'example.com/last' });
    const patch = states.handled('a', object) as {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    };
    const { annotations } = patch.metadata;
    const handled = { ...object, metadata: { ...metadata, annotations } };
    expect(states.handled('a', handled)).to.equal(undefined);
    const changed = { ...handled, spec: { ...object.spec, size: 2 } };
    expect(states.handled('a', changed)).not.to.equal(undefined);
  });

  it('refuses a state that no annotation can hold, and takes a damaged one as none', () => {
    const states = new HandledStates({ annotation: 'example.com/last' });
    // The server counts bytes.
    const large = { ...object, spec: { text: 'é'.repeat(150_000) } };
    try {
      states.handled('a', large);
      expect.fail('it was taken');
    } catch (error) {
      expect(isListwatchError(error, 'REQUEST_ENTITY_TOO_LARGE')).to.equal(true);
      expect(String(error)).to.match(/without option "annotation"/);
    }
    const annotations = { 'example.com/last': '{"spec":' };
    const damaged = { ...object, metadata: { ...metadata, annotations } };
    expect(states.of('a', damaged).before).to.equal(false);
  });
});
