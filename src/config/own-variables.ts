import type { Variable } from './variable.ts';

/** Variables that are not in the specification's table, and are read too. */
export const ownVariables: readonly Variable[] = [
  { name: 'SERVICE_ACCOUNT', type: 'string', default: '', owner: 'agent', setting: 'serviceAccount' },
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
