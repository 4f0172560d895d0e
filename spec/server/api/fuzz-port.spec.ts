import { expect } from 'chai';
import { ApiServer } from '../../../lib/server/api/api-server.ts';
import { PortCourse } from './fuzz/port/port-course.ts';

describe('bytes drawn at random, over sockets', () => {
  // `npm run fuzz:api -- --port` sends more, to a process of its own.
  it('leave a server that answers, delivers and keeps what no input names', async () => {
    await using server = new ApiServer();
    await server.listen();
    const { hostname, port } = new URL(server.url);
    const target = { host: hostname, port: Number(port), token: server.token };
    await using course = new PortCourse({
      target,
      seed: 'spec',
      connections: 8,
      mostMemoryBytes: Number.MAX_SAFE_INTEGER,
    });
    await course.start();
    expect(await course.run(0, 300)).to.deep.equal([]);
    for (const status of [2, 200, 400, 404]) {
      expect(course.tally.statuses.get(status) ?? 0, String(status)).to.be.above(0);
    }
  });
});
