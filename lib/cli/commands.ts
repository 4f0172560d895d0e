import type { CommandRow } from './contract/command.ts';

/** The commands. Each is loaded when it is used, so that help starts at once. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'completion',
    summary: 'prints the completion of commands and options for bash, zsh or fish',
    load: async () =>
      (await import('./completion/completion-command.ts')).completionCommand(() => COMMANDS),
  },
  {
    name: 'demo',
    summary: 'runs a controller and an API server to look at, with a live page of both',
    load: async () => (await import('./demo/demo-command.ts')).demoCommand(),
  },
  {
    name: 'doctor',
    summary:
      'checks a configuration end to end: address, TLS, credentials, permissions, list and watch',
    load: async () => (await import('./doctor/doctor-command.ts')).doctorCommand(),
  },
  {
    name: 'dump',
    summary: 'prints the cache that an informer of a resource has, masked',
    load: async () => (await import('./recorder/recorder-commands.ts')).dumpCommand(),
  },
  {
    name: 'envtest-assets',
    summary: 'writes the programs for KUBEBUILDER_ASSETS, for suites in Go and other languages',
    load: async () => (await import('./envtest/envtest-commands.ts')).envtestAssetsCommand(),
  },
  {
    name: 'envtest-apiserver',
    summary: 'stands where envtest starts kube-apiserver, with its flags',
    load: async () => (await import('./envtest/envtest-commands.ts')).envtestApiServerCommand(),
  },
  {
    name: 'envtest-etcd',
    summary: 'stands where envtest starts etcd, with its flags',
    load: async () => (await import('./envtest/envtest-commands.ts')).envtestEtcdCommand(),
  },
  {
    name: 'new',
    summary: 'writes a project: an operator with its definition, tests, image and manifests',
    load: async () => (await import('./new/new-command.ts')).newCommand(),
  },
  {
    name: 'rbac',
    summary: 'runs a program against an API server, and writes the roles that it needs',
    load: async () => (await import('./rbac/rbac-command.ts')).rbacCommand(),
  },
  {
    name: 'record',
    summary: 'writes down what a list and a watch of a resource bring',
    load: async () => (await import('./recorder/recorder-commands.ts')).recordCommand(),
  },
  {
    name: 'replay',
    summary: 'gives an informer what was recorded, and prints the calls of its handlers',
    load: async () => (await import('./recorder/recorder-commands.ts')).replayCommand(),
  },
  {
    name: 'serve',
    summary: 'runs a Kubernetes API server for kubectl, controllers and tests',
    load: async () => (await import('./serve/serve-command.ts')).serveCommand(),
  },
  {
    name: 'simulate',
    summary: 'runs controllers in virtual time with faults, until one fails',
    load: async () => (await import('./simulate/simulate-command.ts')).simulateCommand(),
  },
  {
    name: 'types',
    summary: 'writes TypeScript interfaces for custom resources, from files or a cluster',
    load: async () => (await import('./types/types-command.ts')).typesCommand(),
  },
];
