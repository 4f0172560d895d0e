import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { Draw } from '../../compare/draw.ts';
import { drawExchange } from './fuzz/port/draw-raw.ts';
import { PortCourse } from './fuzz/port/port-course.ts';
import { ServedProcess } from './fuzz/port/served-process.ts';
import { runRaw } from './fuzz/port/run-exchange.ts';

describe('bytes drawn at random, over sockets', () => {
  // `npm run check -- fuzz-api --port` sends more, to a process of its own.
  it('leave a server that answers, delivers and keeps what no input names', async () => {
    await using served = await ServedProcess.start();
    const { target } = served;
    await using course = new PortCourse({
      target,
      seed: 'spec',
      connections: 8,
      mostMemoryBytes: 512 * 1024 ** 2,
    });
    await course.start();
    expect(await course.run(0, 300)).to.deep.equal([]);
    expect(await course.check()).to.deep.equal([]);
    expect(served.problems()).to.deep.equal([]);
    for (const status of [2, 200, 400, 404]) {
      expect(course.tally.statuses.get(status) ?? 0, String(status)).to.be.above(0);
    }
  });

  it('are answered over TLS as well when many requests come at once, cut within', async () => {
    await using server = new ApiServer();
    await server.listen();
    const { hostname, port } = new URL(server.url);
    const target = { host: hostname, port: Number(port), token: server.token };
    const draw = new Draw('3/410');
    for (const chance of [0.25, 0.2]) draw.chance(chance);
    const { inputs, ...rest } = drawExchange(draw, server.token);
    const whole = inputs.filter(({ isAnswered }) => isAnswered);
    const { problem, statuses } = await runRaw(target, true, { ...rest, inputs: whole });
    expect(problem).to.equal(undefined);
    expect(statuses).to.have.length(whole.length).above(40);
  });
});
