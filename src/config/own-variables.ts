import type { Variable } from './variable.ts';

/** Variables that are not in the specification's table, and are read too. */
export const ownVariables: readonly Variable[] = [
  { name: 'MESH_CPU_LIMIT', type: 'float', default: '0', owner: 'agent', setting: 'cpuLimit' },
  { name: 'SERVICE_ACCOUNT', type: 'string', default: '', owner: 'agent', setting: 'serviceAccount' },
  {
    name: 'EXIT_ON_ZERO_ACTIVE_CONNECTIONS',
    type: 'boolean',
    default: 'false',
    owner: 'agent',
    setting: 'life.endsDrainEarly',
  },
  { name: 'MINIMUM_DRAIN_DURATION', type: 'duration', default: '5s', owner: 'agent', setting: 'life.minimumDrainMs' },
  {
    name: 'TERMINATION_GRACE_PERIOD_SECONDS',
    type: 'integer',
    default: '',
    owner: 'agent',
    setting: 'life.terminationGraceMs',
  },
  { name: 'MESH_RESTART_POLICY', type: 'string', default: 'never', owner: 'agent', setting: 'life.restartPolicy' },
  { name: 'NOTIFY_SOCKET', type: 'string', default: '', owner: 'agent', setting: 'life.notifySocket' },
  {
    name: 'MESH_TERMINATION_DRAIN',
    type: 'string',
    default: '',
    owner: 'compiler',
    setting: 'proxy.terminationDrain',
    values: ['plain', 'graceful'],
    security: true,
  },
];
