import { expect } from 'chai';
import { watchRequest } from '../../../../lib/cache/reflector/table/reflector-state.ts';
import { streaming, watching } from './step-support.ts';

describe('the requests of the reflector', () => {
  it('asks for a streaming list from its last version, and never at "0"', () => {
    const common = {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    };
    expect(watchRequest(streaming())).to.deep.equal(common);
    expect(watchRequest(streaming({ resourceVersion: '10' }))).to.deep.equal({
      ...common,
      resourceVersion: '10',
    });
    expect(watchRequest(streaming({ resourceVersion: '10', unavailable: true }))).to.deep.equal(
      common,
    );
  });

  it('asks for a watch from its last version with bookmarks and nothing else', () => {
    expect(watchRequest(watching())).to.deep.equal({
      resourceVersion: '10',
      allowWatchBookmarks: true,
    });
  });
});
