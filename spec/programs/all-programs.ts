import type { CommandLine, Program } from './program.ts';

const COPY_DEPENDENCIES =
  'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

const CLASS_PATH = 'target/classes:target/dependency/*';

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

function clientNode(version: string, node: string): Program {
  const packages = [`@kubernetes/client-node@${version}`, `node@${node}`];
  return {
    name: `client-node-${version.split('.')[0]}`,
    about: `JavaScript @kubernetes/client-node ${version} with Node ${node}`,
    tools: ['npm', 'node'],
    source: 'client-node',
    folder: `client-node-${version}`,
    install: [['npm', 'install', '--silent', '--no-audit', ...packages]],
    run: [['node_modules/.bin/node', 'main.mjs']],
    output: 'steps',
  };
}

function javaProgram(name: string, about: string): Program {
  return {
    name,
    about,
    tools: ['mvn', 'java'],
    source: name,
    folder: name,
    install: [
      ['mvn', '--batch-mode', '--quiet', 'compile'],
      ['mvn', '--batch-mode', '--quiet', COPY_DEPENDENCIES],
    ],
    run: [['java', '-cp', CLASS_PATH, 'Main']],
    output: 'steps',
  };
}

const NODE_24 = '24.21.0';
const FLUENT = '3.11.6';

const fluent: Program = {
  name: 'fluent-client',
  about: `JavaScript kubernetes-fluent-client ${FLUENT} with Node ${NODE_24}`,
  tools: ['npm', 'node'],
  source: 'client-node',
  folder: 'fluent-client',
  install: [
    [
      'npm',
      'install',
      '--silent',
      '--no-audit',
      `kubernetes-fluent-client@${FLUENT}`,
      `node@${NODE_24}`,
    ],
  ],
  run: [['node_modules/.bin/node', 'fluent.mjs']],
  output: 'steps',
};

const HELM = 'v3.22.0';

const helm: Program = {
  name: 'helm',
  about: `Go helm ${HELM}`,
  tools: ['go', 'node'],
  source: 'helm',
  folder: 'helm',
  install: [['sh', '-c', `GOBIN="$PWD" go install helm.sh/helm/v3/cmd/helm@${HELM}`]],
  run: [['node', 'main.mjs']],
  output: 'steps',
};

/** The unchanged program with public charts, on a cluster whose pods run. */
function helmCharts(name: string, version: string): Program {
  const module = `helm.sh/helm/v${version[1]}/cmd/helm@${version}`;
  return {
    name,
    about: `Go helm ${version} with public charts, and pods that run`,
    tools: ['go', 'node'],
    source: 'helm-charts',
    shared: ['client-node/steps.mjs'],
    folder: name,
    install: [['sh', '-c', `GOBIN="$PWD" go install ${module}`]],
    run: [['node', 'main.mjs']],
    output: 'steps',
    limitSeconds: 3600,
    needsWorkloads: true,
    inputs: ['charts'],
  };
}

const kubectl: Program = {
  name: 'kubectl',
  about: 'kubectl: rollouts, waits, logs, commands and drains, with pods that run',
  tools: ['node'],
  source: 'kubectl',
  shared: ['client-node/steps.mjs'],
  folder: 'kubectl',
  install: [],
  run: [['node', 'main.mjs']],
  output: 'steps',
  needsWorkloads: true,
  inputs: ['kubectl'],
};

/** The same packages, and steps that wait for pods that run. */
function waits(program: Program, name: string, run: CommandLine): Program {
  const about = `${program.about}: its waits, with pods that run`;
  return { ...program, name, about, run: [run], needsWorkloads: true };
}

const CONTROLLER_RUNTIME = 'v0.25.2';

/** Suites that want a server; their packages, below `pkg`. */
const SUITES = [
  'builder',
  'cache',
  'client',
  'cluster',
  'controller',
  'controller/controllerutil',
  'envtest',
  'handler',
  'internal/controller',
  'internal/recorder',
  'manager',
  'manager/internal/integration',
  'metrics/filters',
  'reconcile',
  'source',
  'webhook',
];

/** One program for each suite, since a suite counts on a server without objects. */
const controllerRuntime = SUITES.map((suite): Program => {
  const name = suite.replaceAll('/', '-');
  return {
    name: `controller-runtime-${name}`,
    about: `Go controller-runtime ${CONTROLLER_RUNTIME}: its own suite of ${suite}`,
    tools: ['go', 'sh'],
    source: 'controller-runtime',
    folder: 'controller-runtime',
    install: [['sh', 'build.sh', CONTROLLER_RUNTIME, ...SUITES]],
    run: [['sh', 'run.sh', suite]],
    output: 'ginkgo',
    needsEmptyServer: true,
  };
});

const kubeRs: Program = {
  name: 'kube-rs',
  about: 'Rust kube 5.0.0 with rustls',
  tools: ['cargo', 'cc'],
  source: 'kube-rs',
  folder: 'kube-rs',
  install: [['cargo', 'build', '--quiet']],
  run: [['target/debug/kube-rs-steps']],
  output: 'steps',
};

const fabric8 = javaProgram('fabric8', 'Java fabric8 kubernetes-client 8.0.0');
const kr8s = pythonProgram('kr8s', '0.20.15');
const waitsGo: Program = {
  ...goProgram('waits-go', `Go client-go ${CLIENT_GO}, controller-runtime ${CONTROLLER_RUNTIME}`),
  shared: ['client-go/steps.go'],
};

/** The cheap ones first. */
export const allPrograms: readonly Program[] = [
  goProgram('client-go', `Go client-go ${CLIENT_GO}`),
  pythonProgram('kubernetes', '37.0.2'),
  pythonProgram('kubernetes-asyncio', '36.1.0'),
  pythonProgram('kopf', '1.45.2'),
  pythonProgram('lightkube', '1.0.1'),
  kr8s,
  pythonProgram('pykube', '23.6.0'),
  clientNode('1.4.0', '20.20.2'),
  clientNode('2.0.1', NODE_24),
  fluent,
  helm,
  ...controllerRuntime,
  fabric8,
  javaProgram('josdk', 'Java operator SDK (JOSDK) 5.2.3'),
  javaProgram('client-java', 'Java client-java 27.0.0'),
  kubeRs,
  kubectl,
  waits(kr8s, 'waits-kr8s', ['venv/bin/python', 'waits-with-kr8s.py']),
  waits(fabric8, 'waits-fabric8', ['java', '-cp', CLASS_PATH, 'Waits']),
  waits(waitsGo, 'waits-go', ['./steps']),
  helmCharts('helm-charts', HELM),
  helmCharts('helm-charts-4', 'v4.3.1'),
];
