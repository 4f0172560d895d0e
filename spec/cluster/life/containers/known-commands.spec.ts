import { expect } from 'chai';
import { knownCommand } from '../../../../lib/cluster/life/containers/known-commands.ts';

const ROWS: readonly (readonly [string[], string[] | undefined, object | undefined])[] = [
  [['/bin/true'], undefined, { runsForMs: 0, exitCode: 0 }],
  [['false'], undefined, { runsForMs: 0, exitCode: 1 }],
  [['sleep'], ['10'], { runsForMs: 10_000, exitCode: 0, stopCode: 143 }],
  [['sleep', '1.5m'], undefined, { runsForMs: 90_000 }],
  [['sleep', 'infinity'], undefined, { runsForMs: Infinity }],
  [['echo', 'hello', 'world'], undefined, { output: ['hello world'] }],
  [['sh', '-c', 'exit 3'], undefined, { runsForMs: 0, exitCode: 3 }],
  [
    ['/bin/sh'],
    ['-c', 'echo "a  b" && sleep 2; exit 1; echo never'],
    { runsForMs: 2000, exitCode: 1, output: ['a  b'] },
  ],
  [['sh', '-c', 'false && sleep 9'], undefined, { runsForMs: 0, exitCode: 1 }],
  [['sh', '-c', 'false; true'], undefined, { exitCode: 0 }],
  [['sh', '-c', 'sleep 5\nexit 2\n'], undefined, { runsForMs: 5000, exitCode: 2 }],
  // A shell would do something that is not known here.
  [['sh', '-c', 'exit $CODE'], undefined, undefined],
  [['sh', '-c', 'sleep 5 &'], undefined, undefined],
  [['sh', '-c', 'sleep 5 || exit 1'], undefined, undefined],
  [['sh', '-c', 'echo a > /file'], undefined, undefined],
  [['sh', '-c', 'while true; do sleep 1; done'], undefined, undefined],
  [['sh', '-c', 'sleep 1; echo late'], undefined, undefined],
  [['sh', '-c', 'exit 1', 'name'], undefined, undefined],
  [['sh'], undefined, undefined],
  [['sleep', 'long'], undefined, undefined],
  [['sleep', '1', '2'], undefined, undefined],
  [['nginx'], undefined, undefined],
  [[], ['sleep', '10'], undefined],
];

describe('knownCommand', () => {
  for (const [command, args, wanted] of ROWS) {
    const line = JSON.stringify([...command, ...(args ?? [])]);
    it(`${wanted === undefined ? 'does not know' : 'knows'} ${line}`, () => {
      const known = knownCommand({ command, args });
      if (wanted === undefined) expect(known).to.equal(undefined);
      else expect(known).to.deep.include(wanted);
    });
  }

  it('takes the arguments of an image without an entry point as its command', () => {
    const args = ['sh', '-c', 'exit 3'];
    for (const image of ['busybox', 'docker.io/library/alpine:3.22', 'debian@sha256:0']) {
      expect(knownCommand({ image, args }), image).to.include({ exitCode: 3 });
    }
    for (const image of ['nginx', 'mybusybox', 'registry.example.com/busybox-tools:1']) {
      expect(knownCommand({ image, args }), image).to.equal(undefined);
    }
  });
});
