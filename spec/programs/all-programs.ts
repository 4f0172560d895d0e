import type { Program } from './program.ts';

const CLIENT_GO = 'v0.37.2';

function goProgram(name: string, about: string): Program {
  return {
    name,
    about,
    tools: ['go'],
    source: name,
    folder: name,
    install: [
      ['go', 'mod', 'tidy'],
      ['go', 'build', '-o', 'steps', '.'],
    ],
    run: [['./steps']],
    output: 'steps',
  };
}

function pythonProgram(name: string, version: string): Program {
  return {
    name,
    about: `Python ${name} ${version}`,
    tools: ['python3'],
    source: 'python',
    folder: 'python',
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', '--requirement', 'requirements.txt'],
    ],
    run: [['venv/bin/python', `with-${name}.py`]],
    output: 'steps',
  };
}

function clientNode(version: string): Program {
  return {
    name: `client-node-${version.split('.')[0]}`,
    about: `JavaScript @kubernetes/client-node ${version}`,
    tools: ['npm', 'node'],
    source: 'client-node',
    folder: `client-node-${version}`,
    install: [['npm', 'install', '--silent', '--no-audit', `@kubernetes/client-node@${version}`]],
    run: [['node', 'main.mjs']],
    output: 'steps',
  };
}

/** The cheap ones first. */
export const allPrograms: readonly Program[] = [
  goProgram('client-go', `Go client-go ${CLIENT_GO}`),
  pythonProgram('kubernetes', '37.0.2'),
  pythonProgram('kubernetes-asyncio', '36.1.0'),
  pythonProgram('kopf', '1.45.2'),
  pythonProgram('lightkube', '1.0.1'),
  pythonProgram('kr8s', '0.20.15'),
  pythonProgram('pykube', '23.6.0'),
  clientNode('1.4.0'),
  clientNode('2.0.1'),
];
