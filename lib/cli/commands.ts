import type { CommandRow } from './contract/command.ts';

/** The commands. Each is loaded when it is used, so that help starts at once. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'doctor',
    summary:
      'checks a configuration end to end: address, TLS, credentials, permissions, list and watch',
    load: async () => (await import('./doctor/doctor-command.ts')).doctorCommand(),
  },
  {
    name: 'serve',
    summary: 'runs a Kubernetes API server for kubectl, controllers and tests',
    load: async () => (await import('./serve/serve-command.ts')).serveCommand(),
  },
  {
    name: 'types',
    summary: 'writes TypeScript interfaces for custom resources, from files or a cluster',
    load: async () => (await import('./types/types-command.ts')).typesCommand(),
  },
];
