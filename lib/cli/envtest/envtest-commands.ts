// Loaded together, as the commands of the recorder are.
export { envtestApiServerCommand } from './api-server-command.ts';
export { envtestAssetsCommand } from './assets-command.ts';
export { envtestEtcdCommand } from './etcd-command.ts';
